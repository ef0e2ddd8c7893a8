"""Power: how many more seeds or benchmarks would tell two optimizers apart.

Normal approximations, with A the mean over T benchmarks of the probability that a run of a beats one of b, q = A - 1/2,
z_p the quantiles of the normal distribution, alpha the level and 1 - beta the power:

    seeds        n = (z_{1 - alpha/2} + z_{1 - beta})^2 / (6 T q^2) runs of each optimizer on each of the T benchmarks,
                 for van Elteren's test (`stratified_mann_whitney`): the formula of Noether (1987) with T strata
    benchmarks   N = (z_{1 - alpha/2} + z_{1 - beta})^2 s^2 / q^2 with as many seeds as now, s the std of A_t over
                 benchmarks, for a test over benchmarks (`over_tasks`)

Both take the effect that was seen for the true one. If nothing is there, they extrapolate noise: more than 1,000 is
said to be out of reach.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from hpo_core.errors import InvalidOption
from hpo_leaderboard.scores.comparisons import pair_effects, runs_by_benchmark
from hpo_leaderboard.scores.incumbents import as_final_values

if TYPE_CHECKING:
    import pandas

    from hpo_leaderboard.scores.from_runs import Source

ALPHA = 0.05
POWER = 0.8
MOST = 1000  # seeds or benchmarks: an effect that needs more is too small for anyone to run it


@dataclass(frozen=True)
class Power:
    """What it takes to tell a from b.

    effect                 mean probability that a run of a beats one of b
    n_tasks, n_seeds       benchmarks; the fewest runs of either on any of them
    seeds, benchmarks      how many are needed in all; inf where more than 1,000; `benchmarks` is NaN if there is one
    """

    a: str
    b: str
    effect: float
    n_tasks: int
    n_seeds: int
    seeds: float
    benchmarks: float

    def __str__(self) -> str:
        """What is needed, in a sentence."""
        seeds = _in_words(self.seeds - self.n_seeds, "seeds")
        if np.isnan(self.benchmarks):
            return f"On this benchmark: {seeds}."
        benchmarks = _in_words(self.benchmarks - self.n_tasks, "benchmarks")
        return f"On these benchmarks: {seeds}. On others like them: {benchmarks}."


def pair_level(n_optimizers: int) -> float:
    """Level at which one pair is tested where all pairs of some optimizers are: 5 % divided by their number.

    >>> pair_level(2), pair_level(5)
    (0.05, 0.005)
    """
    return ALPHA / (n_optimizers * (n_optimizers - 1) / 2)


def power(values: Source | pandas.Series, a: str, b: str, alpha: float = ALPHA, power: float = POWER) -> Power:
    """Seeds and benchmarks that tell a from b in a share `power` of experiments, if they differ as much as was seen.

    Parameters
    ----------
    values
        Indexed by (benchmark, optimizer, seed); or runs or incumbents, for their final regret.
    a, b
        Two optimizers that ran on the same benchmarks.
    alpha
        Level of the two-sided test; divide it by the number of pairs if several are compared.
    power
        Share of experiments in which the difference is to be found.
    """
    if not (0 < alpha < 1 and 0 < power < 1):
        raise InvalidOption(f"alpha and power must lie between 0 and 1, got {alpha} and {power}")
    found = [runs for runs in runs_by_benchmark(as_final_values(values)).values() if a in runs and b in runs]
    if not found:
        raise InvalidOption(f"power needs a benchmark that both ran on, got none for {a!r} and {b!r}")
    each = [_effect(runs[a], runs[b]) for runs in found]
    q, n_tasks = float(np.mean(each)) - 0.5, len(each)
    z = (NormalDist().inv_cdf(1 - alpha / 2) + NormalDist().inv_cdf(power)) ** 2
    seeds = _within_reach(z / (6 * n_tasks * q**2) if q else np.inf)
    variance = float(np.var(each, ddof=1)) if n_tasks > 1 else np.nan
    benchmarks = _within_reach(z * variance / q**2 if q else np.inf) if n_tasks > 1 else np.nan
    n_seeds = min(len(runs[name]) for runs in found for name in (a, b))
    return Power(a, b, q + 0.5, n_tasks, n_seeds, max(seeds, 2.0), benchmarks)


def _effect(a: np.ndarray, b: np.ndarray) -> float:
    unsampled = {"a": np.empty((0, len(a))), "b": np.empty((0, len(b)))}
    return pair_effects({"a": a, "b": b}, "two-sided", unsampled)["a", "b"][0]


def _within_reach(n: float) -> float:
    return float(np.ceil(n)) if n <= MOST else np.inf


def _in_words(more: float, what: str) -> str:
    if more <= 0:
        return f"the {what} there are suffice"
    if np.isinf(more):
        return f"no number of {what} up to {MOST:,} would tell them apart"
    return f"about {more:.0f} more {what} would tell them apart"
