"""Figure 3: the standard deviation of a run's result by source: the split of the data, the optimizer, the training."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_leaderboard.stopping.pictures import draw_stds
from hpo_leaderboard.stopping.scores import std_by_source
from hpo_papers.frame.item import Comparison, Item, Numbers, Verdict, claims_hold
from hpo_papers.frame.work import Work
from hpo_papers.makarova2021.runs.curves import ALGORITHMS, READING, too_short
from hpo_papers.makarova2021.runs.live import PHONEME, live_run

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SOURCES = ("split", "optimizer", "training")
COLUMNS = ("split seed", "optimizer seed", "training seed")  # `optimizer` is a column of its own in tables of trials
LENGTH, N_ROWS = 40, 1000
EARLY = 10
SECONDS = 82.0  # CPU time of one run of each algorithm


def compute(work: Work) -> Numbers:
    """Standard deviations by algorithm, source and evaluation; runs ** 3 runs of each algorithm, 8 at the smallest."""
    import pandas as pd

    names = ALGORITHMS if work.runs else ALGORITHMS[:1]
    (length, n_rows), n_seeds = (LENGTH, N_ROWS) if work.runs else (3, 200), max(work.runs, 2)
    seeds = list(product(range(n_seeds), repeat=3))
    calls: list[tuple[Any, ...]] = [
        (name.lower(), PHONEME, length, *three, 10, n_rows) for name in names for three in seeds
    ]
    rows: list[dict[str, Any]] = []
    for call, run in zip(calls, work.parts(live_run, calls), strict=True):
        shared = {"benchmark": PHONEME, "optimizer": call[0].upper(), **dict(zip(COLUMNS, call[3:6], strict=True))}
        pairs = enumerate(zip(run["loss"], run["test"], strict=True))
        rows += [{**shared, "step": step, "loss": loss, "test": test} for step, (loss, test) in pairs]
    found = std_by_source(pd.DataFrame(rows), COLUMNS).replace({"source": dict(zip(COLUMNS, SOURCES, strict=True))})
    return {"runs": work.runs, "n_seeds": n_seeds, "rows": found.to_dict("records")}


def late(numbers: Numbers, name: str, source: str, loss: str) -> float:
    """Mean standard deviation over the second half of the evaluations."""
    rows = [row for row in numbers["rows"] if row["optimizer"] == name and row["source"] == source]
    return float(np.mean([row[loss] for row in rows[len(rows) // 2 :]]))


def compare(numbers: Numbers) -> Sequence[Comparison]:
    names = dict.fromkeys(row["optimizer"] for row in numbers["rows"])
    cases = product(names, ("validation", "test"), SOURCES)
    return [
        Comparison(f"{name}, {loss}: by {source}", None, late(numbers, name, source, loss), digits=4)
        for name, loss, source in cases
    ]


def falls(numbers: Numbers, name: str, loss: str) -> bool:
    """Whether the optimizer's part is lower at the end than after the first evaluations."""
    rows = [row for row in numbers["rows"] if row["optimizer"] == name and row["source"] == "optimizer"]
    return bool(rows[-1][loss] < rows[EARLY - 1][loss])


def verdict(numbers: Numbers) -> Verdict:
    if not numbers["runs"]:
        return too_short(8 * SECONDS / 60)
    cases = list(product(ALGORITHMS, ("validation", "test")))
    claims = {
        "the optimizer's part falls in at least five of six cases": sum(falls(numbers, *c) for c in cases) >= 5,
    }
    for name, loss in cases:
        parts = {source: late(numbers, name, source, loss) for source in SOURCES}
        largest, smallest = max(parts, key=parts.__getitem__), min(parts, key=parts.__getitem__)
        if name == "LM":
            claims[f"LM, {loss}: the training is the largest source"] = largest == "training"
        else:
            claims[f"{name}, {loss}: the optimizer is the largest source"] = largest == "optimizer"
            claims[f"{name}, {loss}: the training is the smallest source"] = smallest == "training"
    return claims_hold(claims)


def draw(numbers: Numbers) -> Figure:
    """Validation and test, two panels for each algorithm."""
    import pandas as pd

    return draw_stds(pd.DataFrame(numbers["rows"]))


ITEM = Item(
    title="Figure 3: sources of the variance of a run's result",
    printed="Standard deviation of the incumbent's validation and test error on op100-9952 by source, for LM, XGB and "
    "RF. The optimizer's part decreases along the run and is the largest for XGB and RF; that of the training is the "
    "largest for LM and the smallest for XGB and RF.",
    protocol="200 evaluations with 10-fold cross-validation; for each source 10 seeds of it, with the seeds of the "
    "other two held, averaged over 10 choices of these.",
    departures=f"A stratified sample of {N_ROWS} rows of op100-9952 (`phoneme`), {LENGTH} evaluations, and all "
    f"combinations of 2 seeds of each source: 8 runs of each algorithm, all made here. {READING}",
    rule="reproduced if the optimizer's part is lower at the end than after 10 evaluations in at least five of six "
    "cases (algorithm x validation or test), and, as means over the second half of the evaluations, the training is "
    "the largest source for LM, the optimizer the largest and the training the smallest for XGB and RF; else differs",
    compute=compute,
    verdict=verdict,
    compare=compare,
    draw=draw,
    cost=lambda runs: SECONDS * max(runs, 2) ** 3 if runs else 3.0,
    runs=2,
    least=0,
    notes="With two seeds of each source the standard deviations are themselves known to a factor of two or so, and "
    "none of the claims about their order can be settled: for XGB's validation error all three are .0034. For "
    "LM the training is a large source, .006 of .010 and the split a larger one. Our seed of the split draws "
    "the test set as well, which the paper keeps; that was not separated here.",
)
