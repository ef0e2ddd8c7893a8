"""Regret over evaluations or over simulated seconds, as step functions on a common grid.

Runs of unequal length are carried forward: a run that has ended keeps its last incumbent up to the end of the longest
one, since that is what its user has. `n_running` says how many runs had not ended. The alternative, to stop at the
shortest run, would let one early stop cut everybody's curve.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from hpo_core.errors import InvalidOption
from hpo_leaderboard.scores.incumbents import as_incumbents, cells, known_runs, run_index, run_lasts, run_starts
from hpo_leaderboard.scores.intervals import LEVEL, N_SAMPLES, mean_interval, quantiles

if TYPE_CHECKING:
    import pandas

    from hpo_leaderboard.scores.from_runs import Source

AXES = ("evaluations", "seconds", "share")


def positions(incumbents: pandas.DataFrame, over: str) -> np.ndarray:
    """(n,) position of each completed trial on an axis.

    evaluations   trials completed, at whatever budget
    seconds       simulated seconds since the start of the run
    share         simulated seconds / those of the longest run on the benchmark, for curves over several benchmarks
    """
    if over not in AXES:
        raise InvalidOption(f"over must be one of {', '.join(AXES)}, got {over!r}")
    if over == "evaluations":
        return incumbents["evaluation"].to_numpy(dtype=float)
    seconds = incumbents["seconds"]
    if over == "seconds":
        return seconds.to_numpy(dtype=float)
    longest = seconds.groupby(incumbents["benchmark"], observed=True).transform("max").to_numpy(dtype=float)
    return np.divide(seconds.to_numpy(dtype=float), longest, out=np.ones(len(longest)), where=longest > 0)


def run_ends(incumbents: pandas.DataFrame, over: str) -> np.ndarray:
    """(run,) position on an axis at which each run ended."""
    return positions(incumbents, over)[run_lasts(incumbents)]


def default_grid(incumbents: Source, over: str = "evaluations", n: int = 100) -> np.ndarray:
    """Positions on an axis up to the end of the longest run.

    Every evaluation; or n positions in seconds, evenly spaced in their logarithm from the first completed trial on; or
    n equal shares.
    """
    x = positions(as_incumbents(incumbents), over)
    if over == "evaluations":
        return np.arange(1.0, x.max() + 1)
    if over == "share":
        return np.arange(1, n + 1) / n
    first = x[x > 0].min() if (x > 0).any() else 1.0
    return np.geomspace(first, max(x.max(), first), n)


def curves(
    incumbents: Source,
    over: str = "evaluations",
    grid: Sequence[float] | np.ndarray | None = None,
    value: str = "regret",
) -> pandas.DataFrame:
    """Regret of each run's incumbent at each position of the grid: a row per (benchmark, optimizer, seed).

    c_r(x) = value of the incumbent after the last trial of run r that ended at or before x; inf before the first, NaN
    where the incumbent's value is not recorded (test losses). Benchmarks where it is not known at all are left out.

    Parameters
    ----------
    incumbents
        Table of `incumbents`, or runs.
    over
        The axis: "evaluations", "seconds" or "share", see `positions`.
    grid
        Positions on it; None is `default_grid`.
    value
        A column of the incumbents: regret, test_regret, relative, loss.
    """
    import pandas as pd

    table = as_incumbents(incumbents)
    at = default_grid(table, over) if grid is None else np.asarray(grid, dtype=float)
    x, starts = positions(table, over), run_starts(table)
    bounds = pairwise(np.append(starts, len(x)).tolist())
    completed = np.array([np.searchsorted(x[a:b], at, side="right") for a, b in bounds])
    column = table[value].to_numpy(dtype=float)
    values = np.where(completed > 0, column[starts[:, None] + np.maximum(completed, 1) - 1], np.inf)
    frame = pd.DataFrame(values, index=run_index(table), columns=pd.Index(at, name=over))
    return frame[known_runs(table, value)]


def as_curves(source: Source) -> pandas.DataFrame:
    """Curves over evaluations of what `tables_of` takes, or of incumbents; curves themselves as they are."""
    import pandas as pd

    if isinstance(source, pd.DataFrame) and isinstance(source.index, pd.MultiIndex):
        return source
    return curves(source)


def curve_summary(
    incumbents: Source,
    over: str = "evaluations",
    grid: Sequence[float] | np.ndarray | None = None,
    value: str = "regret",
    pooled: bool = False,
    seed: int = 0,
    n_samples: int = N_SAMPLES,
    level: float = LEVEL,
) -> pandas.DataFrame:
    """Statistics over runs for each benchmark, optimizer and grid position (Klein, 2020, section 7.4, figure 7.5).

    at                     position on the axis
    n, n_running           runs whose value is recorded there, and those among them that had not ended by then
    median, q25, q75       quartiles; a run without an incumbent yet counts as inf
    mean, sem              mean and its standard error s / sqrt(n), NaN for one run or infinite values
    mean_low, mean_high    bootstrap interval of the mean

    Parameters
    ----------
    incumbents, over, grid, value
        As for `curves`.
    pooled
        Whether to put the runs of all benchmarks together, as benchmark "all". That asks for a value and an axis that
        all of them share, "relative" and "evaluations" or "share", and for optimizers that ran on the same benchmarks
        (`blocks`); a benchmark counts by its number of runs, and the interval draws from all of them together.
    seed, n_samples, level
        Of the bootstrap interval: its seed, the number of samples, the share of them that it holds.
    """
    import pandas as pd

    known = as_incumbents(incumbents)
    table = curves(known, over, grid, value)
    ends = run_ends(known, over)[known_runs(known, value)]
    if pooled:
        table = pd.concat({"all": table.droplevel("benchmark")}, names=["benchmark"])
    at = table.columns.to_numpy(dtype=float)
    parts = []
    for (benchmark, optimizer), rows in cells(table):
        values = table.to_numpy()[rows]
        recorded = ~np.isnan(values)
        low, high = mean_interval(values, seed, n_samples, level)
        running = ((ends[rows][:, None] > at) & recorded).sum(axis=0)
        statistics = {"at": at, "n": recorded.sum(axis=0), "n_running": running, **_moments(values)}
        parts.append({"benchmark": benchmark, "optimizer": optimizer, **statistics, "mean_low": low, "mean_high": high})
    return pd.concat([pd.DataFrame(part) for part in parts], ignore_index=True)


def _moments(values: np.ndarray) -> dict[str, np.ndarray]:
    """(x,) quartiles, mean and standard error over the runs of (run, x) values, of those that are not NaN."""
    missing = np.isnan(values)
    if missing.any():
        columns = [_moments(values[~missing[:, x], x][:, None]) for x in range(values.shape[1])]
        return {name: np.concatenate([column[name] for column in columns]) for name in columns[0]}
    n = values.shape[0]
    if n == 0:
        return dict.fromkeys(("median", "q25", "q75", "mean", "sem"), np.full(values.shape[1:], np.nan))
    q25, median, q75 = quantiles(values, (0.25, 0.5, 0.75))
    with np.errstate(invalid="ignore"):  # inf - inf: the standard error is then NaN
        sem = values.std(axis=0, ddof=1) / np.sqrt(n) if n > 1 else np.full(values.shape[1:], np.nan)
    return {"median": median, "q25": q25, "q75": q75, "mean": values.mean(axis=0), "sem": sem}
