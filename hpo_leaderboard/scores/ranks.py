"""Average ranks of optimizers over tasks, by bootstrap samples over runs.

Ranks compare optimizers on a task, so only tasks where all of them have a run count; `blocks` finds sets of tasks and
optimizers for which that holds.
"""

from __future__ import annotations

import re
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hpo_core.errors import InvalidOption
from hpo_leaderboard.scores.curves import as_curves
from hpo_leaderboard.scores.incumbents import cells
from hpo_leaderboard.scores.intervals import LEVEL, N_SAMPLES, check_level

if TYPE_CHECKING:
    import pandas

    from hpo_leaderboard.scores.from_runs import Source


class Block(NamedTuple):
    """Benchmarks on which exactly the same optimizers ran."""

    benchmarks: tuple[str, ...]
    optimizers: tuple[str, ...]


def blocks(table: pandas.DataFrame) -> list[Block]:
    """Groups of benchmarks with the same optimizers, most benchmarks first, from a table with columns of both names.

    Numbers in names count as numbers: profet-svm/2 comes before profet-svm/10.
    """
    pairs = table[["benchmark", "optimizer"]].drop_duplicates()
    groups: dict[tuple[str, ...], list[str]] = {}
    for benchmark, optimizers in pairs.groupby("benchmark", observed=True)["optimizer"]:
        groups.setdefault(tuple(sorted(optimizers)), []).append(str(benchmark))
    found = [Block(tuple(sorted(names, key=_in_order)), optimizers) for optimizers, names in groups.items()]
    return sorted(found, key=lambda block: (-len(block.benchmarks), -len(block.optimizers), block))


def _in_order(name: str) -> list[str | int]:
    return [int(part) if part.isdecimal() else part for part in re.split(r"(\d+)", name)]


def average_ranks(curves: Source, seed: int = 0, n_samples: int = N_SAMPLES, level: float = LEVEL) -> pandas.DataFrame:
    """Mean rank of each optimizer at each column of the curves, 1 the best, with its interval.

    From each task and optimizer one run is drawn, the K optimizers are ranked by the drawn runs' values, ties sharing
    the mean of their ranks, and ranks are averaged over tasks; that is repeated `n_samples` times and averaged (Feurer
    et al., 2015; Klein, 2020, section 8.3.2). With v_i the drawn values, rank_i = (K + 1) / 2 + sum over j of
    sign(v_i - v_j) / 2.

    The standard deviation of the samples is that of an experiment with one run per task; the average over n runs varies
    less. The papers give no interval. Here it is rank +- z se, cut off at 1 and K, with
    se^2 = var (1 / (n - 1) + 1 / n_samples), var being the variance of the samples and n the smallest number of runs of
    any task; NaN for n = 1. It is a little wide: var / n is an upper bound, to first order, of the variance of a mean
    over all combinations of n runs.

    Parameters
    ----------
    curves
        Values by (benchmark, optimizer, seed), a column per position, as `curves` gives them; or runs or incumbents,
        whose regret over evaluations is taken.
    seed, n_samples
        Of the samples, and their number.
    level
        Share of samples that the interval holds.

    Returns
    -------
    pandas.DataFrame
        Columns: optimizer, at, rank, low, high, n_tasks, n.
    """
    import pandas as pd

    table = as_curves(curves)
    if table.isna().any(axis=None):
        raise InvalidOption(
            "ranks need a value of every run at every position, got NaN; rank `final_values`, which leaves out runs "
            "without a recorded value, or `curves(...).dropna()`"
        )
    tasks = _complete_tasks(table)
    optimizers = sorted(set(table.index.get_level_values("optimizer")))
    doubled = _doubled_rank_sums(table.to_numpy(dtype=float), tasks, np.random.default_rng(seed), n_samples)
    samples = doubled / (2.0 * len(tasks))
    mean, fewest = samples.mean(axis=0), min(len(rows) for task in tasks for rows in task)
    error = samples.std(axis=0) * (np.sqrt(1 / (fewest - 1) + 1 / n_samples) if fewest > 1 else np.nan)
    margin = NormalDist().inv_cdf((1 + check_level(level)) / 2) * error
    low, high = np.maximum(mean - margin, 1.0), np.minimum(mean + margin, len(optimizers))
    at = table.columns.to_numpy()
    parts = []
    for i, name in enumerate(optimizers):
        columns = {"optimizer": name, "at": at, "rank": mean[i], "low": low[i], "high": high[i]}
        parts.append(pd.DataFrame({**columns, "n_tasks": len(tasks), "n": fewest}))
    return pd.concat(parts, ignore_index=True)


def _complete_tasks(curves: pandas.DataFrame) -> list[list[np.ndarray]]:
    """For each task that every optimizer ran on: the rows of each optimizer's runs, in order of their names."""
    rows: dict[str, list[np.ndarray]] = {}
    for (benchmark, _), own in cells(curves):
        rows.setdefault(benchmark, []).append(own)
    n_optimizers = curves.index.get_level_values("optimizer").nunique()
    complete = [task for task in rows.values() if len(task) == n_optimizers]
    if not complete:
        raise InvalidOption(
            f"ranks need a benchmark that all {n_optimizers} optimizers ran on, got none; "
            "rank each of `blocks` by itself"
        )
    return complete


def _doubled_rank_sums(
    values: np.ndarray, tasks: list[list[np.ndarray]], rng: np.random.Generator, n_samples: int
) -> np.ndarray:
    """(sample, optimizer, column) sum over tasks of 2 rank, in integers.

    Values are replaced by their order among the task's runs, since int16 compares fastest; an optimizer's drawn runs
    are compared with another's for all samples and columns at once, and each pair is compared only once.
    """
    n_optimizers, n_columns = len(tasks[0]), values.shape[1]
    total = np.full((n_optimizers, n_samples, n_columns), (n_optimizers + 1) * len(tasks), dtype=np.int32)
    for task in tasks:
        order = _order(values[np.concatenate(task)])
        ends = np.cumsum([len(rows) for rows in task])
        drawn = [order[end - rng.integers(1, len(rows) + 1, n_samples)] for rows, end in zip(task, ends, strict=True)]
        signs = np.zeros(total.shape, dtype=np.int16)
        for i in range(n_optimizers):
            for j in range(i):
                sign = (drawn[i] > drawn[j]).view(np.int8) - (drawn[i] < drawn[j]).view(np.int8)
                signs[i] += sign
                signs[j] -= sign
        total += signs
    return total.swapaxes(0, 1)


def _order(values: np.ndarray) -> np.ndarray:
    """(run, column) number of runs with a lower value in the column: equal for equal values, ordered as they are."""
    ordered = np.sort(values, axis=0)
    below = np.empty(values.shape, dtype=np.int16 if len(values) < 2**15 else np.int32)
    for column in range(values.shape[1]):
        below[:, column] = np.searchsorted(ordered[:, column], values[:, column])
    return below
