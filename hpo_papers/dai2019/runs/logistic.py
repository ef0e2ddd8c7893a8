"""Runs of BO-BOS on logistic regression, which figs 1, 7 and 8 share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from hpo_papers.dai2019.runs.followed import follow
from hpo_papers.frame.work import Work

BENCHMARK = "lr-optdigits"
N, N0 = 50, 8
RATES = {"K1 / 0.89": 0.89, "K1 / 0.95": 0.95, "K1 / 0.99": 0.99, "K1 fixed": 1.0}
INITIAL = 300  # epochs of the six initial trainings
RESOLVED = ("baselines.curves.bo_bos", "baselines.bayesian.gp_ucb")
SMALL = "With a single run it is a short one, of 400 epochs and 1,000 simulated curves."


class Size(NamedTuple):
    """Epochs of a run and simulated curves of a rule."""

    epochs: int
    n_paths: int


def size_of(work: Work) -> Size:
    """As in the paper; a single run is a short one, to see whether all works."""
    return Size(2000, 100_000) if work.runs > 1 else Size(400, 1000)


def seconds(runs: int) -> float:
    """CPU seconds of `stopping_runs`."""
    return 10.0 * runs if runs > 1 else 0.5


def stopping_runs(work: Work, rate: float = 0.95) -> list[dict[str, Any]]:
    """Followed runs of BO-BOS that stops as the authors' code does, one for each seed."""
    epochs, n_paths = size_of(work)
    options = {"variant": "reference-code", "rate": rate, "n_paths": n_paths}
    return work.parts(follow, [(BENCHMARK, "bo-bos", options, seed, epochs) for seed in range(work.runs)])


def stopped_and_complete(run: Mapping[str, Any]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Trainings after the six initial ones: those that were stopped, and those that ran to the end."""
    later = run["trainings"][INITIAL // N :]
    return [each for each in later if each["n"] < N], [each for each in later if each["n"] >= N]
