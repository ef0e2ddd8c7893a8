"""Figure 8: thresholds of EI and PI with cross-validation."""

from __future__ import annotations

from collections.abc import Sequence

from hpo_papers.frame.item import Comparison, Item, Numbers, Verdict, claims_hold
from hpo_papers.frame.work import Work
from hpo_papers.makarova2022.figures.spreads import spread_rows, stops_that_differ
from hpo_papers.makarova2022.figures.thresholds import draw_study, monotone
from hpo_papers.makarova2022.record.contents import ALGORITHMS, record

EI = ("EI_1e-08", "EI_1e-09", "EI_1e-12", "EI_1e-13", "EI_1e-16", "EI_1e-17", "EI_1e-20")
PI = ("PI_1e-05", "PI_1e-08", "PI_1e-09", "PI_1e-12", "PI_1e-13", "PI_1e-15")
SLACK = 0.002


def compute(work: Work) -> Numbers:
    """Scores at each threshold, and how many stops are not the recorded ones."""
    runs = record().runs
    return {
        "rows": [row for name in ALGORITHMS for row in spread_rows(runs["cv", name], [*EI, *PI], name)],
        "differing": {name: stops_that_differ(record(), "cv", name, [*EI, *PI]) for name in ALGORITHMS},
    }


def verdict(numbers: Numbers) -> Verdict:
    claims = {}
    for name in ALGORITHMS:
        for kind, methods in (("EI", EI), ("PI", PI)):
            rows = [row for row in numbers["rows"] if row["group"] == name and row["method"] in methods]
            claims[f"{name}: a lower threshold of {kind} saves less and loses less"] = monotone(rows, SLACK)
        claims[f"{name}: all stops are the recorded ones"] = not sum(numbers["differing"][name].values())
    return claims_hold(claims)


def compare(numbers: Numbers) -> Sequence[Comparison]:
    return [
        Comparison(f"{row['method']}, {row['group']}: {score.upper()}", None, row[score])
        for row in numbers["rows"]
        for score in ("rtc", "ryc")
    ]


ITEM = Item(
    title="Figure 8: thresholds of EI and PI",
    printed="Scatter plots. The text: quality improves, and the saving drops, as the threshold is made stricter.",
    protocol="As Table 3; EI and PI of the authors' own proposals, as recorded, against thresholds that they "
    "recorded stops for.",
    departures="",
    rule="reproduced if, for both algorithms and scores, a lower threshold has no higher RTC and no lower "
    "RYC (to .002), and all stops are those that the authors recorded; else differs",
    compute=compute,
    verdict=verdict,
    compare=compare,
    draw=lambda numbers: draw_study(numbers["rows"]),
)
