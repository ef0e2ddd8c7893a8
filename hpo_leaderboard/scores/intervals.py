"""Bootstrap intervals of means: expanded percentile intervals (Hesterberg, 2015).

What is resampled are the runs of one optimizer on one benchmark. Benchmarks are not (except for performance profiles
and in `over_tasks`), so an interval speaks about the benchmarks that were run and not about others. Plain percentiles
(Efron and Tibshirani, 1993, chapter 13) are short with few runs: at the level 95 % they hold the mean of 5 normal
values 83 times in 100. So percentiles further out are taken, as Student's t has it; with fewer than five runs the
interval ends at the lowest and highest sample and is short still: with 4 it holds the mean 85 times in 100. A single
run has no interval: both ends are NaN.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from hpo_core.errors import InvalidOption
from hpo_leaderboard.scores.incumbents import as_final_values, cells

if TYPE_CHECKING:
    import pandas

    from hpo_leaderboard.scores.from_runs import Source

N_SAMPLES = 1000
LEVEL = 0.95
MOST_KEPT = 4_000_000  # counts, of 8 bytes


def resampling_counts(rng: np.random.Generator, n: int, n_samples: int) -> np.ndarray:
    """(sample, n) how often each of n runs occurs in each bootstrap sample of n draws with replacement."""
    draws = rng.integers(n, size=(n_samples, n)) + n * np.arange(n_samples)[:, None]
    return np.bincount(draws.ravel(), minlength=n * n_samples).reshape(n_samples, n).astype(float)


@lru_cache(maxsize=16)  # the curves of a report ask for the same ones hundreds of times
def _seeded_counts(seed: int, n: int, n_samples: int) -> np.ndarray:
    counts = resampling_counts(np.random.default_rng(seed), n, n_samples)
    counts.flags.writeable = False
    return counts


@lru_cache(maxsize=2)  # the optimizers of a report have the same numbers of runs on its benchmarks
def _kept_counts(seed: int, sizes: tuple[int, ...], n_samples: int) -> tuple[np.ndarray, ...]:
    return tuple(_drawn_counts(seed, sizes, n_samples))


def _drawn_counts(seed: int, sizes: tuple[int, ...], n_samples: int) -> Iterator[np.ndarray]:
    rng = np.random.default_rng(seed)
    for n in sizes:
        counts = resampling_counts(rng, n, n_samples)
        counts.flags.writeable = False
        yield counts


def counts_of_all(seed: int, sizes: Iterable[int], n_samples: int) -> Iterable[np.ndarray]:
    """(sample, n) counts (`resampling_counts`) of each of several sizes n, drawn one after the other.

    They are kept for the next call, unless they are large.
    """
    asked = tuple(sizes)
    return (_kept_counts if sum(asked) * n_samples <= MOST_KEPT else _drawn_counts)(seed, asked, n_samples)


def resampled_means(values: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """(sample, x) means over the runs of (run, x) values, one per row of (sample, run) counts.

    A sample that holds an infinite value has an infinite mean; one that does not is not touched by it. NaN are left
    out; the mean of a sample of nothing else is NaN.
    """
    if np.isfinite(values).all():
        means = counts @ values
        means /= values.shape[0]
        return means
    infinite, missing = np.isinf(values), np.isnan(values)
    sizes = counts @ ~missing if missing.any() else np.full((1, 1), float(values.shape[0]))
    totals = counts @ np.where(infinite | missing, 0.0, values)
    means = np.divide(totals, sizes, out=np.full(totals.shape, np.nan), where=sizes > 0)
    if infinite.any():
        means[counts @ infinite > 0] = np.inf
    return means


def check_level(level: float) -> float:
    """The level of an interval, if it is one."""
    if not 0.0 < level < 1.0:
        raise InvalidOption(f"level must lie between 0 and 1, got {level}; 0.95 is usual")
    return level


@lru_cache(maxsize=256)  # distributions of scipy take a millisecond
def expanded_level(level: float, n: int, degrees: int) -> float:
    """Level at which the percentiles of bootstrap samples make an interval of the given level.

    2 Phi(t sqrt(n / (n - 1))) - 1 (Hesterberg, 2015): a bootstrap sample of n values has too small a variance by the
    factor (n - 1) / n, and t, the quantile of Student's distribution, allows for `degrees` of freedom of its estimate.
    """
    from scipy.stats import norm, t

    check_level(level)
    if n < 2:
        return level
    expanded = 2 * norm.cdf(t.ppf((1 + level) / 2, degrees) * np.sqrt(n / (n - 1))) - 1
    return float(min(expanded, np.nextafter(1.0, 0.0)))


def percentile_interval(samples: np.ndarray, level: float = LEVEL) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper end, over the first axis, of the interval that holds a share `level` of the samples.

    The ends are samples themselves, rounded outwards, so infinite samples need no interpolation. Where a sample is NaN,
    both ends are.
    """
    check_level(level)
    last = samples.shape[0] - 1
    high = int(np.ceil((1 + level) / 2 * last))
    ordered = np.partition(samples, (last - high, high), axis=0)
    unknown = np.isnan(samples).any(axis=0)
    return np.where(unknown, np.nan, ordered[last - high]), np.where(unknown, np.nan, ordered[high])


def mean_interval(
    values: np.ndarray, seed: int, n_samples: int = N_SAMPLES, level: float = LEVEL
) -> tuple[np.ndarray, np.ndarray]:
    """(x,) lower and (x,) upper end of the interval of the mean over the runs of (run, x) values.

    Equal numbers of runs and equal seeds resample alike, so an interval does not depend on what else is in the table.

    Parameters
    ----------
    values
        (run, x), any number of columns x.
    seed, n_samples, level
        Of the bootstrap interval: its seed, the number of samples, the share of them that it holds.
    """
    n = values.shape[0]
    if n < 2:
        return np.full(values.shape[1:], np.nan), np.full(values.shape[1:], np.nan)
    samples = resampled_means(values, _seeded_counts(seed, n, n_samples))
    return percentile_interval(samples, expanded_level(level, n, n - 1))


def stratified_interval(
    tasks: Sequence[np.ndarray], seed: int, n_samples: int = N_SAMPLES, level: float = LEVEL
) -> tuple[np.ndarray, np.ndarray]:
    """(x,) ends of the bootstrap interval of a mean over tasks of means over their runs, from (run, x) values of each.

    Runs are drawn again within each task. NaN if a task has a single run.

    Parameters
    ----------
    tasks
        (run, x) values of each task, with the same columns x.
    seed, n_samples, level
        Of the bootstrap interval: its seed, the number of samples, the share of them that it holds.
    """
    if min(map(len, tasks)) < 2:
        return np.full(tasks[0].shape[1], np.nan), np.full(tasks[0].shape[1], np.nan)
    total = np.zeros((n_samples, tasks[0].shape[1]))
    for values, counts in zip(tasks, counts_of_all(seed, map(len, tasks), n_samples), strict=True):
        total += resampled_means(values, counts)
    n, degrees = min(map(len, tasks)), sum(len(values) - 1 for values in tasks)
    return percentile_interval(total / len(tasks), expanded_level(level, n, degrees))


def mean_table(
    values: Source | pandas.Series, seed: int = 0, n_samples: int = N_SAMPLES, level: float = LEVEL
) -> pandas.DataFrame:
    """Mean over the runs of each optimizer on each benchmark, with its bootstrap interval.

    Parameters
    ----------
    values
        Indexed by (benchmark, optimizer, seed); or runs or incumbents, for their final regret.
    seed, n_samples, level
        Of the bootstrap interval: its seed, the number of samples, the share of them that it holds.

    Returns
    -------
    pandas.DataFrame
        Columns: benchmark, optimizer, mean, low, high, n.
    """
    import pandas as pd

    table = as_final_values(values)
    rows = []
    for (benchmark, optimizer), own in cells(table):
        runs = table.to_numpy(dtype=float)[own]
        low, high = mean_interval(runs[:, None], seed, n_samples, level)
        ends = {"low": low[0], "high": high[0]}
        rows.append({"benchmark": benchmark, "optimizer": optimizer, "mean": runs.mean(), **ends, "n": len(runs)})
    return pd.DataFrame(rows)


def quantiles(values: np.ndarray, shares: Sequence[float]) -> np.ndarray:
    """(share, ...) quantiles over the first axis, interpolated as numpy does, and defined among infinite values.

    Between a finite value and inf they are inf; `np.quantile` gives NaN there, and between two infs.
    """
    ordered = np.sort(values, axis=0)
    result = np.empty((len(shares), *values.shape[1:]))
    for i, share in enumerate(shares):
        position = share * (len(ordered) - 1)
        below = ordered[int(position)]
        above = ordered[min(int(position) + 1, len(ordered) - 1)]
        flat = (above == below) | (position == int(position))
        with np.errstate(invalid="ignore"):
            result[i] = np.where(flat, below, below + (above - below) * (position - int(position)))
    return result
