"""The paper's methods by the names that its tables print, on recorded runs, and their scores with intervals.

Conv_10      no better incumbent for 10 evaluations
EI_1e-08     expected improvement of the optimizer's own proposal; PI_1e-12: its probability
Ours_0.21    with cross-validation: bound below the threshold of the authors' code; Ours_0.5: times 0.5 / 0.21
Ours_0.001   on tables: bound below that threshold
Text_0.21    as algorithm 1 has it: the threshold follows the incumbent; Text_0.5: 0.5 s^2, the square root of which
             is taken, so that the standard error is multiplied by 1.54 and not by 2.38
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hpo_core.errors import UnknownName
from hpo_leaderboard.scores.intervals import mean_interval
from hpo_papers.makarova2022.record import rules
from hpo_papers.makarova2022.record.contents import WARM_UP, Runs

CV_SCALES = {
    "Ours_0.21": (1.0, True),
    "Ours_0.5": (rules.HALF, True),
    "Ours_1.0": (1.0 / 0.21, True),
    "Text_0.21": (1.0, False),
    "Text_0.5": (rules.TEXTS_HALF, False),
}


def stops_of(runs: Runs, method: str, bounds: np.ndarray | None = None) -> np.ndarray:
    """(dataset, run) evaluations at which a method stops; `bounds` in place of the recorded ones."""
    losses, warm_up = runs["loss"], WARM_UP[runs.study]
    kind, _, value = method.partition("_")
    if kind == "Conv":
        return rules.conv_stops(losses, int(value), warm_up)
    if kind in ("EI", "PI"):
        return rules.score_stops(runs[kind.lower()], float(value), warm_up)
    given = runs["bound"] if bounds is None else bounds
    if runs.study == "cv" and method in CV_SCALES:
        scale, frozen = CV_SCALES[method]
        return rules.bound_stops(given, scale * rules.fold_thresholds(losses, runs["folds"], warm_up, frozen), warm_up)
    if runs.study != "cv" and kind == "Ours":
        return rules.bound_stops(given, float(value), warm_up)
    raise UnknownName(f"no method {method!r} of the paper's study {runs.study!r}")


def run_scores(runs: Runs, stops: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(dataset, run) RTC and RYC; RYC by test loss, of NAS-Bench-201 by the observed validation loss."""
    losses = runs["loss"]
    values = losses if runs.study == "nas" else runs["test"]
    missing = np.isnan(losses[..., 0])
    saved, changed = rules.rtc(stops, losses.shape[-1]), rules.ryc(values, losses, stops)
    return np.where(missing, np.nan, saved), np.where(missing, np.nan, changed)


def averaged(name: str, values: np.ndarray) -> dict[str, float]:
    """Mean and 95 % bootstrap interval of the first axis of values (group, run) or (run,), without what is missing.

    With groups, such as datasets, their means are drawn again: an interval for other datasets, not for other runs on
    the same ones.
    """
    units = np.nanmean(values, axis=1) if values.ndim == 2 else values[np.isfinite(values)]
    low, high = mean_interval(units[:, None], seed=0)
    return {name: float(units.mean()), f"{name}_low": float(low[0]), f"{name}_high": float(high[0])}


def cv_rows(runs: Runs, methods: Sequence[str], bounds: np.ndarray | None = None) -> list[dict[str, Any]]:
    """A row of scores over all datasets for each method."""
    rows = []
    for method in methods:
        saved, changed = run_scores(runs, stops_of(runs, method, bounds))
        rows.append({"method": method, "group": runs.name, **averaged("rtc", saved), **averaged("ryc", changed)})
    return rows


def table_rows(runs: Runs, methods: Sequence[str], bounds: np.ndarray | None = None) -> list[dict[str, Any]]:
    """A row of scores for each method and dataset."""
    rows = []
    for method in methods:
        saved, changed = run_scores(runs, stops_of(runs, method, bounds))
        for dataset, own, change in zip(runs.datasets, saved, changed, strict=True):
            rows.append({"method": method, "group": dataset, **averaged("rtc", own), **averaged("ryc", change)})
    return rows
