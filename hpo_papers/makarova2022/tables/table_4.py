"""Table 4: RTC and RYC on HPO-Bench, from the recorded evaluations and bounds of BORE."""

from __future__ import annotations

from collections.abc import Sequence

from hpo_papers.frame.item import Comparison, Item, Numbers, Verdict, all_equal
from hpo_papers.frame.work import Work
from hpo_papers.makarova2022.record.contents import record
from hpo_papers.makarova2022.record.methods import table_rows
from hpo_papers.makarova2022.tables.drawing import draw_trade_off
from hpo_papers.makarova2022.tables.printed import TABLE_4, TABLE_4_COLUMNS, beside


def compute(work: Work) -> Numbers:
    """Scores of each method on each dataset."""
    return {"rows": table_rows(record().runs["fcnet", "bore"], list(TABLE_4))}


def compare(numbers: Numbers) -> Sequence[Comparison]:
    return beside(numbers["rows"], TABLE_4, TABLE_4_COLUMNS)


def verdict(numbers: Numbers) -> Verdict:
    return all_equal(compare(numbers))


ITEM = Item(
    title="Table 4: RTC and RYC on HPO-Bench",
    printed="RTC and RYC of Conv-10, 30, 50 and of Ours at 1e-4, 1e-3 and 1e-2 on naval, parkinsons, protein "
    "and slice: 48 numbers.",
    protocol="50 runs of BORE on each, 500 evaluations; checks from evaluation 5 on. RTC counts evaluations. RYC"
    " is by test error (BORE recorded its mean over the four repetitions). Replayed on the authors' "
    "recorded evaluations and bounds.",
    departures="Stops, and some of the scores, had been compared with the recorded ones while the record was read,"
    " before the rule was committed.",
    rule="reproduced if all 48 printed numbers are equal to the third decimal, else differs",
    compute=compute,
    verdict=verdict,
    compare=compare,
    draw=lambda numbers: draw_trade_off(numbers["rows"], TABLE_4, TABLE_4_COLUMNS),
)
