"""Checks of user priors: `priorband` beside `hyperband`, which is not given the prior, over 20 seeds each.

    good     `priorband` with a good prior beats `hyperband`, at the cost of 5 and of 20 evaluations at the full budget
    near     the same with a prior near the optimum
    bad      with a bad prior it recovers: whatever it lost early, at the cost of 20 full evaluations it is as good as
             `hyperband`, or no more than `MARGIN` from it in the probability of improvement

The priors are those of Mallik et al. (2023), see `hpo_leaderboard.experiments.study_priors`; of their benchmarks there
are the five datasets of LCBench, and the four `mini-*` tables stand in for the others. What is compared is the
noise-free loss at the full budget of the incumbent. The probability of improvement is that of a lower loss than that of
a run of `hyperband` with another seed, ties counting half, averaged over the benchmarks of a family; the test is
one-sided at 5 %, the sum of the Mann-Whitney statistics of the benchmarks (van Elteren, 1960).
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from regret_checks import Check, Outcome

from hpo_core import Benchmark, run
from hpo_leaderboard.experiments.study_priors import study_prior

FAMILIES = {
    "mini": ("mini-airfoil", "mini-concrete", "mini-parkinsons", "mini-wine"),
    "lcbench": tuple(f"lcbench/{number}" for number in (126026, 167190, 168330, 168910, 189906)),
}
MARKS = (5, 20)  # evaluations at the full budget, whose cost is the time of a run
MARGIN = 0.1  # of the probability of improvement, 1/2 where both are as good
N_COSTS = 1000  # random configurations over which the cost of a full evaluation is averaged


@cache
def losses_at_marks(optimizer: str, benchmark: str, prior: str | None, n_seeds: int) -> np.ndarray:
    """(n_seeds, marks) noise-free losses of the incumbents; a run of `hyperband` has other seeds than the others."""
    plain = Benchmark(benchmark)
    b = plain if prior is None else plain.with_prior(study_prior(plain, prior))
    configs = plain.space.sample(np.random.default_rng(0), N_COSTS)
    full_cost = float(np.mean(plain.objective_batch(configs)[1]))
    first = 1000 if prior is None else 0
    rows = []
    for seed in range(first, first + n_seeds):
        r = run(b, optimizer, n_trials=None, max_cost=MARKS[-1] * full_cost, seed=seed)
        path, ends = r.incumbent(), np.array([trial.start + trial.cost for trial in r.trials])
        last = [int(np.flatnonzero(ends <= mark * full_cost)[-1]) for mark in MARKS]
        rows.append([plain.objective(r.trials[path.indices[i]].config).loss for i in last])
    return np.array(rows)


class Comparison(NamedTuple):
    """Mean probability of improvement over benchmarks, and the one-sided p value of being better."""

    probability: float
    p: float


def compared(prior: str, family: str, mark: int, n_seeds: int) -> Comparison:
    """`priorband` with a prior against `hyperband` on a family, at the cost of so many full evaluations."""
    from scipy.stats import norm

    shares, z, variance = [], 0.0, 0.0
    for benchmark in FAMILIES[family]:
        ours, theirs = (
            losses_at_marks(name, benchmark, kind, n_seeds)[:, MARKS.index(mark)]
            for name, kind in (("priorband", prior), ("hyperband", None))
        )
        lower, equal = (ours[:, None] < theirs).sum(), (ours[:, None] == theirs).sum()
        shares.append((lower + equal / 2) / (n_seeds * n_seeds))
        z += lower + equal / 2 - n_seeds * n_seeds / 2
        variance += n_seeds * n_seeds * (2 * n_seeds + 1) / 12  # without ties; with them it is less
    return Comparison(float(np.mean(shares)), float(norm.sf(z / np.sqrt(variance))))


def beats_hyperband(prior: str, family: str, mark: int) -> Check:
    """Check that `priorband` with a prior is better than `hyperband`."""

    def measure(n_seeds: int) -> Outcome:
        found = compared(prior, family, mark, n_seeds)
        return Outcome(f"better with probability {found.probability:.2f}, p = {found.p:.2g}", found.p < 0.05)

    return Check("priorband", family, f"{prior} prior: beats hyperband at the cost of {mark}", measure)


def recovers(family: str) -> Check:
    """Check that `priorband` makes up for a bad prior."""

    def measure(n_seeds: int) -> Outcome:
        early, late = (compared("bad", family, mark, n_seeds).probability for mark in MARKS)
        return Outcome(f"better with probability {early:.2f} early, {late:.2f} late", late >= 0.5 - MARGIN)

    claim = f"bad prior: at the cost of {MARKS[-1]} at least {0.5 - MARGIN:g} to be better than hyperband"
    return Check("priorband", family, claim, measure)


def prior_checks() -> list[Check]:
    """The lines of the table."""
    return [
        *(beats_hyperband(prior, family, mark) for prior in ("good", "near") for family in FAMILIES for mark in MARKS),
        *(recovers(family) for family in FAMILIES),
    ]
