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
    shape = (len(OPTIMIZERS), len(TABLES), work.runs)
    keys = [
        (name, dataset, FIRST_RUN + run)
        for name in OPTIMIZERS
        for dataset in range(shape[1])
        for run in range(shape[2])
    ]
    found = {"recorded": np.array([record().runs["fcnet", n]["bound"][d, r, CHECKS] for n, d, r in keys])}
    for way, (options, column) in WAYS.items():
        parts = work.parts(bounds_along, [("fcnet", *key, CHECKS, *options) for key in keys])
        found[way] = np.array(parts, dtype=float)[:, :, COLUMNS.index(column)]
    return {way: values.reshape(*shape, len(CHECKS)) for way, values in found.items()}


def regrets(n_runs: int) -> np.ndarray:
    """(optimizer, table, run, check) regrets of the incumbent by observed loss, less the lowest one of the table."""
    from tabular import open_table

    lowest = np.array([float(open_table(name).columns["loss"].min()) for name in TABLES])
    runs = [record().runs["fcnet", name] for name in OPTIMIZERS]
    return np.array([regrets_by_loss(own, lowest)[:, FIRST_RUN : FIRST_RUN + n_runs][..., CHECKS] for own in runs])


def stops_at(bounds: np.ndarray, regrets: np.ndarray, threshold: float) -> dict[str, float]:
    """Runs that stop, those with a regret above the threshold, and the mean saving over all runs.

    `bounds` and `regrets` are (..., check); a run without a stop saves nothing.
    """
    with np.errstate(invalid="ignore"):
        below = bounds < threshold
    stopped, at = below.any(axis=-1), below.argmax(axis=-1)
    regret = np.take_along_axis(regrets, at[..., None], axis=-1)[..., 0]
    saved = np.where(stopped, 1.0 - np.array(CHECKS)[at] / 500, 0.0)
    return {
        "stops": int(stopped.sum()),
        "above": int((stopped & (regret > threshold)).sum()),
        "saved": float(saved.mean()),
    }
