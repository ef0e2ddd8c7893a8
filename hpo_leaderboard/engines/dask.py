"""Engine that executes jobs on a Dask cluster: one on this machine, or one that runs already (SLURM, Kubernetes...).

Each thread of a Dask worker has its own worker process (`hpo_leaderboard.engines.worker`), so that an optimizer
that hangs or crashes never takes the Dask worker along, and time-outs, retries and thread limits are those of
the engine `processes`. A job whose Dask worker died goes to another one.
"""

from __future__ import annotations

import sys
import threading
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from hpo_core.clusters import ClusterLost, FinishedFutures, TlsFiles, check_address, connected, dashboard
from hpo_core.errors import InvalidOption
from hpo_leaderboard.engines.resolution import Asked, asked_of, check_names, complaints
from hpo_leaderboard.engines.worker import RETRIES, WorkerFailed, WorkerProcess
from hpo_leaderboard.experiments.execution import FinishedRun, broken_run
from hpo_leaderboard.experiments.job import Job

if TYPE_CHECKING:
    from distributed import Client, Future

AHEAD = 4  # jobs per thread of the cluster that lie there, so that none waits for the coordinator


class DaskEngine:
    """Jobs on the cluster of the scheduler at `address`, or else on a new one with `n_processes` workers here."""

    def __init__(self, address: str | None, n_processes: int, timeout: float | None, tls: TlsFiles | None = None):
        if address is not None:
            check_address(address, tls)
        elif tls is not None:
            raise InvalidOption("files for encryption go with the address of a scheduler, got none")
        self._address = address
        self._n_processes = n_processes
        self._timeout = timeout
        self._tls = tls
        self._asked: Asked | None = None

    def check(self, jobs: Iterable[Job]) -> None:
        """Raise `InvalidOption` for jobs with names that only this process knows; the workers are asked for theirs
        before the first job."""
        asked = list(jobs)
        check_names(asked)
        self._asked = asked_of(asked)

    def results(self, jobs: Iterable[Job]) -> Iterator[tuple[Job, FinishedRun]]:
        with connected(self._address, self._n_processes, self._tls) as client:
            print(f"Dask dashboard: {dashboard(client, self._address)}", file=sys.stderr)
            if self._asked is not None and self._address is not None:
                _ask(client, self._asked)
            experiment = uuid.uuid4().hex
            is_lost = False
            try:
                yield from _run(client, iter(jobs), self._timeout, experiment)
            except ClusterLost:
                is_lost = True  # there is nobody to tell, and asking takes long
                raise
            finally:
                if not is_lost:
                    with suppress(Exception):
                        client.run(end_processes, experiment)


def _ask(client: Client, asked: Asked) -> None:
    """Raise `InvalidOption` if a worker of the cluster cannot find what it is to run, or finds something else."""
    said: Counter[str] = Counter()
    try:
        for lines in client.run(complaints, asked).values():
            said.update(lines)
    except Exception as error:
        raise _unable(error) from None
    if said:
        lines = [line if count == 1 else f"{line} (on {count} workers)" for line, count in said.items()]
        raise InvalidOption(
            f"workers of the Dask cluster must find what they run, and the same as here: {'; '.join(lines)}. Install "
            "it there, or put its directory on their PYTHONPATH, or use another engine. Nothing was run"
        )


def _run(
    client: Client, jobs: Iterator[Job], timeout: float | None, experiment: str
) -> Iterator[tuple[Job, FinishedRun]]:
    waiting = chain(jobs)
    submitted: dict[Any, Job] = {}
    deaths: Counter[str] = Counter()
    futures = FinishedFutures(client)
    while True:
        for job in islice(waiting, max(AHEAD * futures.n_threads() - len(submitted), 0)):
            future = client.submit(run_on_worker, job, timeout, experiment, pure=False)
            submitted[future.key] = job
            futures.add(future)
        if not submitted:
            return
        future = futures.take()
        job = submitted.pop(future.key)
        finished = finished_run(client, future, job, deaths)
        if finished is None:
            waiting = chain([job], waiting)
        else:
            yield job, finished


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
        raise _unable(error) from None


def _unable(error: Exception) -> WorkerFailed:
    return WorkerFailed(
        f"a Dask worker cannot execute jobs ({type(error).__name__}: {error}); it needs the hpo-foundry, the "
        "optimizers and the tables that are installed here"
    )


# --- on a Dask worker ------------------------------------------------------------------------------------------------

_processes: dict[tuple[str, int], WorkerProcess] = {}  # by experiment and thread
_lock = threading.Lock()


def run_on_worker(job: Job, timeout: float | None, experiment: str) -> FinishedRun:
    """The finished run of a job, from the worker process that this thread has for an experiment.

    Each experiment has processes of its own: those of an earlier one may hold modules and files that changed since.
    """
    with _lock:
        process = _processes.setdefault((experiment, threading.get_ident()), WorkerProcess())
    return process.run(job, timeout)


def end_processes(experiment: str) -> None:
    """End the processes that ran jobs of an experiment."""
    with _lock:
        ended = [_processes.pop(key) for key in list(_processes) if key[0] == experiment]
    for process in ended:
        process.close()
