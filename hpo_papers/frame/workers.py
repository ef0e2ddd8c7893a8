"""`Workers`: where the parts of all items are computed, one set of processes for as long as items are computed."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import ExitStack
from multiprocessing import get_context
from threading import Lock
from typing import Any

from hpo_core.cores import usable_cores
from hpo_core.errors import UnknownName, nearest
from hpo_leaderboard.engines import ENGINES
from hpo_leaderboard.engines.threads import one_thread

Call = tuple[Any, ...]  # plain arguments


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
        self._submitted: dict[str, Future[tuple[Any, float]]] = {}

    def submit(self, key: str, function: Callable[..., Any], call: Call) -> Future[tuple[Any, float]]:
        """Result and CPU seconds of a call, later; of a key that was submitted before the same one.

        Serial ones are computed now, in this thread.
        """
        if self.engine == "serial":
            finished: Future[tuple[Any, float]] = Future()
            finished.set_result(timed(function, call))
            return finished
        with self._lock:
            if self._executor is None:
                self._executor = self._started()
            if key not in self._submitted:
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


def timed(function: Callable[..., Any], call: Call) -> tuple[Any, float]:
    """Result of a call with one thread, and its CPU seconds."""
    with one_thread():
        start = time.process_time()
        result = function(*call)
        return result, time.process_time() - start
