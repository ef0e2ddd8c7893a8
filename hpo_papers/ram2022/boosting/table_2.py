"""Table 2: how often validation misses the best hyperparameters, and what that costs."""

from __future__ import annotations

from collections.abc import Sequence

from hpo_papers.frame.item import Comparison, Item, Numbers, Verdict
from hpo_papers.frame.work import Work
from hpo_papers.ram2022.boosting.search import METRICS
from hpo_papers.ram2022.boosting.searches import DEPARTURES, PROTOCOL, RUNS, cells, cost, missed, searches

PRINTED = {  # metric: n: missed in percent and relative loss in percent, for mu / n = 0.1, 0.2, 0.3
    "auroc": {
        1000: ((95, 2.00), (65, 0.85), (50, 1.12)),
        5000: ((65, 0.12), (70, 0.14), (70, 0.08)),
        10000: ((65, 0.11), (65, 0.10), (50, 0.01)),
    },
    "accuracy": {
        1000: ((75, 1.67), (60, 1.24), (50, 1.43)),
        5000: ((80, 0.60), (75, 0.51), (80, 0.69)),
        10000: ((75, 0.24), (85, 0.22), (90, 0.27)),
    },
}


def compute(work: Work) -> Numbers:
    """All searches."""
    return {"searches": searches(work)}


def compare(numbers: Numbers) -> Sequence[Comparison]:
    found = []
    for metric in METRICS:
        for (n, share), rows in cells(numbers["searches"]).items():
            printed = PRINTED[metric][n][round(10 * share) - 1]
            percentage, loss = missed(rows, metric)
            where = f"{metric}, n = {n}, mu/n = {share}"
            found.append(Comparison(f"{where}: missed, %", printed[0], percentage, digits=0))
            found.append(Comparison(f"{where}: relative loss, %", printed[1], loss, digits=2))
    return found


def verdict(numbers: Numbers) -> Verdict:
    rows = numbers["searches"]
    groups = sorted({row["group"] for row in rows})
    claims = {}
    for metric in METRICS:
        percentage, _ = missed(rows, metric)
        losses = [missed([row for row in rows if row["group"] == group], metric)[1] for group in groups]
        claims[f"{metric}: the oracle is missed in {percentage:.0f} % of the searches, at least half"] = (
            percentage >= 50
        )
        claims[f"{metric}: the relative loss falls with n, {' > '.join(f'{x:.2f} %' for x in losses)}"] = (
            losses == sorted(losses, reverse=True)
        )
    broken = [claim for claim, holds in claims.items() if not holds]
    if broken:
        return Verdict("differs", f"not so on the datasets at hand: {'; '.join(broken)}")
    return Verdict("substitute", f"on the datasets at hand: {'; '.join(claims)}")


ITEM = Item(
    title="Table 2: searches that miss the best hyperparameters (E_mcm)",
    printed="Percentage of searches whose selected hyperparameters are not the oracle's, and the mean relative loss of "
    "these. In words: a significant part is missed at every size; the relative loss falls with n from 2 % to 0.2 %.",
    protocol=PROTOCOL,
    departures=DEPARTURES + " Hyperparameters with the oracle's test score count as the oracle's.",
    rule="substitute if, for both metrics, at least half of all searches miss the oracle and the relative loss falls "
    "with n (over the groups 1000, 5000, 10000, all mu / n together); else differs",
    compute=compute,
    verdict=verdict,
    compare=compare,
    cost=cost,
    runs=RUNS,
    notes="With two repetitions (22 searches for each mu / n) the relative loss of AuROC was 0.54 %, 0.07 % and 0.08 "
    "%: it falls sevenfold from 1,000 to 5,000 rows, and the two larger groups cannot be told apart. Nor can the "
    "paper's: its 0.11 %, 0.07 % and, for 50,000 rows, 0.29 % do not fall either.",
)
