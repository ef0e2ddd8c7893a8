"""Figs 3 and 12: policy search, on a swimmer of our own in place of MuJoCo's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_leaderboard.stopping.pictures import legend_below, panels_of, tidy
from hpo_papers.dai2019.runs.best_found import (
    N_POINTS,
    TRAINING,
    common_range,
    compared,
    draw_lines,
    errors_at,
    interval_row,
)
from hpo_papers.dai2019.runs.competitors import on_substitute
from hpo_papers.dai2019.runs.followed import follow_on, without_trainings
from hpo_papers.dai2019.swimmer.policies import swimmer
from hpo_papers.frame.item import Comparison, Item, Numbers, Verdict
from hpo_papers.frame.work import Work

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BEST = "BO-BOS, N = 50, gamma = 0.9"
METHODS: dict[str, tuple[str, int, float]] = {  # optimizer, N, gamma
    BEST: ("bo-bos", 50, 0.9),
    "BO-BOS, N = 50, gamma = 0.75": ("bo-bos", 50, 0.75),
    "BO-BOS, N = 100, gamma = 0.9": ("bo-bos", 100, 0.9),
    "BO-BOS, N = 50, gamma = 1": ("bo-bos", 50, 1.0),
    "GP-UCB, gamma = 0.9": ("gp-ucb", 50, 0.9),
    "GP-UCB, gamma = 1": ("gp-ucb", 50, 1.0),
}
UNDISCOUNTED = "BO-BOS, N = 50, gamma = 1"
THOUSANDS = 40.0  # of steps of a run


def search(
    optimizer: str, n_epochs: int, gamma: float, n_initial: int, n_paths: int, thousands: float, seed: int
) -> dict[str, Any]:
    """A followed run, without its trainings; the losses are minus the returns.

    Parameters
    ----------
    optimizer, n_epochs, gamma
        As in `METHODS`.
    n_initial, n_paths
        Options of the optimizer, the second of BO-BOS only.
    thousands
        Of steps after which the run ends.
    seed
        Of the run.
    """
    options: dict[str, Any] = {"n_initial": n_initial}
    if optimizer == "bo-bos":
        options |= {"variant": "reference-code", "n_paths": n_paths}
    found = follow_on(swimmer(n_epochs, gamma), optimizer, options, seed, 0.0, thousands)
    return without_trainings(found)


def compute(work: Work) -> Numbers:
    """Followed runs of each method; a single run is a short one."""
    size = (6, 100_000, THOUSANDS) if work.runs > 1 else (2, 1000, 3.0)
    calls = [(*method, *size, seed) for method in METHODS.values() for seed in range(work.runs)]
    found = work.parts(search, calls)
    return {label: found[k * work.runs : (k + 1) * work.runs] for k, label in enumerate(METHODS)}


def compare(numbers: Numbers) -> Sequence[Comparison]:
    last = common_range(numbers, TRAINING)[1]
    rows = []
    for row in compared(numbers, last, TRAINING):
        what = f"{row.what.partition(': ')[0]}: best return after {last:.0f} thousand steps"
        nan = float("nan")
        low, high = (nan, nan) if row.low is None or row.high is None else (-row.high, -row.low)
        rows.append(interval_row(what, -row.ours, low, high, 2))
    return rows


def verdict(numbers: Numbers) -> Verdict:
    returns = {
        label: -value for label, value in errors_at(numbers, TRAINING, common_range(numbers, TRAINING)[1]).items()
    }
    claims = {
        f"{BEST} ({returns[BEST]:.2f}) ends above {other} ({value:.2f})": returns[BEST] > value
        for other, value in returns.items()
        if other != BEST
    }
    others = [value for label, value in returns.items() if label.startswith("BO-BOS") and label != UNDISCOUNTED]
    claims["BO-BOS without a discount ends below the other BO-BOS"] = returns[UNDISCOUNTED] < min(others)
    return on_substitute(claims)


def draw(numbers: Numbers) -> Figure:
    figure, (axes,) = panels_of(1, 8.0, 4.4)
    flipped = {label: [{**run, "loss": [-x for x in run["loss"]]} for run in some] for label, some in numbers.items()}
    draw_lines(axes, flipped, np.linspace(*common_range(numbers, TRAINING), N_POINTS), TRAINING)
    tidy(axes, "mean and standard error over the runs", "thousands of steps", "best-found return")
    legend_below(figure, axes)
    return figure


ITEM = Item(
    title="Figs 3 and 12: policy search",
    printed="Curves only, Swimmer-v2: BO-BOS with N = 50 and gamma = 0.9 outperforms GP-UCB with gamma = 0.9 and 1, "
    "and BO-BOS with gamma = 0.75 or N = 100; without a discount BO-BOS is poor.",
    protocol="16 weights of a linear policy, episodes of 1,000 steps, an average of 5 episodes as one evaluation; "
    "discounted rewards scaled to [0, 1] are the objective, the return as it is is shown; 30 runs.",
    departures="A substitute: MuJoCo is not among the dependencies. A swimmer of three links in a viscous fluid "
    "without inertia of the body, with the same joints, observations and policies; its returns have another scale. The "
    "seed of an evaluation begins its episodes. 4 runs of 40,000 steps; a single run is a short one.",
    rule="always substitute, with the claims that hold and those that do not: by the mean of the best-found return "
    "after the steps that all runs have, BO-BOS with N = 50 and gamma = 0.9 is above each of the others, and BO-BOS "
    "without a discount is below the other three BO-BOS",
    compute=compute,
    verdict=verdict,
    compare=compare,
    draw=draw,
    cost=lambda runs: 110.0 * runs if runs > 1 else 6.0,
    runs=4,
    resolved=("baselines.curves.bo_bos", "baselines.bayesian.gp_ucb"),
)
