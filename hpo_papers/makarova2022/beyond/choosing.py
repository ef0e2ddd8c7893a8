"""A stopping rule chosen on some datasets and judged on the one left out, for all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from hpo_leaderboard.scores.intervals import mean_interval
from hpo_papers.makarova2022.bounds.cv import FollowingRule, following_stops
from hpo_papers.makarova2022.record.contents import Runs
from hpo_papers.makarova2022.record.methods import run_scores, stops_of

SCALES = (1.5, 2.0, 2.4, 2.8, 3.2, 3.5, 4.0, 4.5, 5.0, 6.0)
WARM_UPS = (20, 28, 36, 48, 60)
CHECKS = (1, 3, 5, 10)
AUTHORS = "Ours_0.5"


class Candidates(NamedTuple):
    """Scores of rules: (rule, algorithm, dataset) means over the runs, RTC and RYC; and those of the authors' 0.5."""

    rules: tuple[FollowingRule, ...]
    rtc: np.ndarray
    ryc: np.ndarray
    authors_rtc: np.ndarray
    authors_ryc: np.ndarray


def candidates(
    runs: Sequence[Runs], bounds: Sequence[np.ndarray], correlations: Sequence[np.ndarray | None]
) -> Candidates:
    """Scores of every rule of the grid with given bounds; the authors' 0.5 has the recorded ones.

    Parameters
    ----------
    runs
        Of each algorithm.
    bounds, correlations
        (dataset, run, evaluation) of each algorithm; correlations None where every bound is trusted.
    """
    rules = tuple(FollowingRule(*values) for values in product(SCALES, WARM_UPS, CHECKS))
    scores = np.array(
        [
            [
                [score.mean(axis=1) for score in run_scores(own, following_stops(own, bound, rule, correlation))]
                for own, bound, correlation in zip(runs, bounds, correlations, strict=True)
            ]
            for rule in rules
        ]
    )  # (rule, algorithm, score, dataset)
    authors = np.array([[score.mean(axis=1) for score in run_scores(own, stops_of(own, AUTHORS))] for own in runs])
    return Candidates(rules, scores[:, :, 0], scores[:, :, 1], authors[:, 0], authors[:, 1])


def left_out(found: Candidates) -> dict[str, Any]:
    """Scores on each dataset of the rule chosen on the others: the least loss among those that save as much.

    A rule saves as much if its RTC, the mean over both algorithms and the other datasets, is not below the authors'.
    """
    n_datasets = found.rtc.shape[-1]
    chosen, rtc, ryc = [], [], []
    for left in range(n_datasets):
        others = np.arange(n_datasets) != left
        saved, lost = found.rtc[..., others].mean(axis=(1, 2)), found.ryc[..., others].mean(axis=(1, 2))
        enough = saved >= found.authors_rtc[:, others].mean()
        best = int(np.argmax(np.where(enough, lost, -np.inf)))
        chosen.append(best)
        rtc.append(found.rtc[best, :, left])
        ryc.append(found.ryc[best, :, left])
    return {
        "rules": [list(found.rules[i]) for i in chosen],
        **compared("rtc", np.array(rtc).T, found.authors_rtc),
        **compared("ryc", np.array(ryc).T, found.authors_ryc),
    }


def fixed(found: Candidates, rule: FollowingRule) -> dict[str, Any]:
    """Scores of one rule on all datasets."""
    i = found.rules.index(rule)
    return {
        **compared("rtc", found.rtc[i], found.authors_rtc),
        **compared("ryc", found.ryc[i], found.authors_ryc),
    }


def compared(score: str, ours: np.ndarray, theirs: np.ndarray) -> dict[str, Any]:
    """Means by algorithm of ours and theirs (algorithm, dataset), and the difference with its interval."""
    differences = (ours - theirs).mean(axis=0)
    low, high = mean_interval(differences[:, None], seed=0)
    return {
        score: ours.mean(axis=1).tolist(),
        f"{score}_authors": theirs.mean(axis=1).tolist(),
        f"{score}_difference": [float(differences.mean()), float(low[0]), float(high[0])],
    }


def words(outcome: Mapping[str, Any]) -> str:
    """Differences of both scores with their intervals, as text."""
    parts = []
    for score in ("rtc", "ryc"):
        mean, low, high = outcome[f"{score}_difference"]
        parts.append(f"{score.upper()} {mean:+.4f} [{low:+.4f}, {high:+.4f}]")
    return ", ".join(parts)
