"""Table 5: RTC and RYC on NAS-Bench-201, from the recorded evaluations and bounds of BORE."""

from __future__ import annotations

from collections.abc import Sequence

from hpo_papers.frame.item import Comparison, Item, Numbers, Verdict, all_equal
from hpo_papers.frame.work import Work
from hpo_papers.makarova2022.record.contents import record
from hpo_papers.makarova2022.record.methods import table_rows
from hpo_papers.makarova2022.tables.drawing import draw_trade_off
from hpo_papers.makarova2022.tables.printed import TABLE_5, TABLE_5_COLUMNS, beside


def compute(work: Work) -> Numbers:
    """Scores of each method on each dataset."""
    return {"rows": table_rows(record().runs["nas", "bore"], list(TABLE_5))}


def compare(numbers: Numbers) -> Sequence[Comparison]:
    return beside(numbers["rows"], TABLE_5, TABLE_5_COLUMNS)


def verdict(numbers: Numbers) -> Verdict:
    return all_equal(compare(numbers))


ITEM = Item(
    title="Table 5: RTC and RYC on NAS-Bench-201",
    printed="RTC and RYC of Conv-10, 30, 50 and of Ours at 1e-4, 1e-3 and 1e-2 on ImageNet, cifar10 and "
    "cifar100: 36 numbers.",
    protocol="50 runs of BORE (49 recorded on cifar100) on each, 200 evaluations; checks from evaluation 5 on. "
    "RTC counts evaluations. RYC is by the observed validation loss, as the paper says. Replayed on the"
    " authors' recorded evaluations and bounds.",
    departures="Stops, and some of the scores, had been compared with the recorded ones while the record was read,"
    " before the rule was committed.",
    rule="reproduced if all 36 printed numbers are equal to the third decimal, else differs",
    compute=compute,
    verdict=verdict,
    compare=compare,
    draw=lambda numbers: draw_trade_off(numbers["rows"], TABLE_5, TABLE_5_COLUMNS),
)
