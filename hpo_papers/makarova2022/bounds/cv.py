"""Own bounds on all recorded runs with cross-validation, and the rule of our default on arrays of runs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hpo_papers.frame.work import Work
from hpo_papers.makarova2022.bounds.own import bounds_along, gridded
from hpo_papers.makarova2022.record import rules
from hpo_papers.makarova2022.record.contents import ALGORITHMS, Runs, record

CHECKS = list(range(20, 200))
LENGTH = 200
N_DATASETS = 19
SECONDS = 70.0  # CPU time of one run on each dataset, both algorithms


class FollowingRule(NamedTuple):
    """A threshold that follows the incumbent: scale on eq. 9, first check, checks in a row, least correlation."""

    scale: float = 3.5
    warm_up: int = 28
    checks: int = 3
    correlation: float = 0.1


DEFAULT = FollowingRule()


def own_bounds(work: Work, n_runs: int, calibrated: bool = False) -> dict[str, dict[str, np.ndarray]]:
    """Arrays (dataset, run, evaluation) of `own.COLUMNS` by algorithm, of the first runs on each dataset."""
    checks, datasets = work.thinned(CHECKS, 3), work.thinned(range(N_DATASETS), 3)
    options = (0.5, None, True) if calibrated else ()
    keys = [(name, dataset, run) for name in ALGORITHMS for dataset in datasets for run in range(n_runs)]
    order = sorted(keys, key=lambda key: (key[2], key[0], key[1]))  # whole runs first, so that a cut leaves them
    found = work.parts(bounds_along, [("cv", *key, checks, *options) for key in order])
    parts = dict(zip(order, found, strict=True))
    return {
        name: gridded([parts[key] for key in keys if key[0] == name], (len(datasets), n_runs), checks, LENGTH)
        for name in ALGORITHMS
    }


def cv_runs(work: Work, name: str, n_runs: int) -> Runs:
    """The first recorded runs of an algorithm on each dataset."""
    runs, datasets = record().runs["cv", name].subset(n_runs), work.thinned(range(N_DATASETS), 3)
    names = tuple(runs.datasets[i] for i in datasets)
    return Runs(runs.study, runs.name, names, {key: array[datasets] for key, array in runs.arrays.items()})


def following_stops(
    runs: Runs, bounds: np.ndarray, rule: FollowingRule = DEFAULT, correlations: np.ndarray | None = None
) -> np.ndarray:
    """(dataset, run) stops of a rule; without correlations every bound is trusted."""
    thresholds = rule.scale * rules.fold_thresholds(runs["loss"], runs["folds"], 20, frozen=False)
    if correlations is not None:
        bounds = np.where(correlations >= rule.correlation, bounds, np.inf)
    return rules.bound_stops(bounds, thresholds, rule.warm_up, rule.checks)
