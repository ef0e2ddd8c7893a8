"""Items computed, cached, and judged, in their order."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hpo_papers.frame.inputs import inputs_digest
from hpo_papers.frame.item import Item, Numbers, Verdict
from hpo_papers.frame.part_store import PartStore, part_key
from hpo_papers.frame.plan import PlannedItem
from hpo_papers.frame.work import Deadline, OutOfTime, Work
from hpo_papers.frame.workers import Workers

STORE = "parts.sqlite"


@dataclass(frozen=True)
class ReproductionSettings:
    """How items are computed: the directory for store and page, the engine, and the seconds of the clock, if limited.

    With `smallest`, items compute as little as they can, see `Work.thinned`.
    `progress` is called with an item's name, and how many of how many of its parts are finished.
    """

    out: Path
    engine: str = "serial"
    processes: int | None = None
    seconds: float | None = None
    smallest: bool = False
    progress: Callable[[str, int, int], Any] = lambda name, done, total: None


@dataclass(frozen=True)
class Reproduced:
    """An item after its computation.

    numbers, verdict   None if the time was over before, which `left` tells in words
    cpu_seconds        of what was not cached, parts in other processes included
    digest             of code and data behind the numbers
    """

    name: str
    item: Item
    runs: int
    numbers: Numbers | None
    verdict: Verdict | None
    cpu_seconds: float
    digest: str
    left: str = ""


def reproduce(planned: Sequence[PlannedItem], settings: ReproductionSettings) -> Iterator[Reproduced]:
    """Each planned item in turn, as soon as it is computed; numbers that are in the store are taken from there.

    With several processes two items are computed at the same time, so that no process waits for the last part of one.
    """
    deadline = Deadline(None if settings.seconds is None else time.monotonic() + settings.seconds)
    workers = Workers(settings.engine, settings.processes)
    store = PartStore(settings.out / STORE)
    threads = ThreadPoolExecutor(min(2, workers.processes))
    try:
        begun = [threads.submit(_reproduced, each, store, workers, settings, deadline) for each in planned]
        for future in begun:
            yield future.result()
    finally:
        deadline.end()
        threads.shutdown(wait=True, cancel_futures=True)
        workers.close()
        store.close()


def _reproduced(
    planned: PlannedItem, store: PartStore, workers: Workers, settings: ReproductionSettings, deadline: Deadline
) -> Reproduced:
    named, runs, _ = planned
    item = named.item
    digest = inputs_digest(named.module, item.resolved)
    key = part_key(named.name, [runs, settings.smallest], digest)
    stored = store.get(key)
    if stored is not None:
        return Reproduced(named.name, item, runs, stored[0], item.verdict(stored[0]), 0.0, digest)
    if deadline.is_over:
        return Reproduced(named.name, item, runs, None, None, 0.0, digest, "not begun: the time was over")
    work = Work(
        store,
        workers,
        runs,
        deadline=deadline,
        resolved=item.resolved,
        smallest=settings.smallest,
        progress=lambda done, total: settings.progress(named.name, done, total),
    )
    start = time.thread_time()
    try:
        computed = item.compute(work)
    except OutOfTime as error:
        return Reproduced(named.name, item, runs, None, None, _seconds(work, start), digest, f"begun: {error}")
    seconds = _seconds(work, start)
    numbers = store.put(key, named.name, computed, seconds)
    return Reproduced(named.name, item, runs, numbers, item.verdict(numbers), seconds, digest)


def _seconds(work: Work, start: float) -> float:
    """CPU time of an item since a time of this thread: its own, and that of its parts in other processes."""
    own = time.thread_time() - start
    return own if work.is_serial else own + work.part_seconds
