"""Best-found errors of followed runs over epochs or seconds: at points, their means with intervals, and pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_leaderboard.scores.intervals import mean_interval
from hpo_leaderboard.stopping.pictures import COLOURS, STYLES, legend_below, panels_of, tidy
from hpo_papers.frame.item import Comparison

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Followed = Mapping[str, Any]  # as `follow` returns it
Runs = Mapping[str, Sequence[Followed]]  # label: one for each seed
EPOCHS, SECONDS, TRAINING = "epochs", "seconds", "seconds of training"
SEED = 0  # of the intervals
N_POINTS = 120


def spent(run: Followed, axis: str) -> np.ndarray:
    """(improvements,) what a run had spent at each improvement: epochs, or seconds with or without the optimizer's."""
    if axis == EPOCHS:
        return np.asarray(run["epochs"], dtype=float)
    train = np.asarray(run["train"], dtype=float)
    return train if axis == TRAINING else train + np.asarray(run["decide"], dtype=float)


def common_range(runs: Runs, axis: str) -> tuple[float, float]:
    """First point at which every run has found something, and last that every run has reached."""
    everyone = [run for some in runs.values() for run in some]
    lasts = [run["spent"][0] if axis == EPOCHS else run["spent"][1] for run in everyone]
    if axis == SECONDS:
        lasts = [last + run["spent"][2] for last, run in zip(lasts, everyone, strict=True)]
    return max(float(spent(run, axis)[0]) for run in everyone), min(lasts)


def average_errors(runs: Runs, axis: str, first: float, last: float) -> dict[str, float]:
    """Mean over the runs and over points between two, evenly spaced, of each method's best-found error."""
    points = np.linspace(first, last, N_POINTS)
    return {label: float(at_points(some, points, axis).mean()) for label, some in runs.items()}


def errors_at(runs: Runs, axis: str, point: float) -> dict[str, float]:
    """Mean over the runs of each method's best-found error at a point."""
    return {label: float(at_points(some, np.array([point]), axis).mean()) for label, some in runs.items()}


def best_at(run: Followed, points: np.ndarray, axis: str = EPOCHS) -> np.ndarray:
    """(points,) best-found error when so much was spent; NaN before the first training has ended."""
    losses = np.append(np.nan, np.asarray(run["loss"], dtype=float))
    return losses[np.searchsorted(spent(run, axis), points, side="right")]


def at_points(runs: Sequence[Followed], points: np.ndarray, axis: str = EPOCHS) -> np.ndarray:
    """(runs, points) best-found errors."""
    return np.stack([best_at(run, points, axis) for run in runs])


def interval_row(what: str, ours: float, low: float, high: float, digits: int = 4) -> Comparison:
    """A row of ours alone, with its interval; NaN at its ends for none."""
    known = low == low
    return Comparison(what, None, ours, low if known else None, high if known else None, digits)


def compared(runs: Runs, point: float, axis: str = EPOCHS) -> list[Comparison]:
    """Mean best-found error of each method at a point, with its interval over the runs."""
    rows = []
    for label, some in runs.items():
        values = at_points(some, np.array([point]), axis)
        low, high = mean_interval(values, SEED)
        what = f"{label}: best-found error after {point:,.0f} {axis}"
        rows.append(interval_row(what, float(values.mean()), float(low[0]), float(high[0])))
    return rows


def difference(runs: Runs, one: str, other: str, point: float, axis: str = EPOCHS) -> tuple[float, float, float]:
    """Mean over the seeds of the error of one method minus that of another, and the ends of its interval."""
    n = min(len(runs[one]), len(runs[other]))
    both = [at_points(runs[label][:n], np.array([point]), axis) for label in (one, other)]
    low, high = mean_interval(both[0] - both[1], SEED)
    return float((both[0] - both[1]).mean()), float(low[0]), float(high[0])


def differences(runs: Runs, one: str, others: Sequence[str], point: float, axis: str = EPOCHS) -> list[Comparison]:
    """Rows of `difference` of one method to others."""
    rows = []
    for other in others:
        found = difference(runs, one, other, point, axis)
        rows.append(interval_row(f"{one} minus {other}, after {point:,.0f} {axis}", *found))
    return rows


def draw_best(runs: Runs, panels: Sequence[tuple[str, float, float]]) -> Figure:
    """Mean best-found error with standard errors, a panel for each axis with its first and last point."""
    figure, all_axes = panels_of(len(panels), 6.0, 4.2)
    for axes, (axis, first, last) in zip(all_axes, panels, strict=True):
        draw_lines(axes, runs, np.linspace(first, last, N_POINTS), axis)
        words = f"{axis}, decisions included" if axis == SECONDS else axis
        tidy(axes, "mean and standard error over the runs", words, "best-found validation error")
    legend_below(figure, all_axes[0])
    return figure


def draw_lines(axes: Axes, runs: Runs, points: np.ndarray, axis: str) -> None:
    """A line with its standard errors for each method."""
    for k, (label, some) in enumerate(runs.items()):
        values = at_points(some, points, axis)
        mean = values.mean(axis=0)
        colour = COLOURS[k % len(COLOURS)]
        axes.plot(points, mean, color=colour, linestyle=STYLES[k % len(STYLES)], linewidth=1.8, label=label)
        if len(some) > 1:
            error = values.std(axis=0, ddof=1) / np.sqrt(len(some))
            axes.fill_between(points, mean - error, mean + error, color=colour, alpha=0.15, linewidth=0)
