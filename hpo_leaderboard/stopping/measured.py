"""How often `regret-bound` stopped at a true regret above its threshold, on recorded runs.

The counts lie in `measured_stops.json`, which `scripts/measure_stops.py` makes; it says how they were measured.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from baselines.stopping.regret_bound import RegretBound
from hpo_core.running.joined import AllOf, AnyOf

FILE = Path(__file__).with_name("measured_stops.json")
EVERY = "all"  # tables


class MeasuredStops(NamedTuple):
    """Stops of recorded runs at a threshold.

    threshold        in units of the loss
    runs             that were replayed
    stops            of them, before their end
    above            of the stops, with a true regret above the threshold
    observed_above   the same by the observed loss, less the lowest of any repetition
    saved            mean share of the trials that a stop saved, None without a stop
    """

    threshold: float
    runs: int
    stops: int
    above: int
    observed_above: int
    saved: float | None


@cache
def measured() -> dict[str, Any]:
    """Source, date and counts by settings, as the file has them."""
    return json.loads(FILE.read_text(encoding="utf-8"))


def nearest_stops(settings: str, threshold: float, table: str = EVERY) -> MeasuredStops | None:
    """Counts at the measured threshold that is nearest on a logarithmic scale, None for other settings or tables."""
    for part in measured()["measured"]:
        if part["settings"] == settings and table in part["counts"]:
            rows = [MeasuredStops(**row) for row in part["counts"][table]]
            return min(rows, key=lambda row: abs(math.log(row.threshold / threshold)))
    return None


def measured_lines(criterion: object, reasons: Sequence[str], benchmark: str) -> list[str]:
    """A line for each `regret-bound` in a criterion that stopped one of some runs: how far it can be trusted.

    `reasons` are those for which the runs ended, `benchmark` is the name of what they were on.
    """
    return [
        _line(part, benchmark)
        for part in _regret_bounds(criterion)
        if any("regret-bound: " in reason and f"threshold {part.threshold:g}" in reason for reason in reasons)
    ]


def _regret_bounds(criterion: object) -> Iterator[RegretBound]:
    if isinstance(criterion, RegretBound):
        yield criterion
    elif isinstance(criterion, (AnyOf, AllOf)):
        for member in criterion.members:
            yield from _regret_bounds(member)


def _line(criterion: RegretBound, benchmark: str) -> str:
    found = nearest_stops(criterion.variant, criterion.threshold)
    if found is None:
        return f"regret-bound is an estimate; with variant={criterion.variant} it was not measured on recorded runs"
    own = nearest_stops(criterion.variant, criterion.threshold, benchmark)
    here = "" if own is None or not own.stops else f", {own.above} of {own.stops} on {benchmark}"
    return (
        f"regret-bound is an estimate: on recorded runs of four tables, {found.above} of {found.stops} stops at "
        f"threshold {found.threshold:g} ({found.above / found.stops:.0%}{here}) had a true regret above it"
    )
