"""Fixed-target runtimes: how long runs take to reach given losses, and their ECDF.

The runtime of a run to a target is the position on the axis at which its incumbent's loss first is at or below the
target (Klein, 2020, section 8.3.2), inf if that never happens. It is the incumbent that must reach it: a configuration
that was evaluated but, under noise, not kept does not count. Once reached stays reached, even if noise later makes the
run give it up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from hpo_core.errors import InvalidOption
from hpo_leaderboard.scores.curves import positions
from hpo_leaderboard.scores.fixed_target.targets import losses_by_benchmark
from hpo_leaderboard.scores.incumbents import as_incumbents, cells, run_index, run_lasts, run_starts
from hpo_leaderboard.scores.intervals import LEVEL, N_SAMPLES, stratified_interval

if TYPE_CHECKING:
    import pandas

    from hpo_leaderboard.scores.from_runs import Source


def runtimes(incumbents: Source, targets: pandas.DataFrame, over: str = "evaluations") -> pandas.DataFrame:
    """Runtime of each run to each target of its benchmark: a row per (benchmark, optimizer, seed), a column per target.

    r(run, target) = min {x : loss of the incumbent at x <= target}, inf if never. Columns number the targets of a
    benchmark from 0, in the order of the table; NaN where a benchmark has fewer targets than another. Runs on
    benchmarks without targets are left out.
    """
    import pandas as pd

    goals = losses_by_benchmark(targets)
    known = as_incumbents(incumbents)
    index, x = run_index(known), positions(known, over)
    names = index.get_level_values("benchmark").to_numpy(dtype=object)
    starts, ends = run_starts(known), run_lasts(known) + 1
    if not goals.keys() & set(names):
        raise InvalidOption("`targets` must hold targets of a benchmark that was run, got none; see `quantile_targets`")
    loss = known["loss"].to_numpy(dtype=float)
    table = np.full((len(starts), max(map(len, goals.values()))), np.nan)
    for name, goal in goals.items():
        runs = np.flatnonzero(names == name)
        if len(runs):
            rows = slice(starts[runs[0]], ends[runs[-1]])  # the runs of a benchmark stand together
            first = _first_reached(loss[rows], ends[runs] - starts[runs], goal)
            table[runs, : len(goal)] = np.append(x[rows], np.inf)[first]
    return pd.DataFrame(table, index=index)[[name in goals for name in names]]


def _first_reached(loss: np.ndarray, lengths: np.ndarray, goals: np.ndarray) -> np.ndarray:
    """(run, goal) position of the first loss at or below each goal in the losses of runs, one after the other.

    That is the number of losses where a run never gets there. In place of a loss stands the number of goals below it,
    and what makes every number of a run larger than all of the next one: cumulative minima then begin anew with
    each run, and one binary search finds all positions. A loss that is not known counts as below all goals.
    """
    ordered = np.sort(goals)
    n = len(goals) + 1
    run = np.repeat(np.arange(len(lengths)), lengths)
    below = np.where(np.isnan(loss), 0, np.searchsorted(ordered, loss, side="left"))
    lowest = np.minimum.accumulate(below - n * run)
    asked = np.searchsorted(ordered, goals, side="left") - n * np.arange(len(lengths))[:, None]
    first = np.searchsorted(-lowest, -asked, side="left")
    return np.where(first < np.cumsum(lengths)[:, None], first, len(loss))


def ecdf(
    runtimes: pandas.DataFrame,
    grid: Sequence[float] | np.ndarray,
    seed: int = 0,
    n_samples: int = N_SAMPLES,
    level: float = LEVEL,
) -> pandas.DataFrame:
    """Share of (task, target) pairs that each optimizer has reached by each position of the grid, with its interval.

    F(x) = mean over tasks of the mean over the task's runs and targets of [runtime <= x] (Klein, 2020, section 8.3.2,
    after More and Wild, 2009). With equally many runs and targets per task, as there, that is the share of all
    (task, target, run) triples; otherwise every task counts alike. Runs that miss a target are not restarted, as COCO
    would simulate: the curve ends at the share that was reached. The interval resamples the runs of each task.

    Parameters
    ----------
    runtimes
        As `runtimes` gives them.
    grid
        Positions on their axis.
    seed, n_samples, level
        Of the bootstrap interval: its seed, the number of samples, the share of them that it holds.

    Returns
    -------
    pandas.DataFrame
        Columns: optimizer, at, share, low, high, n_tasks, n.
    """
    import pandas as pd

    at = np.asarray(grid, dtype=float)
    reached = _reached(runtimes.to_numpy(dtype=float), at)
    by_optimizer: dict[str, list[np.ndarray]] = {}
    for (_, optimizer), rows in cells(runtimes):
        by_optimizer.setdefault(optimizer, []).append(reached[rows])
    parts = []
    for optimizer, tasks in sorted(by_optimizer.items()):
        share = np.mean([runs.mean(axis=0) for runs in tasks], axis=0)
        low, high = stratified_interval(tasks, seed, n_samples, level)
        counts = {"n_tasks": len(tasks), "n": sum(map(len, tasks))}
        parts.append({"optimizer": optimizer, "at": at, "share": share, "low": low, "high": high, **counts})
    return pd.concat([pd.DataFrame(part) for part in parts], ignore_index=True)


def _reached(runtimes: np.ndarray, at: np.ndarray) -> np.ndarray:
    """(run, position) share of its targets that each run has reached by each position."""
    ordered = np.sort(runtimes, axis=1)  # inf, then NaN at the end
    reached = np.array([np.searchsorted(row, at, side="right") for row in ordered])
    n_targets = (~np.isnan(runtimes)).sum(axis=1)
    return np.minimum(reached, n_targets[:, None]) / n_targets[:, None]
