"""Bounds of this package's model along a recorded run, a part of the work that is cached run by run."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from baselines.stopping.parts.regret import (
    BoundSettings,
    inflation,
    neighbour_correlation,
    regret_bound,
    settled_bound,
)
from baselines.stopping.parts.surrogate import CandidateSet, better_part, fit_surrogate
from baselines.stopping.parts.usable_trials import UsableTrials
from hpo_models.acquisition import confidence_factor
from hpo_papers.makarova2022.bounds.spaces import features_of, reader_of
from hpo_papers.makarova2022.record.contents import record

COLUMNS = ("bound", "correlation", "inflation", "calibrated")


@cache
def _candidates(study: str, name: str) -> CandidateSet:
    return CandidateSet(reader_of(study, name), "random", 0)


def bounds_along(
    study: str, name: str, dataset: int, run: int, checks: list[int], share: float = 0.5, beta: float | None = None
) -> list[list[float]]:
    """(check, column) numbers of `COLUMNS` after some numbers of evaluations of a recorded run, NaN without a bound.

    Parameters
    ----------
    study, name, dataset, run
        Which run, see `record.contents`; the dataset by its index.
    checks
        Numbers of completed evaluations.
    share
        Part of the evaluations, the best, that the process is fitted to.
    beta
        Factor of the confidence bounds, None for the paper's formula.
    """
    settings, reader = BoundSettings(share=share), reader_of(study, name)
    x, losses = features_of(study, name, dataset, run), record().runs[study, name]["loss"][dataset, run]
    d = sum(h.size > 1 for h in reader.space)
    rows: list[list[float]] = []
    for t in checks:
        usable = UsableTrials(x[:t], losses[:t], "")
        indices = better_part(usable.losses, settings.share, settings.at_least)
        surrogate = fit_surrogate(reader, usable, indices, settings.fit, settings.seed)
        if surrogate is None:
            rows.append([float("nan")] * len(COLUMNS))
            continue
        factor = confidence_factor(d, len(indices)) if beta is None else beta
        value, surrogate = settled_bound(reader, surrogate, _candidates(study, name), factor, settings)
        larger = inflation(surrogate)
        calibrated = value
        if larger > 1.0:
            calibrated = regret_bound(surrogate, _candidates(study, name), factor * larger**2)
        rows.append([value, neighbour_correlation(surrogate.processes[0]), larger, calibrated])
    return rows


def gridded(parts: list[Any], shape: tuple[int, int], checks: list[int], length: int) -> dict[str, np.ndarray]:
    """(dataset, run, evaluation) arrays of each column from the parts of all runs, NaN where nothing was checked."""
    values = np.array(parts, dtype=float).reshape(*shape, len(checks), len(COLUMNS))
    arrays = {}
    for i, column in enumerate(COLUMNS):
        arrays[column] = np.full((*shape, length), np.nan)
        arrays[column][:, :, checks] = values[..., i]
    return arrays
