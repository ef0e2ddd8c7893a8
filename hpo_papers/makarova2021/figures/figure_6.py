"""Figure 6: RTC and RYC under different budgets."""

from __future__ import annotations

from collections.abc import Sequence

from hpo_papers.frame.item import Comparison, Item, Numbers, Verdict, claims_hold
from hpo_papers.frame.work import Work
from hpo_papers.makarova2021.runs.curves import too_short
from hpo_papers.makarova2021.stops.studies import (
    DEPARTURES,
    NEVER,
    OURS,
    RECORDED,
    RUNS,
    SECONDS,
    SHARED,
    scores,
    studies,
)
from hpo_papers.makarova2021.stops.violins import beside_printed, draw_violins, found, score_row

BUDGETS = (50, 100, 150, 200)
SMALL = 0.01  # mean RYC that counts as none


def compute(work: Work) -> Numbers:
    """Scores by algorithm and budget."""
    budgets = BUDGETS if work.runs else (21, 22)
    rows = [
        score_row(name, str(budget), *scores(runs, OURS, budget))
        for name, runs in studies(work).items()
        for budget in budgets
    ]
    return {"runs": work.runs, "rows": rows}


def compare(numbers: Numbers) -> Sequence[Comparison]:
    return beside_printed(numbers["rows"], {})


def verdict(numbers: Numbers) -> Verdict:
    if not numbers["runs"]:
        return too_short(SECONDS / 60)
    claims = {}
    for name in RECORDED:
        saved = [found(numbers["rows"], name, str(budget), "rtc") for budget in BUDGETS]
        changed = [found(numbers["rows"], name, str(budget), "ryc") for budget in BUDGETS]
        claims[f"{name}: RTC grows with the budget"] = saved == sorted(saved) and saved[0] < saved[-1]
        claims[f"{name}: mean RYC within {SMALL} of 0 at every budget"] = max(map(abs, changed)) <= SMALL
    return claims_hold(claims)


ITEM = Item(
    title="Figure 6: early stopping under different budgets",
    printed="Violins of RTC and RYC for T = 50, 100, 150, 200: RYC concentrated around 0, the speed-up larger for "
    "larger budgets.",
    protocol="As figure 5, with runs that end after T evaluations.",
    departures=f"By algorithm, where the paper joins them. {DEPARTURES}",
    rule=f"reproduced if for XGB and for RF the mean RTC grows with T and the mean RYC lies within {SMALL} of 0 at "
    "every T; else differs",
    compute=compute,
    verdict=verdict,
    compare=compare,
    draw=lambda numbers: draw_violins(numbers["rows"]),
    cost=lambda runs: SHARED,
    runs=RUNS,
    least=0,
    notes=f"RF is as printed: RTC .093, .126, .137, .142 and mean RYC between -.0004 and .0015. {NEVER}",
)
