"""`Workers`: where the parts of all items are computed, one set of processes for as long as items are computed."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Executor, Future, ProcessPoolExecutor
from contextlib import ExitStack
from multiprocessing import get_context
from threading import Lock
from typing import Any

from hpo_core.cores import usable_cores
from hpo_core.errors import UnknownName, nearest
from hpo_leaderboard.engines import ENGINES
from hpo_leaderboard.engines.threads import one_thread

Call = tuple[Any, ...]  # plain arguments
Part = tuple[Any, float]  # result of a call, CPU seconds


class Workers:
    """Computes parts; `submit` may be called from several threads.

    Parameters
    ----------
    engine
        "serial", "processes" or "dask".
    processes
        How many parts are computed at the same time; None for one per core.
    """

    def __init__(self, engine: str = "serial", processes: int | None = None):
        if engine not in ENGINES:
            raise UnknownName(f"no engine {engine!r}{nearest(engine, ENGINES)}")
        self.engine = engine
        self.processes = 1 if engine == "serial" else processes or usable_cores()
        self._closing = ExitStack()
        self._lock = Lock()
        self._executor: Executor | None = None
        self._submitted: dict[str, Future[Part]] = {}

    def submit(self, key: str, function: Callable[..., Any], call: Call) -> Future[Part]:
        """Result of a call and its CPU seconds, later.

        A key that was submitted before is not computed again: it has the same result, and no seconds of its own.
        Serial ones are computed now, in this thread.
        """
        if self.engine == "serial":
            finished: Future[Part] = Future()
            finished.set_result(timed(function, call))
            return finished
        with self._lock:
            if self._executor is None:
                self._executor = self._started()
            if key in self._submitted:
                return without_seconds(self._submitted[key])
            self._submitted[key] = self._executor.submit(timed, function, call)
            return self._submitted[key]

    def close(self) -> None:
        """End when the parts that have begun are computed; the others are dropped."""
        self._closing.close()

    def _started(self) -> Executor:
        if self.engine == "dask":
            from distributed import Client

            client = Client(n_workers=self.processes, threads_per_worker=1, dashboard_address=None)
            self._closing.callback(client.close)
            return client.get_executor()
        pool = ProcessPoolExecutor(self.processes, mp_context=get_context("spawn"))
        self._closing.callback(pool.shutdown, wait=True, cancel_futures=True)
        return pool


def without_seconds(future: Future[Part]) -> Future[Part]:
    """Another future with the same result, whose seconds are 0."""
    copied: Future[Part] = Future()

    def copy(done: Future[Part]) -> None:
        error = CancelledError() if done.cancelled() else done.exception()
        if error is None:
            copied.set_result((done.result()[0], 0.0))
        else:
            copied.set_exception(error)

    future.add_done_callback(copy)
    return copied


def timed(function: Callable[..., Any], call: Call) -> Part:
    """Result of a call with one thread, and its CPU seconds."""
    with one_thread():
        start = time.process_time()
        result = function(*call)
        return result, time.process_time() - start
