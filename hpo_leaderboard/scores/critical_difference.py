"""Critical differences of average ranks over benchmarks (Demsar, 2006)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hpo_core.errors import InvalidOption
from hpo_leaderboard.scores.incumbents import as_final_values

if TYPE_CHECKING:
    import pandas

    from hpo_leaderboard.scores.from_runs import Source


@dataclass(frozen=True)
class CriticalDifference:
    """What a critical-difference diagram shows.

    ranks        mean rank of each optimizer over the benchmarks, the best first
    difference   ranks further apart than this differ at the level alpha
    groups       optimizers, the best first, among which no two differ; only groups that no other contains
    p_values     Nemenyi's, of each pair
    statistic, p_value   Friedman's, of all optimizers being equal: the groups mean little where p_value is large
    n_tasks, alpha       benchmarks used, level of the groups
    """

    ranks: pandas.Series
    difference: float
    groups: tuple[tuple[str, ...], ...]
    p_values: pandas.DataFrame
    statistic: float
    p_value: float
    n_tasks: int
    alpha: float


def critical_difference(values: Source | pandas.Series, alpha: float = 0.05) -> CriticalDifference:
    """Friedman's test, Nemenyi's test of all pairs and the groups that do not differ.

    `values` are indexed by (benchmark, optimizer, seed), lower being better, or runs or incumbents, whose final regret
    is taken. On each benchmark optimizers are ranked by
    the median of their runs (the mean would be infinite if one run never succeeded), ties sharing ranks. With K
    optimizers and N benchmarks two mean ranks differ if they are CD = q_alpha sqrt(K (K + 1) / (6 N)) apart, q_alpha
    being the studentized range over sqrt(2). Benchmarks that lack an optimizer are left out; seeds may be missing.

    Both tests are asymptotic in N: with fewer than about ten benchmarks few differences can show.
    """
    from scipy.stats import friedmanchisquare, studentized_range

    by_cell = as_final_values(values).groupby(level=["benchmark", "optimizer"], observed=True)
    medians = by_cell.median().unstack("optimizer").dropna()
    n_tasks, n_optimizers = medians.shape
    if n_optimizers < 3 or n_tasks < 2:
        raise InvalidOption(
            "critical differences need three optimizers that ran on the same two benchmarks or more, got "
            f"{n_optimizers} optimizers on {n_tasks} common benchmarks; compare pairs by `stratified_mann_whitney`"
        )
    ranks = medians.rank(axis=1).mean().sort_values(kind="stable")
    quantile = studentized_range.ppf(1 - alpha, n_optimizers, np.inf) / np.sqrt(2)
    difference = float(quantile * np.sqrt(n_optimizers * (n_optimizers + 1) / (6 * n_tasks)))
    columns = medians.to_numpy().T
    tied = (medians.nunique(axis=1) == 1).all()  # Friedman's statistic is then 0 / 0
    statistic, p_value = (0.0, 1.0) if tied else map(float, friedmanchisquare(*columns))
    p_values = _nemenyi(medians).loc[ranks.index, ranks.index]
    groups = _groups(list(ranks.index), p_values.to_numpy() >= alpha)
    return CriticalDifference(ranks, difference, groups, p_values, statistic, p_value, n_tasks, alpha)


def _nemenyi(medians: pandas.DataFrame) -> pandas.DataFrame:
    """p-values of Nemenyi's test after Friedman's, of each pair of columns (Demšar, 2006, section 3.2.2).

    q = |difference of mean ranks| / sqrt(k (k + 1) / (6 n)) for k optimizers on n tasks; sqrt(2) q is compared with the
    studentized range.
    """
    import pandas as pd
    from scipy.stats import studentized_range

    n, k = medians.shape
    mean_ranks = medians.rank(axis=1).mean().to_numpy()
    q = np.abs(mean_ranks[:, None] - mean_ranks) / np.sqrt(k * (k + 1.0) / (6.0 * n))
    upper = np.triu_indices(k, 1)
    p_values = np.ones((k, k))
    p_values[upper] = studentized_range.sf(q[upper] * np.sqrt(2.0), k, np.inf)
    p_values.T[upper] = p_values[upper]
    return pd.DataFrame(p_values, index=medians.columns, columns=medians.columns)


def _groups(names: list[str], equal: np.ndarray) -> tuple[tuple[str, ...], ...]:
    """Longest stretches of names, ordered by rank, whose first and last do not differ: then none in between do."""
    groups: list[tuple[str, ...]] = []
    reached = 0
    for first in range(len(names)):
        last = max(other for other in range(first, len(names)) if equal[first, other] or other == first)
        if last > first and last + 1 > reached:
            groups.append(tuple(names[first : last + 1]))
        reached = max(reached, last + 1)
    return tuple(groups)
