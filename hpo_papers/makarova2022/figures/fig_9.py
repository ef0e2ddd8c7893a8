"""Figure 9: the parameter i of Conv-i, with cross-validation and on HPO-Bench."""

from __future__ import annotations

from collections.abc import Sequence

from hpo_papers.frame.item import Comparison, Item, Numbers, Verdict, claims_hold
from hpo_papers.frame.work import Work
from hpo_papers.makarova2022.figures.spreads import spread_rows, spread_rows_by_dataset, stops_that_differ
from hpo_papers.makarova2022.figures.thresholds import draw_study, monotone
from hpo_papers.makarova2022.record.contents import ALGORITHMS, TABLES, record

CV = tuple(f"Conv_{i}" for i in (10, 30, 50, 70, 75, 90, 100))
BENCH = tuple(f"Conv_{i}" for i in (10, 30, 50, 70, 90, 100, 130, 150, 170, 190))
SLACK = 0.025
ENOUGH = -0.01  # RYC that counts as no loss, to find the smallest sufficient i


def compute(work: Work) -> Numbers:
    """Scores for each i, and how many stops are not the recorded ones."""
    runs = record().runs
    rows = [row for name in ALGORITHMS for row in spread_rows(runs["cv", name], CV, name)]
    differing = {name: stops_that_differ(record(), "cv", name, CV) for name in ALGORITHMS}
    return {
        "rows": rows + spread_rows_by_dataset(runs["fcnet", "bore"], BENCH),
        "differing": {**differing, "bore": stops_that_differ(record(), "fcnet", "bore", BENCH)},
    }


def sufficient(numbers: Numbers) -> dict[str, int]:
    """Smallest i without a loss, by group; groups without one are left out."""
    found: dict[str, int] = {}
    for row in numbers["rows"]:
        if row["ryc"] >= ENOUGH:
            found.setdefault(row["group"], int(row["method"][5:]))
    return found


def verdict(numbers: Numbers) -> Verdict:
    groups = {name: [row for row in numbers["rows"] if row["group"] == name] for name in (*ALGORITHMS, *TABLES)}
    claims = {f"{name}: a larger i saves less and loses less": monotone(rows, SLACK) for name, rows in groups.items()}
    needed = sufficient(numbers)
    claims[f"the smallest i that loses at most 1 % differs between tasks: {needed}"] = len(set(needed.values())) > 1
    claims["all stops are the recorded ones"] = not sum(sum(by.values()) for by in numbers["differing"].values())
    return claims_hold(claims)


def compare(numbers: Numbers) -> Sequence[Comparison]:
    return [
        Comparison(f"{row['method']}, {row['group']}: {score.upper()}", None, row[score])
        for row in numbers["rows"]
        for score in ("rtc", "ryc")
    ]


ITEM = Item(
    title="Figure 9: the parameter of Conv-i",
    printed="Scatter plots. The caption: there is an ideal i, but it changes across tasks, methods and repetitions.",
    protocol="As Tables 3 and 4, with BORE; i from 10 to 100 and from 10 to 190.",
    departures="",
    rule="reproduced if in every panel a larger i has no higher RTC and no lower RYC (to .025), the smallest"
    " i that loses at most 1 % differs between the tasks, and all stops are those that the authors "
    "recorded; else differs",
    compute=compute,
    verdict=verdict,
    compare=compare,
    draw=lambda numbers: draw_study(numbers["rows"]),
)
