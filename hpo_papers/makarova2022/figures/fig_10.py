"""Figure 10: validation against test error on tst-census."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from hpo_leaderboard.stopping.pictures import COLOURS, legend_below, panels_of, tidy
from hpo_papers.frame.item import Comparison, Item, Numbers, Verdict, claims_hold
from hpo_papers.frame.work import Work
from hpo_papers.makarova2022.record.contents import ALGORITHMS, record

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DATASET = "tst-census"
LOW = 0.2  # share of the evaluations, the best, that are the low error region
DROP = 0.2


def compute(work: Work) -> Numbers:
    """Rank correlation of validation and test error, of all evaluations and of the best, within each run."""
    from scipy.stats import spearmanr

    found = {}
    for name in ALGORITHMS:
        runs = record().runs["cv", name]
        at = runs.datasets.index(DATASET)
        both = []
        for loss, test in zip(runs["loss"][at], runs["test"][at], strict=True):
            low = loss <= np.quantile(loss, LOW)
            both.append([spearmanr(loss, test).statistic, spearmanr(loss[low], test[low]).statistic])
        everything, best = np.mean(both, axis=0)
        first = {"loss": runs["loss"][at, 0].tolist(), "test": runs["test"][at, 0].tolist()}
        found[name] = {"all": float(everything), "low": float(best), **first}
    return found


def verdict(numbers: Numbers) -> Verdict:
    return claims_hold(
        {
            f"{name}: the rank correlation is {of['all']:.2f} over all evaluations and {of['low']:.2f} over the best "
            f"fifth, at least {DROP} lower": of["low"] <= of["all"] - DROP
            for name, of in numbers.items()
        }
    )


def compare(numbers: Numbers) -> Sequence[Comparison]:
    rows = []
    for name, of in numbers.items():
        rows.append(Comparison(f"{name}: rank correlation, all evaluations", None, of["all"]))
        rows.append(Comparison(f"{name}: rank correlation, best fifth", None, of["low"]))
    return rows


def draw(numbers: Numbers) -> Figure:
    """Test against validation error of one run."""
    figure, panels = panels_of(len(numbers), 4.8, 3.8)
    for axes, (name, of), colour in zip(panels, numbers.items(), COLOURS, strict=False):
        axes.plot(of["loss"], of["test"], "o", color=colour, markersize=4, alpha=0.7, label="an evaluation, first run")
        tidy(axes, f"{name} on {DATASET}", "validation error", "test error")
    legend_below(figure, panels[0])
    return figure


ITEM = Item(
    title="Figure 10: validation against test error",
    printed="Scatter plots of XGB and RF on tst-census; where the error is low, validation and test errors are "
    "not well correlated.",
    protocol="The recorded evaluations on tst-census, 10 runs of 200.",
    departures="The paper shows a picture; here Spearman's rank correlation within each run, its mean over the runs.",
    rule="reproduced if, for both algorithms, the rank correlation within the best fifth of the evaluations "
    "is at least 0.2 below that of all; else differs",
    notes="For XGBoost the rank correlation falls from .995 to .42; for random forests from .90 to .72, by "
    ".18, and not by the .2 that we had set. The direction is the paper's.",
    compute=compute,
    verdict=verdict,
    compare=compare,
    draw=draw,
)
