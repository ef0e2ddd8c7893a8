"""Own bounds along recorded runs on tables: as the authors' rule has them, and as our default has them."""

from __future__ import annotations

from typing import Any

import numpy as np

from baselines.stopping.parts.bound_checks import LEAST_CORRELATION, REGRET_BOUND
from hpo_papers.frame.work import Work
from hpo_papers.makarova2022.bounds.own import bounds_along, gridded
from hpo_papers.makarova2022.record.contents import WARM_UP, record

DEFAULT = REGRET_BOUND["default"]


def authors_bounds(work: Work, study: str, name: str) -> np.ndarray:
    """(dataset, run, evaluation) bounds with a search for hyperparameters at every check, NaN without a check."""
    return _columns(work, study, name, WARM_UP[study], ())["bound"]


def default_bounds(work: Work, study: str, name: str) -> np.ndarray:
    """(dataset, run, evaluation) bounds of our default, infinite where it does not trust the model."""
    settings = DEFAULT.settings
    options = (settings.share, None, settings.calibrated, settings.refit)
    found = _columns(work, study, name, DEFAULT.warm_up, options)
    return np.where(found["correlation"] < LEAST_CORRELATION, np.inf, found["bound"])


def _columns(work: Work, study: str, name: str, first: int, options: tuple[Any, ...]) -> dict[str, np.ndarray]:
    n_datasets, _, length = record().runs[study, name]["loss"].shape
    checks = work.thinned(range(first, length), 3)
    calls = [(study, name, d, run, checks, *options) for d in range(n_datasets) for run in range(work.runs)]
    return gridded(work.parts(bounds_along, calls), (n_datasets, work.runs), checks, length)
