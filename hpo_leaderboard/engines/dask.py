"""Engine that executes jobs on a Dask cluster: one on this machine, or one that runs already (SLURM, Kubernetes...).

Each thread of a Dask worker has its own worker process (`hpo_leaderboard.engines.worker`), so that an optimizer
that hangs or crashes never takes the Dask worker along, and time-outs, retries and thread limits are those of
the engine `processes`. A job whose Dask worker died goes to another one.
"""

from __future__ import annotations

import math
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from hpo_core.errors import HpoError, MissingExtra
from hpo_leaderboard.engines.resolution import check_names
from hpo_leaderboard.engines.worker import RETRIES, WorkerFailed, WorkerProcess
from hpo_leaderboard.experiments.execution import FinishedRun, broken_run
from hpo_leaderboard.experiments.job import Job

if TYPE_CHECKING:
    from distributed import Client, Future

AHEAD = 4  # jobs per thread of the cluster that lie there, so that none waits for the coordinator
LOOK_AGAIN = 5.0  # seconds after which the cluster is asked for its size again


class ClusterLost(HpoError, ConnectionError):
    """A Dask scheduler that cannot be reached, at the start or any more."""


class DaskEngine:
    """Jobs on the cluster of the scheduler at `address`, or else on a new one with `n_processes` workers here."""

    def __init__(self, address: str | None, n_processes: int, timeout: float | None):
        self._address = address
        self._n_processes = n_processes
        self._timeout = timeout

    def check(self, jobs: Iterable[Job]) -> None:
        """Raise `InvalidOption` for jobs with names that only this process knows."""
        check_names(jobs)

    def results(self, jobs: Iterable[Job]) -> Iterator[tuple[Job, FinishedRun]]:
        with ExitStack() as stack:
            client = self._client(stack)
            print(f"Dask dashboard: {client.dashboard_link}", file=sys.stderr)
            yield from _run(client, iter(jobs), self._timeout)

    def _client(self, stack: ExitStack) -> Client:
        try:
            from distributed import Client, LocalCluster
        except ImportError:
            raise MissingExtra("distributed", "dask") from None
        where: Any = self._address
        if where is None:
            where = stack.enter_context(LocalCluster(n_workers=self._n_processes, threads_per_worker=1))
        try:
            return stack.enter_context(Client(where))
        except (OSError, TimeoutError) as error:
            raise ClusterLost(
                f"no Dask scheduler answers at {where} ({error}); start one with `dask scheduler`"
            ) from None


def _run(client: Client, jobs: Iterator[Job], timeout: float | None) -> Iterator[tuple[Job, FinishedRun]]:
    from distributed import as_completed

    waiting = chain(jobs)
    submitted: dict[Any, Job] = {}
    deaths: Counter[str] = Counter()
    completed = as_completed(loop=client.loop)
    size = _Size(client)
    while True:
        for job in islice(waiting, max(AHEAD * size.n_threads() - len(submitted), 0)):
            future = client.submit(run_on_worker, job, timeout, pure=False)
            submitted[future.key] = job
            completed.add(future)
        if not submitted:
            return
        future = next(completed)
        job = submitted.pop(future.key)
        finished = finished_run(client, future, job, deaths)
        if finished is None:
            waiting = chain([job], waiting)
        else:
            yield job, finished


class _Size:
    """Number of threads of a cluster, which may grow and shrink."""

    def __init__(self, client: Client):
        self._client = client
        self._asked = -math.inf
        self._n_threads = 1

    def n_threads(self) -> int:
        """As it was at most some seconds ago, at least 1."""
        if time.monotonic() - self._asked > LOOK_AGAIN:
            self._n_threads = max(sum(self._client.nthreads().values()), 1)
            self._asked = time.monotonic()
        return self._n_threads


def finished_run(client: Client, future: Future, job: Job, deaths: Counter[str]) -> FinishedRun | None:
    """The finished run; None if it has to be submitted again."""
    from concurrent.futures import CancelledError

    from distributed import KilledWorker

    try:
        return future.result()
    except KilledWorker:
        deaths[job.key] += 1
        if deaths[job.key] <= RETRIES:
            return None
        text = f"LostWorker: Dask gave it up {deaths[job.key]} times, since the Dask workers that ran it died"
        return broken_run(job, text, settled=False)
    except (CancelledError, OSError) as error:
        raise ClusterLost(
            f"the Dask scheduler at {client.scheduler.address if client.scheduler else 'its address'} is gone "
            f"({type(error).__name__}); finished runs are stored, the same command goes on once it is back"
        ) from None
    except Exception as error:
        raise WorkerFailed(
            f"a Dask worker cannot execute jobs ({type(error).__name__}: {error}); it needs the hpo-foundry, the "
            "optimizers and the tables that are installed here"
        ) from None


_mine = threading.local()


def run_on_worker(job: Job, timeout: float | None) -> FinishedRun:
    """The finished run of a job, from the worker process that belongs to this thread. Runs on a Dask worker."""
    if not hasattr(_mine, "worker"):
        _mine.worker = WorkerProcess()
    return _mine.worker.run(job, timeout)
