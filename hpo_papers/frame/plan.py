"""Which items are computed with how many runs, so that all of them end in the time given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from hpo_papers.frame.catalogue import NamedItem

STEPS = 200  # shares that are tried


class PlannedItem(NamedTuple):
    """An item, the runs that are computed, and the CPU seconds that this is expected to take."""

    named: NamedItem
    runs: int
    cpu_seconds: float


def make_plan(items: Sequence[NamedItem], cpu_seconds: float | None = None) -> list[PlannedItem]:
    """Items with the largest number of runs, in proportion to the papers', whose total fits into some CPU seconds.

    An item has at least its fewest runs, also where the total is then above: what does not end in time is finished when
    the command is repeated. None is no limit. The plan does not depend on what is cached, so that a repeated command
    has the same.
    """
    for step in range(STEPS, -1, -1):
        planned = [_at(named, step / STEPS) for named in items]
        if cpu_seconds is None or sum(each.cpu_seconds for each in planned) <= cpu_seconds:
            break
    return planned


def _at(named: NamedItem, share: float) -> PlannedItem:
    item = named.item
    runs = max(item.least, min(item.runs, round(share * item.runs)))
    return PlannedItem(named, runs, item.cost(runs))
