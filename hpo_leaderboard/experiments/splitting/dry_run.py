"""`dry_run`: what an experiment would run, before anything is run."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import NamedTuple

import numpy as np

from hpo_leaderboard.experiments.experiment import missing_from
from hpo_leaderboard.experiments.jobs import Jobs
from hpo_leaderboard.experiments.plan import make_plan
from hpo_leaderboard.experiments.splitting.estimates import Estimate, Overhead, Shard, estimate, jobs_of_shard
from hpo_leaderboard.experiments.suite import Suite
from hpo_leaderboard.store.store import reading


class ExpectedRuns(NamedTuple):
    """Runs of an optimizer.

    n_runs       runs that are asked for
    n_present    those that the store holds already
    cpu_seconds  that the others are expected to take
    sources      what the estimate rests on, with the number of runs
    """

    optimizer: str
    n_runs: int
    n_present: int
    cpu_seconds: float
    sources: dict[str, int]


class DryRun(NamedTuple):
    """What would be run by each optimizer; a line for what is left out and why, and for what is not estimated."""

    optimizers: list[ExpectedRuns]
    left_out: list[str]


def dry_run(suite: Suite, store_path: str | Path, shard: Shard | None = None) -> DryRun:
    """What running a suite, or a shard of it, into a store would do; the store need not be there."""
    plan = make_plan(suite)
    jobs = plan.jobs if shard is None else jobs_of_shard(plan.jobs, shard)
    missing, recorded = _stored(Path(store_path), jobs)
    n_asked, n_missing = (
        np.bincount(own.pair_of_each(), minlength=len(jobs.pairs)).tolist() for own in (jobs, missing)
    )
    expected: dict[str, ExpectedRuns] = {}
    for pair, asked, left in zip(jobs.pairs, n_asked, n_missing, strict=True):
        if asked:
            before = expected.get(pair.optimizer.label, ExpectedRuns(pair.optimizer.label, 0, 0, 0.0, {}))
            expected[pair.optimizer.label] = _with(before, asked, left, estimate(pair, recorded))
    not_timed = [f"evaluations of {label} train on demand: their time is not estimated" for label in plan.costly]
    return DryRun(list(expected.values()), [*plan.lost, *plan.unfit, *not_timed])


def _with(before: ExpectedRuns, n_asked: int, n_missing: int, each: Estimate) -> ExpectedRuns:
    """What is expected of an optimizer, with the runs on one more benchmark."""
    return before._replace(
        n_runs=before.n_runs + n_asked,
        n_present=before.n_present + n_asked - n_missing,
        cpu_seconds=before.cpu_seconds + n_missing * each.seconds,
        sources=dict(Counter(before.sources) + Counter({each.source: n_missing})),
    )


def missing_jobs(suite: Suite, store_path: str | Path) -> Jobs:
    """Jobs of a suite whose runs a store does not hold."""
    with reading(store_path) as store:
        return missing_from(store, make_plan(suite).jobs)


def _stored(path: Path, jobs: Jobs) -> tuple[Jobs, dict[tuple[str, str], Overhead]]:
    """Those of the jobs that a store does not hold, and its overheads."""
    if not path.exists():
        return jobs, {}
    with reading(path) as store:
        return missing_from(store, jobs), store.overheads()
