"""Engine that executes jobs in several processes on this machine, and starts anew those that die."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from queue import SimpleQueue

from hpo_core.errors import InvalidOption
from hpo_leaderboard.engines.resolution import check_names
from hpo_leaderboard.engines.worker import WorkerClosed, WorkerProcess
from hpo_leaderboard.experiments.execution import FinishedRun
from hpo_leaderboard.experiments.job import Job

Finished = SimpleQueue[tuple[Job, FinishedRun] | BaseException | None]


class ProcessesEngine:
    """Jobs in `n_processes` processes at the same time; one that takes over `timeout` seconds is given up.

    A job is taken from the iterable when a process is free for it.
    """

    def __init__(self, n_processes: int, timeout: float | None):
        if n_processes < 1:
            raise InvalidOption(f"the number of processes must be at least 1, got {n_processes}")
        if timeout is not None and not timeout > 0:
            raise InvalidOption(f"the time-out must be a number of seconds above 0 or None, got {timeout}")
        self._n_processes = n_processes
        self._timeout = timeout

    def check(self, jobs: Iterable[Job]) -> None:
        """Raise `InvalidOption` for jobs with names that only this process knows."""
        check_names(jobs)

    def results(self, jobs: Iterable[Job]) -> Iterator[tuple[Job, FinishedRun]]:
        waiting = _Shared(jobs)
        finished: Finished = SimpleQueue()
        workers = [WorkerProcess() for _ in range(self._n_processes)]  # a process starts with its first job
        for worker in workers:
            arguments = (worker, waiting, finished, self._timeout)
            threading.Thread(target=_work, args=arguments, daemon=True).start()
        n_working = len(workers)
        try:
            while n_working:
                result = finished.get()
                if isinstance(result, BaseException):
                    raise result
                if result is None:
                    n_working -= 1
                else:
                    yield result
        finally:
            for worker in workers:
                worker.close()


class _Shared:
    """Jobs that several threads take from."""

    def __init__(self, jobs: Iterable[Job]):
        self._jobs = iter(jobs)
        self._lock = threading.Lock()

    def take(self) -> Job | None:
        """The next job, None after the last."""
        with self._lock:
            return next(self._jobs, None)


def _work(worker: WorkerProcess, waiting: _Shared, finished: Finished, timeout: float | None) -> None:
    """Take jobs to one worker until none is left, then put None. Runs in a thread."""
    try:
        while (job := waiting.take()) is not None:
            finished.put((job, worker.run(job, timeout)))
    except WorkerClosed:
        pass
    except BaseException as error:
        finished.put(error)
    worker.close()
    finished.put(None)
