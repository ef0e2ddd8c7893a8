"""Figure 4: validation against test error of all evaluations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from hpo_leaderboard.stopping.pictures import COLOURS, panels_of, tidy
from hpo_papers.frame.item import Comparison, Item, Numbers, Verdict, claims_hold
from hpo_papers.frame.work import Work
from hpo_papers.makarova2021.runs.curves import LM_SECONDS, RECORD, example_runs, too_short

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def compute(work: Work) -> Numbers:
    """Losses by algorithm and run, and the correlation within each run: of the values and of the ranks."""
    from scipy.stats import pearsonr, spearmanr

    found = {}
    for name, runs in example_runs(work).items():
        pairs = [(np.array(run["loss"]), np.array(run["test"])) for run in runs]
        found[name] = {
            "validation": [run["loss"] for run in runs],
            "test": [run["test"] for run in runs],
            "pearson": [float(pearsonr(*pair).statistic) for pair in pairs],
            "spearman": [float(spearmanr(*pair).statistic) for pair in pairs],
        }
    return {"runs": work.runs, "evaluations": found}


def compare(numbers: Numbers) -> Sequence[Comparison]:
    return [
        Comparison(f"{name}: {words}, mean over runs", None, float(np.mean(found[key])))
        for name, found in numbers["evaluations"].items()
        for key, words in (("pearson", "correlation"), ("spearman", "rank correlation"))
    ]


def verdict(numbers: Numbers) -> Verdict:
    if not numbers["runs"]:
        return too_short(LM_SECONDS / 60)
    means = {name: float(np.mean(found["pearson"])) for name, found in numbers["evaluations"].items()}
    return claims_hold(
        {
            f"validation and test error correlate less for LM than for {name}": means["LM"] < means[name]
            for name in ("XGB", "RF")
        }
    )


def draw(numbers: Numbers) -> Figure:
    """A panel for each algorithm, a colour for each run."""
    figure, panels = panels_of(len(numbers["evaluations"]), 4.0, 3.6)
    for axes, (name, found) in zip(panels, numbers["evaluations"].items(), strict=True):
        for i, (validation, test) in enumerate(zip(found["validation"], found["test"], strict=True)):
            axes.plot(validation, test, ".", color=COLOURS[i % len(COLOURS)], markersize=3, alpha=0.5)
        ends = axes.get_xlim()
        axes.plot(ends, ends, color="#666666", linewidth=0.8, zorder=0)
        tidy(axes, f"{name}: correlation {np.mean(found['pearson']):.3f}", "validation error", "test error")
    return figure


ITEM = Item(
    title="Figure 4: validation against test error of all evaluations",
    printed="Scatter plots for LM, XGB and RF on op100-9952 with cross-validation: the correlation is weaker for LM.",
    protocol="Every evaluation of runs of 200 evaluations with 10-fold cross-validation.",
    departures=f"Three runs of each algorithm. {RECORD}",
    rule="reproduced if Pearson's correlation over the evaluations of a run, as a mean over runs, is lower for LM than "
    "for XGB and than for RF; else differs",
    compute=compute,
    verdict=verdict,
    compare=compare,
    draw=draw,
    cost=lambda runs: runs * LM_SECONDS + 2.0,
    runs=3,
    least=0,
)
