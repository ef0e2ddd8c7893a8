"""Engine that executes jobs in several processes on this machine, and starts anew those that die."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from queue import Empty, SimpleQueue

from hpo_core.errors import InvalidOption
from hpo_leaderboard.engines.worker import WorkerClosed, WorkerProcess
from hpo_leaderboard.experiments.execution import FinishedRun
from hpo_leaderboard.experiments.job import Job


class ProcessesEngine:
    """Jobs in `n_processes` processes at the same time; one that takes over `timeout` seconds is given up."""

    def __init__(self, n_processes: int, timeout: float | None):
        if n_processes < 1:
            raise InvalidOption(f"the number of processes must be at least 1, got {n_processes}")
        if timeout is not None and not timeout > 0:
            raise InvalidOption(f"the time-out must be a number of seconds above 0 or None, got {timeout}")
        self._n_processes = n_processes
        self._timeout = timeout

    def results(self, jobs: Iterable[Job]) -> Iterator[tuple[Job, FinishedRun]]:
        waiting: SimpleQueue[Job] = SimpleQueue()
        n_jobs = 0
        for job in jobs:
            waiting.put(job)
            n_jobs += 1
        finished: SimpleQueue[tuple[Job, FinishedRun] | BaseException] = SimpleQueue()
        workers = [WorkerProcess() for _ in range(min(self._n_processes, n_jobs))]
        for worker in workers:
            arguments = (worker, waiting, finished, self._timeout)
            threading.Thread(target=_work, args=arguments, daemon=True).start()
        try:
            for _ in range(n_jobs):
                result = finished.get()
                if isinstance(result, BaseException):
                    raise result
                yield result
        finally:
            for worker in workers:
                worker.close()


def _work(
    worker: WorkerProcess,
    waiting: SimpleQueue[Job],
    finished: SimpleQueue[tuple[Job, FinishedRun] | BaseException],
    timeout: float | None,
) -> None:
    """Take jobs to one worker until none is left. Runs in a thread."""
    try:
        while True:
            job = waiting.get_nowait()
            finished.put((job, worker.run(job, timeout)))
    except (Empty, WorkerClosed):
        worker.close()
    except BaseException as error:
        finished.put(error)
