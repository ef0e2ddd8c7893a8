"""Table 4 with the bounds of this package's model in place of the recorded ones, and with our default rule."""

from __future__ import annotations

from collections.abc import Sequence

from hpo_papers.frame.item import Comparison, Item, Numbers
from hpo_papers.frame.work import Work
from hpo_papers.makarova2022.tables.drawing import draw_trade_off
from hpo_papers.makarova2022.tables.own import DEPARTURES, RULE, comparisons, little_changed, own_scores
from hpo_papers.makarova2022.tables.printed import TABLE_4, TABLE_4_COLUMNS


def compute(work: Work) -> Numbers:
    """Scores with own bounds, and their change against the recorded ones."""
    return own_scores(work, "fcnet")


def compare(numbers: Numbers) -> Sequence[Comparison]:
    return comparisons(numbers, TABLE_4, TABLE_4_COLUMNS)


ITEM = Item(
    title="Table 4 with own bounds, and our default",
    printed="RTC and RYC of Ours at 1e-4, 1e-3 and 1e-2 on HPO-Bench, as in Table 4.",
    protocol="As Table 4: recorded runs of BORE, 500 evaluations. The bound of every check is computed by this"
    " package's model (variant reference-code), and the same rule is applied to it.",
    departures=DEPARTURES,
    rule=RULE,
    compute=compute,
    verdict=little_changed,
    compare=compare,
    draw=lambda numbers: draw_trade_off(numbers["rows"], TABLE_4, TABLE_4_COLUMNS),
    cost=lambda runs: 90.0 * runs,
    runs=10,
    switch="own-tables",
)
