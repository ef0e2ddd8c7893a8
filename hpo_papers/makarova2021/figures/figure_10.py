"""Figure 10: standard deviation of the folds' losses with 3, 5 and 10 folds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from hpo_leaderboard.stopping.pictures import COLOURS, legend_below, panels_of, tidy
from hpo_papers.frame.item import Comparison, Item, Numbers, Verdict, claims_hold
from hpo_papers.frame.work import Work
from hpo_papers.makarova2021.runs.curves import ALGORITHMS, READING, too_short
from hpo_papers.makarova2021.runs.live import PHONEME, live_run, reshuffled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DATASETS = (PHONEME, "german")
FOLDS = (3, 5, 10)
N_CONFIGS, N_ROWS = 50, 1000
FIRST_SECONDS, SECONDS = 200.0, 340.0  # CPU time of the configurations, and of one reshuffling of them


def compute(work: Work) -> Numbers:
    """(configuration,) standard deviations over the folds, means over reshufflings, by dataset, algorithm and K."""
    names, datasets, n_configs = (ALGORITHMS, DATASETS, N_CONFIGS) if work.runs else (("LM",), ("yacht",), 6)
    panels = []
    for dataset in datasets:
        for name in names:
            n_rows = N_ROWS if dataset == PHONEME else 0
            run = work.parts(live_run, [(name.lower(), dataset, n_configs, 0, 0, 0, 10, n_rows)])[0]
            calls = [
                (name.lower(), dataset, run["config"], k, split, n_rows)
                for split in range(1, max(work.runs, 1) + 1)
                for k in FOLDS
            ]
            parts = work.parts(reshuffled, calls)
            stds = {
                str(k): np.mean([np.std(folds, axis=1) for folds in parts[i :: len(FOLDS)]], axis=0).tolist()
                for i, k in enumerate(FOLDS)
            }
            panels.append({"dataset": dataset, "algorithm": name, "stds": stds})
    return {"runs": work.runs, "panels": panels}


def compare(numbers: Numbers) -> Sequence[Comparison]:
    rows = []
    for panel in numbers["panels"]:
        three = np.mean(panel["stds"]["3"])
        for k in FOLDS[1:]:
            what = f"{panel['algorithm']} on {panel['dataset']}: mean standard deviation, K = {k} / K = 3"
            rows.append(Comparison(what, None, float(np.mean(panel["stds"][str(k)]) / three)))
        above = np.mean(np.array(panel["stds"]["10"]) > np.array(panel["stds"]["3"]))
        what = f"{panel['algorithm']} on {panel['dataset']}: share of configurations with more at K = 10 than at 3"
        rows.append(Comparison(what, None, float(above)))
    return rows


def verdict(numbers: Numbers) -> Verdict:
    if not numbers["runs"]:
        return too_short((FIRST_SECONDS + SECONDS) / 60)
    rising, most = 0, 0
    for panel in numbers["panels"]:
        three, five, ten = (np.array(panel["stds"][str(k)]) for k in FOLDS)
        rising += bool(three.mean() <= five.mean() <= ten.mean())
        most += bool(np.mean(ten > three) >= 2 / 3)
    n = len(numbers["panels"])
    return claims_hold(
        {
            f"the mean standard deviation rises with K in at least five of {n} cases": rising >= 5,
            f"in at least five of {n} cases two thirds of the configurations have more at K = 10 than at 3": most >= 5,
        }
    )


def draw(numbers: Numbers) -> Figure:
    """A panel for each dataset and algorithm, configurations sorted by K = 3."""
    figure, panels = panels_of(len(numbers["panels"]), 4.0, 2.8)
    for axes, panel in zip(panels, numbers["panels"], strict=True):
        order = np.argsort(panel["stds"]["3"], kind="stable")
        for colour, k in zip(COLOURS, FOLDS, strict=False):
            values = np.array(panel["stds"][str(k)])[order]
            axes.plot(range(len(values)), values, ".-", color=colour, label=f"K = {k}", linewidth=0.9, markersize=4)
        tidy(axes, f"{panel['algorithm']}, {panel['dataset']}", "configurations", "standard deviation of the folds")
    legend_below(figure, panels[0])
    return figure


ITEM = Item(
    title="Figure 10: standard deviation of K-fold cross-validation, K = 3, 5, 10",
    printed="50 configurations, 10 reshufflings, 2 datasets and 3 algorithms: with larger K the standard deviation of "
    "the folds' losses tends to be larger.",
    protocol="The first 50 configurations of a run; standard deviation over the folds, mean over the reshufflings.",
    departures=f"Two reshufflings; the datasets are a stratified sample of {N_ROWS} rows of `phoneme` (op100-9952) "
    f"and `german` (1,000 rows), since the text does not name the paper's two. {READING}",
    rule="reproduced if in at least five of the six cases the mean over the configurations rises from K = 3 to 5 to "
    "10, and in at least five two thirds of the configurations have a larger one at K = 10 than at 3; else differs",
    compute=compute,
    verdict=verdict,
    compare=compare,
    draw=draw,
    cost=lambda runs: (FIRST_SECONDS + runs * SECONDS) if runs else 2.0,
    runs=2,
    least=0,
)
