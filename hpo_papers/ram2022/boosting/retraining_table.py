"""What tables 3 and 4 have in common: how often training again helps, by one of two metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hpo_papers.frame.item import Comparison, Item, Numbers, Verdict
from hpo_papers.frame.work import Work
from hpo_papers.ram2022.boosting.searches import DEPARTURES, PROTOCOL, RUNS, cells, cost, retraining, searches

COLUMNS = ("equal", "f", "f_gain", "g", "g_gain")
WORDS = {
    "equal": "equal, %",
    "f": "f better, %",
    "f_gain": "gain of f, %",
    "g": "g better, %",
    "g_gain": "gain of g, %",
}
Printed = Mapping[int, tuple[tuple[float, ...], ...]]  # n: `COLUMNS` for mu / n = 0.1, 0.2, 0.3


def compute(work: Work) -> Numbers:
    """All searches."""
    return {"searches": searches(work)}


def compare(numbers: Numbers, metric: str, printed: Printed) -> Sequence[Comparison]:
    found = []
    for (n, share), rows in cells(numbers["searches"]).items():
        ours = retraining(rows, metric)
        for column, cell in zip(COLUMNS, printed[n][round(10 * share) - 1], strict=True):
            what = f"n = {n}, mu/n = {share}: {WORDS[column]}"
            found.append(Comparison(what, cell, ours[column], digits=2 if "gain" in column else 0))
    return found


def verdict(numbers: Numbers, metric: str) -> Verdict:
    total = retraining(numbers["searches"], metric)
    each = [retraining(rows, metric) for rows in cells(numbers["searches"]).values()]
    mostly = sum(cell["f"] > cell["g"] for cell in each)
    claims = {
        f"f is better more often than g in {mostly} of {len(each)} cells, most of them": mostly > len(each) / 2,
        f"g is better in {total['g']:.0f} % of the searches, between 10 and 40": 10 <= total["g"] <= 40,
        f"the mean gain of f, {total['f_gain']:.2f} %, is above that of g, {total['g_gain']:.2f} %": total["f_gain"]
        > total["g_gain"],
    }
    broken = [claim for claim, holds in claims.items() if not holds]
    if broken:
        return Verdict("differs", f"not so on the datasets at hand: {'; '.join(broken)}")
    return Verdict("substitute", f"on the datasets at hand: {'; '.join(claims)}")


def item_of(name: str, metric: str, printed: Printed, notes: str = "") -> Item:
    """The table of a metric."""
    return Item(
        title=f"{name}: f and g of searches by {'AuROC' if metric == 'auroc' else 'balanced accuracy'}",
        printed="For each n and mu / n the percentages of searches in which f (trained again) and g are equal, f is "
        "better, g is better, and the mean relative gains. In words: mostly f is better, and by more; g is better in a "
        "significant part, around 20 %, up to 40 %.",
        protocol=PROTOCOL,
        departures=DEPARTURES,
        rule="substitute if f is better more often than g in more than half of the cells, g is better in 10 to 40 % of "
        "all searches, and the mean gain of f is above that of g; else differs",
        compute=compute,
        verdict=lambda numbers: verdict(numbers, metric),
        compare=lambda numbers: compare(numbers, metric, printed),
        cost=cost,
        runs=RUNS,
        notes=notes,
    )
