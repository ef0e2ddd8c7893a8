"""`Work`: what an item's computation is given: how many runs to make, a cache of its parts, where they are computed.

    numbers = work.parts(mean_regret, [(name, seed) for name in NAMES for seed in range(work.runs)])

Each part is a call of a function of a module with plain arguments. What is in the store is not computed again, so a
computation that was killed goes on where it stopped.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeVar

from hpo_core.cores import usable_cores
from hpo_core.errors import HpoError, UnknownName, nearest
from hpo_leaderboard.engines import ENGINES, make_engine
from hpo_leaderboard.engines.threads import one_thread
from hpo_leaderboard.experiments.suite import Suite
from hpo_papers.frame.inputs import inputs_digest
from hpo_papers.frame.part_store import PartStore, part_key

T = TypeVar("T")
Call = tuple[Any, ...]  # plain arguments


class OutOfTime(HpoError, TimeoutError):
    """The time given is over; what is finished is kept."""


class Work:
    """The surroundings of a computation.

    Parameters
    ----------
    store
        Where parts are kept.
    directory
        For files of an item's own, such as stores of runs.
    runs
        Repetitions to compute.
    engine, processes
        Where parts are computed: "serial", "processes" or "dask", and how many at the same time.
    deadline
        Of `time.monotonic`, after which no part is started; None for never.
    resolved
        See `Item`.
    smallest
        Whether `thinned` leaves only a few, for tests.
    progress
        Called after each part with the number of finished ones and of all.
    """

    def __init__(
        self,
        store: PartStore,
        directory: Path,
        runs: int,
        *,
        engine: str = "serial",
        processes: int | None = None,
        deadline: float | None = None,
        resolved: tuple[str, ...] = (),
        smallest: bool = False,
        progress: Callable[[int, int], Any] = lambda done, total: None,
    ):
        if engine not in ENGINES:
            raise UnknownName(f"no engine {engine!r}{nearest(engine, ENGINES)}")
        self.runs, self.directory, self.engine = runs, directory, engine
        self._store, self._processes, self._deadline = store, processes or usable_cores(), deadline
        self._resolved, self._smallest, self._progress = resolved, smallest, progress

    def thinned(self, values: Sequence[T], n: int) -> list[T]:
        """The values; of an item at its smallest size, n of them from the first to the last."""
        if not self._smallest or n >= len(values):
            return list(values)
        return [values[round(i * (len(values) - 1) / (n - 1))] for i in range(n)]

    def parts(self, function: Callable[..., Any], calls: Sequence[Call]) -> list[Any]:
        """Results of a function for each of some arguments, in their order, computed where they are not in the store.

        The function is a module's own, its arguments and its result are plain data.
        """
        name = f"{function.__module__}:{function.__qualname__}"
        digest = inputs_digest(function.__module__, self._resolved)
        keys = [part_key(name, list(call), digest) for call in calls]
        known = {key: self._store.get(key) for key in keys}
        missing = {key: call for key, call in zip(keys, calls, strict=True) if known[key] is None}
        self._progress(len(known) - len(missing), len(known))
        for done, (key, value, seconds) in enumerate(self._computed(function, missing), 1):
            known[key] = (self._store.put(key, name, value, seconds),)
            self._progress(len(known) - len(missing) + done, len(known))
        return [value[0] for value in (known[key] for key in keys) if value is not None]

    def experiment(self, suite: Suite) -> Path:
        """Store of the runs of a suite, after those that it lacks were made; `OutOfTime` if the time ends before."""
        from hpo_leaderboard.experiments.experiment import run_experiment

        path = self.directory / f"{suite.name}.sqlite"
        left = None if self._deadline is None else max(1.0, self._deadline - time.monotonic())
        outcome = run_experiment(suite, path, make_engine(self.engine, processes=self._processes), walltime=left)
        if outcome.n_left or outcome.n_open:
            raise OutOfTime(f"{outcome.n_left + outcome.n_open} runs of {suite.name} are missing in {path}")
        return path

    def _computed(self, function: Callable[..., Any], missing: dict[str, Call]) -> Iterator[tuple[str, Any, float]]:
        """Key, result and seconds of each missing part, as they are finished."""
        if self.engine == "serial" or len(missing) < 2:
            for key, call in missing.items():
                self._check_time(len(missing))
                yield key, *timed(function, call)
            return
        with self._executor() as executor:
            waiting = iter(missing.items())
            running = {}
            for key, call in self._first(waiting, 2 * self._processes):
                running[executor.submit(timed, function, call)] = key
            while running:
                future = next(as_completed(running))
                yield running.pop(future), *future.result()
                for key, call in self._first(waiting, 1):
                    running[executor.submit(timed, function, call)] = key

    def _first(self, waiting: Iterator[tuple[str, Call]], n: int) -> Iterable[tuple[str, Call]]:
        """The next n of the waiting parts, if there is time."""
        taken = [item for _, item in zip(range(n), waiting, strict=False)]
        if taken:
            self._check_time(len(taken))
        return taken

    def _check_time(self, n_left: int) -> None:
        if self._deadline is not None and time.monotonic() > self._deadline:
            raise OutOfTime(f"the time is over, {n_left} parts or more are missing")

    @contextmanager
    def _executor(self) -> Iterator[Executor]:
        if self.engine == "dask":
            from distributed import Client

            with Client(n_workers=self._processes, threads_per_worker=1, dashboard_address=None) as client:
                yield client.get_executor()
            return
        pool = ProcessPoolExecutor(self._processes, mp_context=get_context("spawn"))
        try:
            yield pool
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def timed(function: Callable[..., Any], call: Call) -> tuple[Any, float]:
    """Result of a call with one thread, and its CPU seconds."""
    with one_thread():
        start = time.process_time()
        result = function(*call)
        return result, time.process_time() - start
