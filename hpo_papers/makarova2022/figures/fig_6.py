"""Figure 6: the trade-off on HPO-Bench by optimizer, over all four tables."""

from __future__ import annotations

from collections.abc import Sequence

from hpo_papers.frame.item import Comparison, Item, Numbers, Verdict, claims_hold
from hpo_papers.frame.work import Work
from hpo_papers.makarova2022.figures.drawing import draw_scatter
from hpo_papers.makarova2022.figures.spreads import by_method, spread_rows, stops_that_differ
from hpo_papers.makarova2022.record.contents import OPTIMIZERS, record
from hpo_papers.makarova2022.tables.printed import TABLE_4

CONV = ("Conv_10", "Conv_30", "Conv_50")
MILD, SIMILAR = 0.1, 0.1  # ranges over the optimizers


def compute(work: Work) -> Numbers:
    """Mean and standard deviation of both scores for each method and optimizer."""
    runs = record().runs
    return {
        "rows": [row for name in OPTIMIZERS for row in spread_rows(runs["fcnet", name], list(TABLE_4), name)],
        "differing": {name: stops_that_differ(record(), "fcnet", name, list(TABLE_4)) for name in OPTIMIZERS},
    }


def _range(numbers: Numbers, method: str, score: str) -> float:
    values = [by_method(numbers["rows"], name)[method][score] for name in OPTIMIZERS]
    return max(values) - min(values)


def verdict(numbers: Numbers) -> Verdict:
    rs, bore = (by_method(numbers["rows"], name) for name in ("rs", "bore"))
    smallest = "Ours_0.0001"
    return claims_hold(
        {
            f"RTC of Conv ranges over less than {MILD} between the optimizers": all(
                _range(numbers, method, "rtc") < MILD for method in CONV
            ),
            "RYC of Conv is worse with random search than with BORE": all(
                rs[method]["ryc"] < bore[method]["ryc"] for method in CONV
            ),
            f"RYC of {smallest} ranges over less than {SIMILAR}, and over less than that of every Conv": _range(
                numbers, smallest, "ryc"
            )
            < min(SIMILAR, *(_range(numbers, method, "ryc") for method in CONV)),
            f"RTC of {smallest} ranges over more than that of every Conv": _range(numbers, smallest, "rtc")
            > max(_range(numbers, method, "rtc") for method in CONV),
        }
    )


def compare(numbers: Numbers) -> Sequence[Comparison]:
    rows = [
        Comparison(f"{row['method']}, {row['group']}: {score.upper()}", None, row[score])
        for row in numbers["rows"]
        for score in ("rtc", "ryc")
    ]
    for name, differing in numbers["differing"].items():
        rows.append(
            Comparison(
                f"{name}: of 1,200 stops those that are not the recorded ones", 0, sum(differing.values()), digits=0
            )
        )
    return rows


ITEM = Item(
    title="Figure 6: the trade-off by optimizer",
    printed="Scatter plots of GP-BO, random search, TPE and BORE. The text: the saving of Conv depends little "
    "on the optimizer, its RYC much (random search is worse than BORE); RYC of Ours is similar across "
    "optimizers, most for small thresholds, its saving varies.",
    protocol="50 runs of each optimizer on each of four tables; the recorded bounds.",
    departures="The runs of GP-BO are not in the record. The stops of Conv that the authors recorded for TPE on "
    "slice belong to other runs than those recorded; ours are of the recorded runs.",
    rule="reproduced if RTC of Conv ranges over less than 0.1 between the optimizers, its RYC is worse with "
    "random search than with BORE, and at 0.0001 RYC of Ours ranges over less than 0.1 and than that of"
    " Conv, and its RTC over more than that of Conv; else differs",
    notes="Three of four claims hold. The saving of Conv-50 ranges from .722 (TPE) to .824 (random search), "
    "just above the 0.1 that we had set for 'very mildly'; that of Conv-10 and Conv-30 does not.",
    compute=compute,
    verdict=verdict,
    compare=compare,
    draw=lambda numbers: draw_scatter(numbers["rows"]),
)
