"""Section 1: training again helps in 260 of 400 searches, hurts in 89 and changes nothing in 51."""

from __future__ import annotations

from collections.abc import Sequence

from hpo_papers.frame.item import Comparison, Item, Numbers, Verdict
from hpo_papers.frame.work import Work
from hpo_papers.ram2022.boosting.search import METRICS
from hpo_papers.ram2022.boosting.searches import DEPARTURES, PROTOCOL, RUNS, cost, retraining, searches

PRINTED = {"f": 65.0, "equal": 12.75, "g": 22.25}
WORDS = {"f": "helps, %", "equal": "changes nothing, %", "g": "hurts, %"}
CLOSE = 10.0  # percentage points


def compute(work: Work) -> Numbers:
    """All searches."""
    return {"searches": searches(work)}


def percentages(numbers: Numbers) -> dict[str, float]:
    """Mean over both metrics."""
    each = [retraining(numbers["searches"], metric) for metric in METRICS]
    return {key: sum(found[key] for found in each) / len(each) for key in PRINTED}


def compare(numbers: Numbers) -> Sequence[Comparison]:
    ours = percentages(numbers)
    return [Comparison(f"training again {WORDS[key]}", PRINTED[key], ours[key], digits=1) for key in PRINTED]


def verdict(numbers: Numbers) -> Verdict:
    ours = percentages(numbers)
    told = ", ".join(f"{WORDS[key]} {ours[key]:.1f} (printed {PRINTED[key]:g})" for key in PRINTED)
    close = all(abs(ours[key] - PRINTED[key]) <= CLOSE for key in PRINTED)
    return Verdict("substitute" if close else "differs", told)


ITEM = Item(
    title="Section 1: training again helps, hurts or changes nothing",
    printed="260 of 400 searches: better, 51: no significant effect, 89: worse.",
    protocol=PROTOCOL,
    departures=DEPARTURES,
    rule="substitute if all three percentages are within 10 percentage points of the printed ones; else differs",
    compute=compute,
    verdict=verdict,
    compare=compare,
    cost=cost,
    runs=RUNS,
)
