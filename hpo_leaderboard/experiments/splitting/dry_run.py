"""`dry_run`: what an experiment would run, before anything is run."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import NamedTuple

from hpo_leaderboard.experiments.job import Job
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
    settled, recorded = _stored(Path(store_path))
    by_label: dict[str, list[Job]] = {}
    for job in jobs:
        by_label.setdefault(job.optimizer.label, []).append(job)
    expected = []
    for label, own in by_label.items():
        estimates: list[Estimate] = [estimate(job, recorded) for job in own if job.key not in settled]
        seconds = sum(each.seconds for each in estimates)
        sources = dict(Counter(each.source for each in estimates))
        expected.append(ExpectedRuns(label, len(own), len(own) - len(estimates), seconds, sources))
    not_timed = [f"evaluations of {label} train on demand: their time is not estimated" for label in plan.costly]
    return DryRun(expected, [*plan.lost, *plan.unfit, *not_timed])


def missing_jobs(suite: Suite, store_path: str | Path) -> list[Job]:
    """Jobs of a suite whose runs a store does not hold."""
    with reading(store_path) as store:
        settled = store.settled()
    return [job for job in make_plan(suite).jobs if job.key not in settled]


def _stored(path: Path) -> tuple[dict[str, bytes], dict[tuple[str, str], Overhead]]:
    if not path.exists():
        return {}, {}
    with reading(path) as store:
        return store.settled(), store.overheads()
