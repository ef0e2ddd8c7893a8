"""Pairwise comparisons of optimizers: Mann-Whitney U tests, Holm's correction and an effect size.

All functions take values indexed by (benchmark, optimizer, seed), lower being better: `final_values(incumbents)`, or
a column of `curves` for the state after a number of evaluations or seconds. Of runs or incumbents the final regret is
taken.

    effect   A = P(a < b) + P(a = b) / 2 over pairs of runs, the probability that a run of a beats one of b
             (Vargha and Delaney, 2000): 1/2 is no difference, .56, .64, .71 are called small, medium, large.
             The rank-biserial correlation is 2 A - 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations, permutations
from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_core.errors import InvalidOption
from hpo_leaderboard.scores.incumbents import as_final_values, cells
from hpo_leaderboard.scores.intervals import (
    LEVEL,
    N_SAMPLES,
    counts_of_all,
    expanded_level,
    percentile_interval,
    resampling_counts,
)

if TYPE_CHECKING:
    import pandas

    from hpo_leaderboard.scores.from_runs import Source

Pair = tuple[str, str]
MOST_EXACT = 8  # runs up to which scipy may compute exact p-values
PAIRS = {"two-sided": combinations, "less": permutations}


def mann_whitney(
    values: Source | pandas.Series,
    alternative: str = "two-sided",
    seed: int = 0,
    n_samples: int = N_SAMPLES,
    level: float = LEVEL,
) -> pandas.DataFrame:
    """Mann-Whitney U test of every pair of optimizers on every benchmark.

    U = #{(x, y) : x > y} + #{x = y} / 2 over runs x of a, y of b, so effect = 1 - U / (n_a n_b); exact p-values up to
    8 runs without ties, otherwise the normal approximation with corrections for ties and continuity (scipy).
    `p_holm` corrects for all the tests on one benchmark.

    Parameters
    ----------
    values
        Indexed by run; or runs or incumbents, for their final regret.
    alternative
        "two-sided" tests each pair once; "less" tests each both ways, p being small if a is better, as in the heat maps
        of Klein (2020, section 8.4.2).
    seed, n_samples, level
        Of the bootstrap interval: its seed, the number of samples, the share of them that it holds.

    Returns
    -------
    pandas.DataFrame
        Columns: benchmark, a, b, n_a, n_b, effect, effect_low, effect_high (bootstrap over runs), p, p_holm.
    """
    import pandas as pd

    frames = []
    for benchmark, runs in runs_by_benchmark(values).items():
        counts = counts_of_all(seed, map(len, runs.values()), n_samples)
        effects = pair_effects(runs, alternative, dict(zip(runs, counts, strict=True)))
        tests = _mann_whitney_tests(runs, list(effects), alternative)
        sizes = {(a, b): [(len(runs[a]), len(runs[b]))] for a, b in effects}
        frame = _frame({pair: [effect] for pair, effect in effects.items()}, tests, sizes, level)
        frame.insert(0, "benchmark", benchmark)
        frame.insert(3, "n_a", [len(runs[a]) for a, _ in effects])
        frame.insert(4, "n_b", [len(runs[b]) for _, b in effects])
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)


def _mann_whitney_tests(runs: dict[str, np.ndarray], pairs: list[Pair], alternative: str) -> dict[Pair, float]:
    """p-values of pairs. Those with equally many runs are tested in one call, unless exact p-values may be asked for.

    scipy decides about exact p-values for a whole call, by the number of runs and by ties.
    """
    from scipy.stats import mannwhitneyu

    alike: dict[Any, list[Pair]] = {}
    for a, b in pairs:
        sizes = len(runs[a]), len(runs[b])
        alike.setdefault(sizes if min(sizes) > MOST_EXACT else (a, b), []).append((a, b))
    tests: dict[Pair, float] = {}
    for some in alike.values():
        x, y = (np.array([runs[pair[side]] for pair in some]) for side in (0, 1))
        tests.update(zip(some, mannwhitneyu(x, y, alternative=alternative, axis=1).pvalue, strict=True))
    return {pair: float(tests[pair]) for pair in pairs}


def stratified_mann_whitney(
    values: Source | pandas.Series,
    alternative: str = "two-sided",
    seed: int = 0,
    n_samples: int = N_SAMPLES,
    level: float = LEVEL,
) -> pandas.DataFrame:
    """Comparison of every pair of optimizers over all benchmarks that both ran on.

    Van Elteren's (1960) test: runs are compared only within a benchmark, so losses on different scales never meet.
    z = sum_t w_t (U_t - n_a n_b / 2) / sqrt(sum_t w_t^2 var U_t), w_t = 1 / (n_a + n_b + 1), with var U_t corrected for
    ties; on one benchmark it is the Mann-Whitney test in normal approximation without continuity correction. The
    effect is the mean of the benchmarks' effects. `p_holm` corrects for all pairs.

    Klein (2020, section 8.4.2) instead averages each task's runs and tests the averages of a thousand tasks: see
    `task_means`. That needs many tasks with losses on one scale; four benchmarks would give four values.

    Parameters
    ----------
    values, alternative
        As for `mann_whitney`.
    seed, n_samples, level
        Of the bootstrap interval: its seed, the number of samples, the share of them that it holds.

    Returns
    -------
    pandas.DataFrame
        Columns: a, b, n_tasks, effect, effect_low, effect_high, p, p_holm.
    """
    rng = np.random.default_rng(seed)
    effects: dict[Pair, list[np.ndarray]] = {}
    samples: dict[Pair, list[tuple[np.ndarray, np.ndarray]]] = {}
    for runs in runs_by_benchmark(values).values():
        counts = drawn_counts(runs, rng, n_samples)
        for (a, b), effect in pair_effects(runs, alternative, counts).items():
            effects.setdefault((a, b), []).append(effect)
            samples.setdefault((a, b), []).append((runs[a], runs[b]))
    tests = {pair: van_elteren(strata, alternative) for pair, strata in samples.items()}
    sizes = {pair: [(len(x), len(y)) for x, y in strata] for pair, strata in samples.items()}
    frame = _frame(effects, tests, sizes, level)
    frame.insert(2, "n_tasks", [len(strata) for strata in samples.values()])
    return frame


def task_means(values: Source | pandas.Series, repetitions: int | None = None) -> pandas.Series:
    """Mean over the runs of each task, as one benchmark "all" whose runs are the tasks.

    That is what Klein (2020, section 8.4.2) tests. With `repetitions`, only that many runs of a task are averaged,
    those with the lowest seeds; None is all of them.
    """
    final = as_final_values(values).sort_index(level="seed")
    runs = final.groupby(level=["optimizer", "benchmark"], observed=True)
    if repetitions is not None:
        if repetitions < 1:
            raise InvalidOption(f"repetitions must be at least 1, got {repetitions}; None averages all runs")
        runs = runs.head(repetitions).groupby(level=["optimizer", "benchmark"], observed=True)
    frame = runs.mean().rename_axis(index={"benchmark": "seed"}).reset_index().assign(benchmark="all")
    return frame.set_index(["benchmark", "optimizer", "seed"]).iloc[:, 0]


def task_p_matrix(values: Source | pandas.Series, repetitions: int | None = None) -> pandas.DataFrame:
    """p-values of Mann-Whitney tests over tasks, as figures 8.4 and 8.5 of Klein (2020) show them.

    Each task's runs are averaged first (`task_means`), so a test compares as many values as there are tasks. A small
    value says that the method in the column is better than the one in the row. Like those figures it does not correct
    for the number of tests, and it needs many tasks with losses on one scale.
    """
    return p_matrix(mann_whitney(task_means(values, repetitions), "less", n_samples=1), "p")


def p_matrix(comparisons: pandas.DataFrame, column: str = "p_holm") -> pandas.DataFrame:
    """p-values with a row for each b and a column for each a; NaN on the diagonal.

    From comparisons with alternative "less" a small value says that the method in the column is better than the one in
    the row, as in figure 8.4 of Klein (2020); from two-sided ones the matrix is symmetric.
    """
    matrix = comparisons.pivot(index="b", columns="a", values=column)
    names = sorted(set(matrix.index) | set(matrix.columns))
    matrix = matrix.reindex(index=names, columns=names)
    one_way = not (matrix.notna() & matrix.T.notna()).any(axis=None)
    return matrix.fillna(matrix.T) if one_way else matrix


def holm(p_values: np.ndarray) -> np.ndarray:
    """p-values corrected for their number m by Holm (1979): max over i <= k of min(1, (m - i + 1) p_(i))."""
    order = np.argsort(p_values, kind="stable")
    scaled = np.minimum(1.0, p_values[order] * np.arange(len(p_values), 0, -1))
    corrected = np.empty(len(p_values))
    corrected[order] = np.maximum.accumulate(scaled)
    return corrected


def van_elteren(samples: list[tuple[np.ndarray, np.ndarray]], alternative: str = "two-sided") -> float:
    """p-value of the stratified test on pairs of samples, one pair for each stratum; 1 if all values are tied."""
    from scipy.stats import norm, rankdata

    numerator, variance = 0.0, 0.0
    for a, b in samples:
        n = len(a) + len(b)
        ranks = rankdata(np.concatenate([a, b]))
        weight = 1.0 / (n + 1)
        numerator += weight * (ranks[: len(a)].sum() - len(a) * (n + 1) / 2)
        variance += weight**2 * len(a) * len(b) / n * ranks.var(ddof=1)
    if variance == 0:
        return 1.0
    z = numerator / np.sqrt(variance)
    return float(norm.cdf(z) if alternative == "less" else 2 * norm.sf(abs(z)))


def runs_by_benchmark(source: Source | pandas.Series) -> dict[str, dict[str, np.ndarray]]:
    """Values of the runs by benchmark and optimizer, of the benchmarks with at least two optimizers."""
    values = as_final_values(source)
    runs: dict[str, dict[str, np.ndarray]] = {}
    array = values.to_numpy(dtype=float)
    for (benchmark, optimizer), rows in cells(values):
        runs.setdefault(benchmark, {})[optimizer] = array[rows]
    compared = {benchmark: own for benchmark, own in runs.items() if len(own) > 1}
    if not compared:
        raise InvalidOption("a comparison needs two optimizers that ran on the same benchmark, got none")
    return compared


def drawn_counts(runs: dict[str, np.ndarray], rng: np.random.Generator, n_samples: int) -> dict[str, np.ndarray]:
    """(sample, run) how often each run of each optimizer occurs in each bootstrap sample."""
    return {name: resampling_counts(rng, len(own), n_samples) for name, own in runs.items()}


def pair_effects(
    runs: dict[str, np.ndarray], alternative: str, counts: Mapping[str, np.ndarray]
) -> dict[Pair, np.ndarray]:
    """(1 + sample,) effect of each pair: of the runs there are, then of bootstrap samples.

    With W[x, y] = [x < y] + [x = y] / 2 and c_a, c_b the times each run was drawn, it is c_a' W c_b / (n_a n_b). The
    samples are NaN where an optimizer has a single run. `counts` are the (sample, run) times of each optimizer. All
    sums are halves of whole numbers, so they are exact in any order; and the effect of (b, a) is 1 less that of (a, b).
    """
    if alternative not in PAIRS:
        raise InvalidOption(f"alternative must be one of {', '.join(PAIRS)}, got {alternative!r}")
    sums = {}
    for a, b in combinations(sorted(runs), 2):
        wins = (runs[a][:, None] < runs[b]) + 0.5 * (runs[a][:, None] == runs[b])
        resampled = np.einsum("ij,ij->i", counts[a] @ wins, counts[b])
        sums[a, b] = np.append(wins.sum(), resampled if min(wins.shape) > 1 else np.full(len(resampled), np.nan))
        sums[b, a] = wins.size - sums[a, b]
    return {(a, b): sums[a, b] / (len(runs[a]) * len(runs[b])) for a, b in PAIRS[alternative](sorted(runs), 2)}


def _frame(
    effects: dict[Pair, list[np.ndarray]],
    tests: dict[Pair, float],
    sizes: dict[Pair, list[tuple[int, int]]],
    level: float,
) -> pandas.DataFrame:
    """Table of pairs with their mean effect over benchmarks, its interval and the p-values of their tests.

    Parameters
    ----------
    effects
        As `pair_effects` gives them, of each benchmark.
    tests
        p-values.
    sizes
        Numbers of runs of a and b on each benchmark.
    level
        Of the interval.
    """
    import pandas as pd

    rows = []
    for (a, b), of_tasks in effects.items():
        mean, own = np.mean(of_tasks, axis=0), np.array(sizes[a, b])
        low, high = percentile_interval(mean[1:], expanded_level(level, int(own.min()), int((own - 1).sum())))
        ends = {"effect_low": float(low), "effect_high": float(high)}
        rows.append({"a": a, "b": b, "effect": mean[0], **ends, "p": tests[a, b]})
    frame = pd.DataFrame(rows)
    return frame.assign(p_holm=holm(frame["p"].to_numpy(dtype=float)))
