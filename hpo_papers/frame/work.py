"""`Work`: what an item's computation is given: how many runs to make, a cache of its parts, where they are computed.

    numbers = work.parts(mean_regret, [(name, seed) for name in NAMES for seed in range(work.runs)])

Each part is a call of a function of a module with plain arguments. What is in the store is not computed again, so a
computation that was killed goes on where it stopped.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from typing import Any, TypeVar

from hpo_core.errors import HpoError
from hpo_papers.frame.inputs import inputs_digest
from hpo_papers.frame.part_store import PartStore, part_key
from hpo_papers.frame.workers import Call, Part, Workers

T = TypeVar("T")


class OutOfTime(HpoError, TimeoutError):
    """The time given is over; what is finished is kept."""


@dataclass
class Deadline:
    """The time of `time.monotonic` after which no part is started; None for never."""

    at: float | None = None

    @property
    def is_over(self) -> bool:
        return self.at is not None and time.monotonic() > self.at

    def end(self) -> None:
        """Start no more parts from now on."""
        self.at = -1.0


class Work:
    """The surroundings of a computation.

    Parameters
    ----------
    store
        Where parts are kept.
    workers
        Where they are computed.
    runs
        Repetitions to compute.
    deadline
        No part is started after it.
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
        workers: Workers,
        runs: int,
        *,
        deadline: Deadline | None = None,
        resolved: tuple[str, ...] = (),
        smallest: bool = False,
        progress: Callable[[int, int], Any] = lambda done, total: None,
    ):
        self.runs, self.part_seconds = runs, 0.0  # CPU time of the parts that were computed, and not cached
        self._store, self._workers, self._deadline = store, workers, deadline or Deadline()
        self._resolved, self._smallest, self._progress = resolved, smallest, progress

    @property
    def is_serial(self) -> bool:
        """Whether parts are computed in the thread that asks for them."""
        return self._workers.engine == "serial"

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
            self.part_seconds += seconds
            self._progress(len(known) - len(missing) + done, len(known))
        return [value[0] for value in (known[key] for key in keys) if value is not None]

    def _computed(self, function: Callable[..., Any], missing: dict[str, Call]) -> Iterator[tuple[str, Any, float]]:
        """Key, result and CPU seconds of each missing part, as they are finished."""
        waiting = iter(missing.items())
        running: dict[Future[Part], str] = {}
        room = 1 if self.is_serial else 2 * self._workers.processes
        while True:
            for key, call in self._next(waiting, room - len(running)):
                running[self._workers.submit(key, function, call)] = key
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                yield running.pop(future), *future.result()

    def _next(self, waiting: Iterator[tuple[str, Call]], n: int) -> Iterable[tuple[str, Call]]:
        """The next n of the waiting parts, if there is time."""
        taken = [item for _, item in zip(range(n), waiting, strict=False)]
        if taken and self._deadline.is_over:
            raise OutOfTime(f"the time is over, {len(taken)} parts or more are missing")
        return taken
