"""Ways to compute a bound, along recorded runs on the FC-Net tables, beside the regret that they bound."""

from __future__ import annotations

from typing import Any

import numpy as np

from hpo_papers.frame.work import Work
from hpo_papers.makarova2022.bounds.own import COLUMNS, bounds_along
from hpo_papers.makarova2022.record.contents import OPTIMIZERS, TABLES, record
from hpo_papers.makarova2022.record.regrets import regrets_by_loss

CHECKS = [*range(20, 100, 10), *range(100, 500, 25)]
FIRST_RUN = 10  # runs before it were looked at to find a better bound
SHRUNK = 5.0  # what the paper divides beta by
THRESHOLDS = (1e-4, 1e-3, 1e-2)
WAYS: dict[str, tuple[tuple[Any, ...], str]] = {  # name: options of `bounds_along`, column
    "own": ((), "bound"),
    "own, leave-one-out": ((), "inflated"),
    "own, undivided beta": ((0.5, SHRUNK), "bound"),
    "calibrated": ((0.5, None, True), "bound"),
}


def bounds_by_way(work: Work) -> dict[str, np.ndarray]:
    """(optimizer, table, run, check) bounds of each way, and the recorded ones."""
    shape, checks = (len(OPTIMIZERS), len(TABLES), work.runs), work.thinned(CHECKS, 2)
    keys = [
        (name, dataset, FIRST_RUN + run)
        for name in OPTIMIZERS
        for dataset in range(shape[1])
        for run in range(shape[2])
    ]
    found = {"recorded": np.array([record().runs["fcnet", n]["bound"][d, r, checks] for n, d, r in keys])}
    for way, (options, column) in WAYS.items():
        parts = work.parts(bounds_along, [("fcnet", *key, checks, *options) for key in keys])
        found[way] = np.array(parts, dtype=float)[:, :, COLUMNS.index(column)]
    return {way: values.reshape(*shape, len(checks)) for way, values in found.items()}


def lowest_losses() -> np.ndarray:
    """(table,) lowest loss of any repetition."""
    from tabular import open_table

    return np.array([float(open_table(name).columns["loss"].min()) for name in TABLES])


def regrets(work: Work) -> np.ndarray:
    """(optimizer, table, run, check) regrets of the incumbent by observed loss, less the lowest one of the table."""
    found = np.array([regrets_by_loss(record().runs["fcnet", name], lowest_losses()) for name in OPTIMIZERS])
    return found[:, :, FIRST_RUN : FIRST_RUN + work.runs][..., work.thinned(CHECKS, 2)]


def stops_at(bounds: np.ndarray, regrets: np.ndarray, threshold: float, checks: list[int]) -> dict[str, float]:
    """Runs that stop, those with a regret above the threshold, and the mean saving over all runs.

    `bounds` and `regrets` are (..., check), after so many evaluations as `checks` says; a run without a stop saves
    nothing.
    """
    with np.errstate(invalid="ignore"):
        below = bounds < threshold
    stopped, at = below.any(axis=-1), below.argmax(axis=-1)
    regret = np.take_along_axis(regrets, at[..., None], axis=-1)[..., 0]
    saved = np.where(stopped, 1.0 - np.array(checks)[at] / 500, 0.0)
    return {
        "stops": int(stopped.sum()),
        "above": int((stopped & (regret > threshold)).sum()),
        "saved": float(saved.mean()),
    }
