"""Comparisons of two optimizers over benchmarks: would the difference show on other benchmarks like these?

The tests of `comparisons` speak about the benchmarks that were run. Those here take the benchmarks for a sample of all
that one might run, so each needs several, and each holds its level only if the runs on different benchmarks are
independent: a seed of its own for every benchmark, as a suite derives it.

    d_t   difference of the medians of a and b on benchmark t, negative if a is better. Benchmarks must share a scale:
          of runs or incumbents the final `relative` regret is taken, 1 being that of a first incumbent.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from hpo_core.errors import InvalidOption
from hpo_leaderboard.scores.comparisons import drawn_counts, holm, pair_effects, runs_by_benchmark
from hpo_leaderboard.scores.incumbents import as_final_values, final_values
from hpo_leaderboard.scores.intervals import LEVEL, N_SAMPLES, check_level

if TYPE_CHECKING:
    import pandas

    from hpo_leaderboard.scores.from_runs import Source

ROPE = 0.01  # of the regret of a first incumbent: less is of no practical use
PRIOR_STRENGTH = 0.5


def task_differences(values: Source | pandas.Series, a: str, b: str) -> np.ndarray:
    """(benchmark,) median of the runs of a minus that of b, on every benchmark that both ran on.

    Two that never succeeded are equal.
    """
    medians = _task_medians(values)
    missing = [name for name in (a, b) if name not in medians]
    if missing:
        known = ", ".join(map(str, medians.columns))
        raise InvalidOption(f"the optimizers must be among {known}, got {', '.join(missing)}")
    return _differences(medians, a, b)


def _task_medians(values: Source | pandas.Series) -> pandas.DataFrame:
    """Median of the runs, a row per benchmark and a column per optimizer; NaN where it did not run."""
    import pandas as pd

    final = as_final_values(values) if isinstance(values, pd.Series) else final_values(values, "relative")
    return final.groupby(level=["benchmark", "optimizer"], observed=True).median().unstack("optimizer")


def _differences(medians: pandas.DataFrame, a: str, b: str) -> np.ndarray:
    first, second = (medians[name].to_numpy(dtype=float) for name in (a, b))
    both = ~np.isnan(first) & ~np.isnan(second)
    with np.errstate(invalid="ignore"):
        return np.where(first == second, 0.0, first - second)[both]


def wilcoxon_over_tasks(values: Source | pandas.Series) -> pandas.DataFrame:
    """Wilcoxon's signed-rank test of the differences d_t, of every pair of optimizers (Demsar, 2006, section 3.1.3).

    Exact for up to 50 benchmarks without ties (scipy), 1 where all are equal. With five benchmarks no p-value is below
    .06. Columns: a, b, n_tasks, p, p_holm (corrected for all pairs).
    """
    import pandas as pd
    from scipy.stats import wilcoxon

    rows = []
    for a, b, d in _each_pair(values):
        p = float(wilcoxon(d).pvalue) if d.any() else 1.0
        rows.append({"a": a, "b": b, "n_tasks": len(d), "p": p})
    frame = pd.DataFrame(rows)
    return frame.assign(p_holm=holm(frame["p"].to_numpy(dtype=float)))


def bayesian_signed_rank(
    values: Source | pandas.Series, rope: float = ROPE, seed: int = 0, n_samples: int = 5000
) -> pandas.DataFrame:
    """Posterior probabilities that a is better, that both are practically equivalent, that b is better.

    Benavoli et al. (2017), the Bayesian signed-rank test: the distribution of d has a Dirichlet process
    prior of strength 1/2 at 0. With weights w ~ Dirichlet(1/2, 1, ..., 1) on (0, d_1, ..., d_N), a sample of the
    posterior is the probability that the mean of two draws lies below, in or above the region (-rope, rope), edges
    counting half; the table gives the shares of samples in which each of the three is the largest.

    Unlike a p-value this can say that two optimizers are equal for all purposes. It does not correct for the number of
    pairs, and a posterior probability is no rate of errors: with 4 or 10 benchmarks and no region it calls equal
    optimizers different at 97.5 % in 15 or 10 of 100 cases (scripts/check_scores.py).

    Parameters
    ----------
    values
        Indexed by (benchmark, optimizer, seed), on a scale that benchmarks share; or runs or incumbents, for their
        final relative regret.
    rope
        Half the width of the region of practical equivalence, in the unit of the values; 0 for none.
    seed, n_samples
        Of the posterior's samples, and their number.

    Returns
    -------
    pandas.DataFrame
        Columns: a, b, n_tasks, a_better, equivalent, b_better.
    """
    import pandas as pd

    rows = []
    for a, b, d in _each_pair(values):
        shares = signed_rank_posterior(d, rope, np.random.default_rng(seed), n_samples)
        names = ("a_better", "equivalent", "b_better")
        rows.append({"a": a, "b": b, "n_tasks": len(d), **dict(zip(names, shares.tolist(), strict=True))})
    return pd.DataFrame(rows)


def signed_rank_posterior(d: np.ndarray, rope: float, rng: np.random.Generator, n_samples: int) -> np.ndarray:
    """(3,) shares of posterior samples in which "below", "in", "above" the region is the most probable."""
    if rope < 0:
        raise InvalidOption(f"rope must be 0 or more, got {rope}; it is half the width of a region around 0")
    atoms = np.append(0.0, d)
    with np.errstate(invalid="ignore"):
        sums = np.nan_to_num(atoms[:, None] + atoms, nan=0.0, posinf=np.inf, neginf=-np.inf)
    below = (sums < -2 * rope) + 0.5 * (sums == -2 * rope)
    above = (sums > 2 * rope) + 0.5 * (sums == 2 * rope)
    weights = rng.dirichlet(np.append(PRIOR_STRENGTH, np.ones(len(d))), n_samples)
    low, high = (((weights @ region) * weights).sum(axis=1) for region in (below, above))
    inside = 1 - low - high if rope > 0 else np.full(n_samples, -1.0)
    winners = np.argmax([low, inside, high], axis=0)
    return np.bincount(winners, minlength=3) / n_samples


def hierarchical_bootstrap(
    values: Source | pandas.Series, seed: int = 0, n_samples: int = N_SAMPLES, level: float = LEVEL
) -> pandas.DataFrame:
    """Probability that a run of a beats one of b on a benchmark like these, with an interval over runs and benchmarks.

    The effect is the mean over benchmarks of A_t = P(a < b) + P(a = b) / 2, as in `comparisons`, which needs no common
    scale. A sample draws N benchmarks, and for each of them its runs, with replacement (Davison and Hinkley, 1997,
    section 3.8). The interval is effect +- t se, cut off at 0 and 1, with t of Student's distribution with N - 1
    degrees of freedom and se^2 = the variance of the samples N / (N - 1): for few benchmarks percentiles would be far
    too short.
    It is a little wide, since the noise of the runs is also in the differences between benchmarks.

    Parameters
    ----------
    values
        Indexed by (benchmark, optimizer, seed), on any scale; or runs or incumbents, for their final regret.
    seed, n_samples, level
        Of the bootstrap interval: its seed, the number of samples, the share of them that it holds.

    Returns
    -------
    pandas.DataFrame
        Columns: a, b, n_tasks, effect, low, high (NaN on one benchmark, or where an optimizer has a single run).
    """
    import pandas as pd
    from scipy.stats import t as student

    check_level(level)
    rng = np.random.default_rng(seed)
    effects: dict[tuple[str, str], list[np.ndarray]] = {}
    for runs in runs_by_benchmark(as_final_values(values)).values():
        for pair, own in pair_effects(runs, "two-sided", drawn_counts(runs, rng, n_samples)).items():
            effects.setdefault(pair, []).append(own)
    rows = []
    for (a, b), of_tasks in effects.items():
        table, n = np.array(of_tasks), len(of_tasks)  # (benchmark, 1 + sample)
        drawn = table[rng.integers(n, size=(n_samples, n)), rng.integers(1, n_samples + 1, (n_samples, n))]
        effect = table[:, 0].mean()
        margin = (
            student.ppf((1 + level) / 2, n - 1) * drawn.mean(axis=1).std() * np.sqrt(n / (n - 1)) if n > 1 else np.nan
        )
        ends = {"low": np.maximum(effect - margin, 0.0), "high": np.minimum(effect + margin, 1.0)}
        rows.append({"a": a, "b": b, "n_tasks": n, "effect": effect, **ends})
    return pd.DataFrame(rows)


def _each_pair(values: Source | pandas.Series) -> Iterator[tuple[str, str, np.ndarray]]:
    """Optimizers a and b that ran on a common benchmark, and their differences d_t."""
    medians = _task_medians(values)
    for a, b in combinations(sorted(medians.columns), 2):
        d = _differences(medians, a, b)
        if len(d):
            yield a, b, d
