"""Measurements on surrogates: how often they are clipped or extrapolate, how well small budgets rank configurations,
and whether their targets are where the published extrema say.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tabular.yahpo.optimum_search import Found, SearchSettings, codes_of
from tabular.yahpo.problem import NetworkProblem
from tabular.yahpo.scenarios import Scenario
from tabular.yahpo.surrogate import Record, SurrogateNetwork

LARGE_LOGIT = 50.0  # a sigmoid that is 2e-22 from its end
SLIGHT = 1e-9
N_RANDOM = 10_000


def random_codes(problem: NetworkProblem, n: int, rng: np.random.Generator) -> np.ndarray:
    """(n, d) codes of uniform random configurations."""
    return codes_of(problem.space, rng.random((n, len(problem.space))))


def clipped_rows(problem: NetworkProblem, codes: np.ndarray, budget: float) -> np.ndarray:
    """(n,) whether a target of each configuration is negative or its loss outside of [0, 1] before it is clipped.

    Less than 1e-9 does not count: the transforms of accuracies end in a difference of 1e-12.
    """
    scenario = problem.scenario
    values = problem.predictions(codes, budget)
    target = values[:, [t.name for t in problem.surrogate.targets].index(scenario.loss)]
    loss = scenario.loss_scale * target + scenario.loss_shift
    return (values < -SLIGHT).any(axis=1) | (loss < -SLIGHT) | (loss > 1.0 + SLIGHT)


def extrapolated_rows(problem: NetworkProblem, codes: np.ndarray, budget: float) -> np.ndarray:
    """(n,) whether the network gives a logit beyond `LARGE_LOGIT` in size."""
    return (np.abs(problem.logits(codes, budget)) > LARGE_LOGIT).any(axis=1)


def beyond_training_rows(problem: NetworkProblem, codes: np.ndarray, budget: float) -> np.ndarray:
    """(n,) whether a hyperparameter lies more than 5 % beyond the range of the data that the network was trained on."""
    numbers = problem.layout.many(codes, budget)[:, 1 : len(problem.layout.numbers)]
    active = ~np.isnan(codes[:, [problem.space.names.index(name) for name in problem.layout.numbers[1:]]])
    return (active & ((numbers < -0.05) | (numbers > 1.05))).any(axis=1)


def record_of(problem: NetworkProblem, found: Found, settings: SearchSettings, seed: int) -> Record:
    """What is recorded of an instance: the end of a search, and shares of random configurations."""
    budget = problem.budgets[-1]
    codes = random_codes(problem, N_RANDOM, np.random.default_rng(seed))
    best = problem.space.encode(found.config)
    return Record(
        optimum=min(found.loss, problem.evaluate(found.config, budget, None).loss),  # they differ by rounding
        config=found.config,
        evaluations=settings.evaluations,
        restarts=settings.restarts,
        agreeing=found.agreeing,
        clipped=float(clipped_rows(problem, codes, budget).mean()),
        extrapolated=float(extrapolated_rows(problem, codes, budget).mean()),
        optimum_extrapolated=bool(extrapolated_rows(problem, best, budget)[0]),
    )


def rank_correlations(problem: NetworkProblem, budgets: Sequence[float], n: int, seed: int) -> list[float]:
    """Spearman's correlation of the losses at each budget with those at the full one, over random configurations."""
    from scipy.stats import spearmanr

    codes = random_codes(problem, n, np.random.default_rng(seed))
    full = problem.evaluate_batch(codes, problem.budgets[-1], None)[0]
    return [float(spearmanr(problem.evaluate_batch(codes, budget, None)[0], full).statistic) for budget in budgets]


def outside_published(scenario: Scenario, surrogate: SurrogateNetwork, n: int, seed: int) -> np.ndarray:
    """(n_targets, n_targets) on how many instances target i of random configurations leaves the published range of j.

    The budgets are random too, and a thousandth of the range is allowed for. Zeros are expected on the diagonal, where
    the targets are compared with their own ranges, and there alone.
    """
    rng, total = np.random.default_rng(seed), np.zeros((len(surrogate.targets),) * 2, dtype=int)
    for instance in scenario.instances:
        problem = NetworkProblem(scenario, surrogate, instance)
        values = problem.predictions(random_codes(problem, n, rng), random_budgets(scenario, n, rng))
        low, high = np.array(surrogate.published[instance]).T
        allowed = 1e-3 * (high - low)
        inside = (values.min(axis=0)[:, None] >= low - allowed) & (values.max(axis=0)[:, None] <= high + allowed)
        total += ~inside  # NaN is outside
    return total


def random_budgets(scenario: Scenario, n: int, rng: np.random.Generator) -> np.ndarray:
    """(n,) budgets over the whole range."""
    if scenario.budget_range is None:
        return rng.choice(np.asarray(scenario.budgets), n)
    return rng.uniform(*scenario.budget_range, n)
