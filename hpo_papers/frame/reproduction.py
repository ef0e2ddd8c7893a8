"""Items computed one after another, cached, and judged."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hpo_papers.frame.inputs import inputs_digest
from hpo_papers.frame.item import Item, Numbers, Verdict
from hpo_papers.frame.part_store import PartStore, part_key
from hpo_papers.frame.plan import PlannedItem
from hpo_papers.frame.work import OutOfTime, Work

STORE = "parts.sqlite"


@dataclass(frozen=True)
class Settings:
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
    cpu_seconds        of this process, for what was not cached
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


def reproduce(planned: Sequence[PlannedItem], settings: Settings) -> Iterator[Reproduced]:
    """Each planned item as soon as it is computed; numbers that are in the store are taken from there."""
    deadline = None if settings.seconds is None else time.monotonic() + settings.seconds
    store = PartStore(settings.out / STORE)
    try:
        for each in planned:
            yield _reproduced(each, store, settings, deadline)
    finally:
        store.close()


def _reproduced(planned: PlannedItem, store: PartStore, settings: Settings, deadline: float | None) -> Reproduced:
    named, runs, _ = planned
    item = named.item
    digest = inputs_digest(named.module, item.resolved)
    key = part_key(named.name, [runs, settings.smallest], digest)
    start = time.process_time()
    stored = store.get(key)
    if stored is not None:
        return Reproduced(named.name, item, runs, stored[0], item.verdict(stored[0]), 0.0, digest)
    if deadline is not None and time.monotonic() > deadline:
        return Reproduced(named.name, item, runs, None, None, 0.0, digest, "not begun: the time was over")
    work = Work(
        store,
        settings.out / "runs",
        runs,
        engine=settings.engine,
        processes=settings.processes,
        deadline=deadline,
        resolved=item.resolved,
        smallest=settings.smallest,
        progress=lambda done, total: settings.progress(named.name, done, total),
    )
    try:
        computed = item.compute(work)
    except OutOfTime as error:
        return Reproduced(named.name, item, runs, None, None, time.process_time() - start, digest, f"begun: {error}")
    seconds = time.process_time() - start
    numbers = store.put(key, named.name, computed, seconds)
    return Reproduced(named.name, item, runs, numbers, item.verdict(numbers), seconds, digest)
