"""Bounds of this package's model along a recorded run, a part of the work that is cached run by run."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from baselines.stopping.parts.fits import Fits, scheduled_parts
from baselines.stopping.parts.regret import (
    UNDIVIDED,
    BoundSettings,
    bound_ends,
    ends_apart,
    neighbour_correlation,
    settled_bound,
)
from baselines.stopping.parts.surrogate import CandidateSet
from baselines.stopping.parts.usable_trials import UsableTrials
from hpo_models.acquisition import confidence_factor
from hpo_papers.makarova2022.bounds.spaces import features_of, reader_of
from hpo_papers.makarova2022.record.contents import record

COLUMNS = ("bound", "correlation", "inflation", "inflated")  # see `bounds_along`


@cache
def _candidates(study: str, name: str) -> CandidateSet:
    return CandidateSet(reader_of(study, name), "random", 0)


def bounds_along(
    study: str,
    name: str,
    dataset: int,
    run: int,
    checks: list[int],
    share: float = 0.5,
    factor: float | None = None,
    calibrated: bool = False,
    refit: float = 0.0,
) -> list[list[float]]:
    """(check, column) numbers after some numbers of evaluations of a recorded run, NaN without a bound.

    The columns: the bound; how much an evaluation tells about its neighbour; the root mean square of the standardised
    leave-one-out residuals; the bound with standard deviations that are multiplied by it, if it is above 1.

    Parameters
    ----------
    study, name, dataset, run
        Which run, see `record.contents`; the dataset by its index.
    checks
        Numbers of completed evaluations.
    share
        Part of the evaluations, the best, that the process is fitted to.
    factor
        Multiplies the paper's beta; None is 1, of a calibrated bound 5.
    calibrated
        Whether the process models log losses.
    refit
        As in `BoundSettings`: the paper's rules search for hyperparameters at every check, which is 0.
    """
    settings, reader = BoundSettings(share=share, calibrated=calibrated, refit=refit), reader_of(study, name)
    fits = Fits(reader, settings.fit, settings.seed)
    x, losses = features_of(study, name, dataset, run), record().runs[study, name]["loss"][dataset, run]
    losses = np.log(losses) if calibrated else losses
    times = (UNDIVIDED if calibrated else 1.0) if factor is None else factor
    d = sum(h.size > 1 for h in reader.space)
    rows: list[list[float]] = []
    for t in checks:
        usable = UsableTrials(x[:t], losses[:t], "")
        indices, searched = scheduled_parts(usable.losses, settings.share, settings.at_least, settings.refit)
        surrogate = fits(usable, indices, searched)
        if surrogate is None:
            rows.append([float("nan")] * len(COLUMNS))
            continue
        beta = times * confidence_factor(d, len(indices))
        ends, surrogate = settled_bound(fits, surrogate, _candidates(study, name), beta)
        (process,) = surrogate.processes
        inflation = float(np.sqrt(np.mean(process.left_out() ** 2)))
        wider = bound_ends(surrogate, _candidates(study, name), beta * inflation**2) if inflation > 1.0 else ends
        bounds = [ends_apart(each, calibrated) for each in (ends, wider)]
        rows.append([bounds[0], neighbour_correlation(process), inflation, bounds[1]])
    return rows


def gridded(parts: list[Any], shape: tuple[int, int], checks: list[int], length: int) -> dict[str, np.ndarray]:
    """(dataset, run, evaluation) arrays of each column from the parts of all runs, NaN where nothing was checked."""
    values = np.array(parts, dtype=float).reshape(*shape, len(checks), len(COLUMNS))
    arrays = {}
    for i, column in enumerate(COLUMNS):
        arrays[column] = np.full((*shape, length), np.nan)
        arrays[column][:, :, checks] = values[..., i]
    return arrays
