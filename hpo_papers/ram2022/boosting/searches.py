"""All searches of tables 2-4, and what is counted in them; what the tables have in common."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hpo_papers.frame.work import Work
from hpo_papers.ram2022.boosting.datasets import GROUPS, MISSING, SUBSTITUTES
from hpo_papers.ram2022.boosting.search import N_CANDIDATES, search

SHARES = (0.1, 0.2, 0.3)
EQUAL = 1e-5  # relative difference
RUNS = 5
N_SHARING = 4  # items that use the same searches, whose cost is divided among them
PROTOCOL = (
    "LightGBM on 40 binary OpenML datasets, ten each with n from 1,000, 5,000, 10,000 and 50,000 rows; mu / n is 0.1, "
    "0.2 and 0.3; random search (RandomizedSearchCV); AuROC and balanced accuracy; true risks on a test set."
)
DEPARTURES = (
    "Other data: the 9 of the 40 datasets that can be had without a download (mushroom without its incomplete rows; "
    f"2dplanes simulated anew), and {' and '.join(SUBSTITUTES)} as substitutes of the same size. Missing: {MISSING}. "
    "Other trees: scikit-learn's HistGradientBoostingClassifier, which has no row sampling, alpha and child weight; "
    "100 to 500 trees rather than 100 to 5,000. 10 candidates and 25 % test rows, of which the paper says nothing; 5 "
    "repetitions. Relative differences are of the score, in percent. One repetition is a test of the code, on one "
    "dataset."
)

Search = Mapping[str, Any]


def searches(work: Work) -> list[dict[str, Any]]:
    """Each search: its group, dataset, share and repetition, with the scores by metric."""
    small = work.runs == 1
    groups = {1000: ("german",)} if small else GROUPS
    limits = (3, 20) if small else (N_CANDIDATES, 500)
    keys = [
        (group, name, share, repetition)
        for group, names in groups.items()
        for name in names
        for share in SHARES
        for repetition in range(work.runs)
    ]
    found = work.parts(search, [(name, share, repetition, *limits) for _, name, share, repetition in keys])
    names = ("group", "dataset", "share", "repetition")
    return [{**dict(zip(names, key, strict=True)), **each} for key, each in zip(keys, found, strict=True)]


def cost(runs: int) -> float:
    """CPU seconds of an item: its part of the searches."""
    return 1.0 if runs == 1 else 180.0 * runs / N_SHARING


def cells(rows: Sequence[Search]) -> dict[tuple[int, float], list[Search]]:
    """Searches of each cell of a table: n and mu / n."""
    found: dict[tuple[int, float], list[Search]] = {}
    for row in rows:
        found.setdefault((row["group"], row["share"]), []).append(row)
    return found


def missed(rows: Sequence[Search], metric: str) -> tuple[float, float]:
    """Percentage of searches that did not find the oracle's score, and their mean relative loss in percent."""
    losses = [1 - row[metric]["selected"] / row[metric]["oracle"] for row in rows]
    worse = [loss for loss in losses if loss > EQUAL]
    return 100 * len(worse) / len(losses), 100 * float(np.mean(worse)) if worse else 0.0


def retraining(rows: Sequence[Search], metric: str) -> dict[str, float]:
    """Percentages of searches in which f and g are equal, f or g is better, and the mean relative gains in percent."""
    gains = [row[metric]["retrained"] / row[metric]["selected"] - 1 for row in rows]
    f, g = [gain for gain in gains if gain > EQUAL], [-gain for gain in gains if gain < -EQUAL]
    total = len(gains) / 100
    return {
        "equal": (len(gains) - len(f) - len(g)) / total,
        "f": len(f) / total,
        "f_gain": 100 * float(np.mean(f)) if f else math.nan,
        "g": len(g) / total,
        "g_gain": 100 * float(np.mean(g)) if g else math.nan,
    }
