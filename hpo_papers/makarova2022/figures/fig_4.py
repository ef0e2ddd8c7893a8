"""Figure 4: RYC against RTC of BORE on the four tables of HPO-Bench."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from hpo_papers.frame.item import Comparison, Item, Numbers, Verdict, claims_hold
from hpo_papers.frame.work import Work
from hpo_papers.makarova2022.figures.drawing import draw_scatter
from hpo_papers.makarova2022.figures.spreads import by_method, spread_rows_by_dataset
from hpo_papers.makarova2022.record.contents import TABLES, record
from hpo_papers.makarova2022.tables.printed import TABLE_4

OURS = ("Ours_0.0001", "Ours_0.001", "Ours_0.01")


def compute(work: Work) -> Numbers:
    """Mean and standard deviation of both scores for each method and table."""
    return {"rows": spread_rows_by_dataset(record().runs["fcnet", "bore"], list(TABLE_4))}


def verdict(numbers: Numbers) -> Verdict:
    claims = {}
    for table in TABLES:
        rows = by_method(numbers["rows"], table)
        claims[f"{table}: a higher threshold saves more and loses more"] = all(
            rows[low]["rtc"] <= rows[high]["rtc"] and rows[low]["ryc"] >= rows[high]["ryc"]
            for low, high in pairwise(OURS)
        )
        claims[f"{table}: no method is best in both means"] = not any(
            all(a["rtc"] >= b["rtc"] and a["ryc"] >= b["ryc"] for b in rows.values()) for a in rows.values()
        )
    return claims_hold(claims)


def compare(numbers: Numbers) -> Sequence[Comparison]:
    return [
        Comparison(f"{row['method']}, {row['group']}: standard deviation of {score.upper()}", None, row[f"{score}_std"])
        for row in numbers["rows"]
        for score in ("rtc", "ryc")
    ]


ITEM = Item(
    title="Figure 4: the trade-off on HPO-Bench",
    printed="Means and standard deviations as a picture. The text: no method Pareto dominates; a higher "
    "threshold saves more time and may cost more.",
    protocol="As Table 4.",
    departures="",
    rule="reproduced if on every table a higher threshold of Ours has no lower RTC and no higher RYC, and no"
    " method has the best mean of both; else differs",
    compute=compute,
    verdict=verdict,
    compare=compare,
    draw=lambda numbers: draw_scatter(numbers["rows"]),
)
