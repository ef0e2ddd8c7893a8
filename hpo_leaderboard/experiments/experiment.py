"""`run_experiment`: a suite in, its runs in a store. What is there already is not run again."""

from __future__ import annotations

import platform
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np

from hpo_leaderboard.experiments.execution import FinishedRun
from hpo_leaderboard.experiments.job import Job
from hpo_leaderboard.experiments.jobs import Jobs
from hpo_leaderboard.experiments.plan import make_plan
from hpo_leaderboard.experiments.splitting.estimates import Shard, jobs_of_shard
from hpo_leaderboard.experiments.splitting.walltime import Walltime
from hpo_leaderboard.experiments.suite import Suite
from hpo_leaderboard.store.file.rows import StoredSuite
from hpo_leaderboard.store.store import Store, writing

BATCH_SECONDS = 0.5  # how long finished runs wait for their transaction; a killed coordinator loses no more than these
BATCH_RUNS = 500


class Engine(Protocol):
    """Executes jobs, in any order, wherever it likes; every job comes back exactly once.

    It may have a method `check(jobs)`, which raises before anything is run for jobs that its workers cannot run.
    """

    def results(self, jobs: Iterable[Job]) -> Iterator[tuple[Job, FinishedRun]]: ...


class Outcome(NamedTuple):
    """Outcome of an experiment.

    n_asked    runs of the suite
    n_present  those that were in the store before
    failures   why runs broke that were run now, in words, with how many of them
    n_open     of these, how many broke by circumstances and are tried again when asked for again
    lost       benchmarks that could not be opened
    digest     of the store afterwards
    n_left     runs that were not started, since they were expected to end after the walltime
    """

    n_asked: int
    n_present: int
    failures: dict[str, int]
    n_open: int
    lost: list[str]
    digest: str
    n_left: int


def run_experiment(
    suite: Suite,
    store_path: str | Path,
    engine: Engine,
    *,
    announce: Callable[[str], None] = lambda line: None,
    progress: bool | None = False,
    shard: Shard | None = None,
    walltime: float | None = None,
) -> Outcome:
    """Outcome of running those runs of a suite that a store does not hold yet, and storing them.

    Parameters
    ----------
    suite
        What to run.
    store_path
        An SQLite file, made if need be.
    engine
        One of `hpo_leaderboard.engines`; the stored runs are the same with each.
    announce
        Called with each line that a user should see before the runs start.
    progress
        Whether a progress bar is shown; None shows it on a terminal.
    shard
        The part of the suite that is run here, see `jobs_of_shard`; None is all of it.
    walltime
        Seconds after which no run should be running any more, None for no end. A run that is expected to take longer is
        not started; one that was started is finished.
    """
    clock = Walltime(walltime)
    check = getattr(engine, "check", None)
    with writing(store_path) as store:
        plan = make_plan(suite)
        if check is not None:
            check(plan.jobs.pairs)  # what workers have to find is the same with each seed
        for line in (*plan.lost, *plan.unfit):
            announce(line)
        store.add_tasks(plan.tasks, _about(suite))
        store.add_suites([StoredSuite(suite.name, suite.version, suite.scoring)])
        asked = plan.jobs if shard is None else jobs_of_shard(plan.jobs, shard)
        missing = missing_from(store, asked)
        failures, n_open = _run(_Batch(store), engine, missing, len(asked), clock, progress)
        n_present = len(asked) - len(missing)
        return Outcome(len(asked), n_present, failures, n_open, plan.lost, store.digest(), clock.n_left)


def missing_from(store: Store, jobs: Jobs) -> Jobs:
    """Those of the jobs whose runs are not settled in a store."""
    are_missing = (store.digest_of(key) is None for key in jobs.each_key())
    return jobs.only(np.fromiter(are_missing, dtype=bool, count=len(jobs)))


def _about(suite: Suite) -> dict[str, str]:
    return {
        "suite": f"{suite.name}, version {suite.version}",
        "hpo-foundry": version("hpo-foundry"),
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "machine": platform.machine(),
    }


def _run(
    batch: _Batch, engine: Engine, jobs: Jobs, n_asked: int, clock: Walltime, progress: bool | None
) -> tuple[dict[str, int], int]:
    """Run the jobs that end in time and store them.

    Parameters
    ----------
    batch
        Takes the finished runs.
    engine
        Executes the jobs.
    jobs
        What is run.
    n_asked
        Number of runs that the progress bar ends with.
    clock
        Says which jobs may be started.
    progress
        Whether a progress bar is shown; None shows it on a terminal.

    Returns
    -------
    tuple
        Why runs broke, with counts, and how many of these are not settled.
    """
    from tqdm import tqdm

    failures: Counter[str] = Counter()
    n_open = 0
    disable = None if progress is None else not progress
    with tqdm(total=n_asked, initial=n_asked - len(jobs), unit="run", disable=disable, smoothing=0.05) as bar:
        try:
            for job, finished in engine.results(clock.in_time(jobs)):
                clock.finished(job)
                batch.add(job, finished)
                if finished.failure is not None:
                    failures[f"{job.optimizer.label} on {job.benchmark.label}: {finished.failure}"] += 1
                    n_open += not finished.settled
                    bar.set_postfix_str(f"{failures.total()} broke", refresh=False)
                bar.update()
        finally:
            batch.flush()
    return dict(failures.most_common()), n_open


class _Batch:
    """Finished runs that wait for their transaction."""

    def __init__(self, store: Store):
        self._store = store
        self._waiting: list[tuple[Job, FinishedRun]] = []
        self._since = time.monotonic()

    def add(self, job: Job, finished: FinishedRun) -> None:
        self._waiting.append((job, finished))
        if len(self._waiting) >= BATCH_RUNS or time.monotonic() - self._since >= BATCH_SECONDS:
            self.flush()

    def flush(self) -> None:
        waiting, self._waiting = self._waiting, []  # taken out first: what cannot be stored is not tried twice
        self._store.add(waiting)
        self._since = time.monotonic()
