"""BOCA: which budgets eq. 5 allows, worked out by hand, and that small ones are used and help."""

import math

import numpy as np
import pytest

from baselines import optimizer
from baselines.budgets.boca import with_share, worthwhile
from hpo_core import Benchmark, Float, Result, SimpleProblem, Space, run
from hpo_models.gp.fit import Hyperparameters
from hpo_models.gp.regression import condition

SPACE = Space([Float("x", 0.0, 1.0), Float("y", 0.0, 1.0)])


def process(shares, lengthscale, noise=1e-6):
    """A process of one hyperparameter after losses at x = 0.5 and some shares of the full budget; its variance is 4."""
    x = with_share(np.full((len(shares), 1), 0.5), np.array(shares))
    return condition(x, np.zeros(len(shares)), Hyperparameters(np.array([0.3, lengthscale]), 4.0, noise), kernel="rbf")


def test_budgets_are_allowed_by_their_uncertainty_and_their_gap():
    """Far from all observations std is 2 everywhere: xi lambda^q < 1 always, so the gap alone decides."""
    shares = np.array([0.1, 0.5, 0.9, 1.0])
    gp, far, beta = process([1.0], 1.0), np.array([1e3]), 4.0
    gaps = np.sqrt(1 - np.exp(-((shares - 1) ** 2)))
    wide = gaps > gaps[0] / 2
    assert wide.tolist() == [True, True, False, False]
    assert worthwhile(gp, far, shares, beta).tolist() == [True, True, False, True]


def test_a_budget_that_was_observed_is_not_worthwhile_again():
    shares = np.array([0.1, 0.5, 0.9, 1.0])
    near = np.array([0.5])
    assert worthwhile(process([1.0, 0.1], 0.1), near, shares, 4.0).tolist() == [False, True, True, True]


def test_the_threshold_grows_with_the_cost():
    """std at z = 0.5 after an observation at 0.4 and lengthscale 0.2, against 2 xi z^(1/4), both by hand."""
    k = math.exp(-0.5 * (0.1 / 0.2) ** 2)
    std = 2 * math.sqrt(1 - k**2)
    xi = math.sqrt(1 - math.exp(-((0.5 / 0.2) ** 2)))
    threshold = 2 * xi * 0.5**0.25
    assert std < threshold  # so it is not allowed
    allowed = worthwhile(process([0.4], 0.2, 1e-9), np.array([0.5]), np.array([0.01, 0.5, 1.0]), 1e9)
    assert allowed.tolist() == [True, False, True]


def problem():
    def evaluate(config, budget, seed):
        away = (config["x"] - 0.7) ** 2 + (config["y"] - 0.2) ** 2
        return Result(0.1 + away + 0.5 * math.exp(-budget / 4), float(budget), budget, {})

    return Benchmark(SimpleProblem("curves", SPACE, evaluate, budgets=range(1, 28), optimum=0.1))


def test_it_begins_at_the_full_budget_and_uses_smaller_ones_after():
    b = problem()
    o = optimizer("boca", SPACE, b.budgets, seed=0)
    budgets = [trial.budget for trial in run(b, o, n_trials=20, seed=0).trials]
    assert budgets[:6] == [27] * 6
    assert min(budgets[6:]) < 14


@pytest.mark.slow
def test_it_finds_the_best_for_less_than_full_trainings_cost():
    """At the price of 15 full evaluations; random search has a regret of 0.03 in the median there."""
    b = problem()
    found = []
    for seed in range(3):
        r = run(b, "boca", n_trials=None, max_cost=15 * 27, seed=seed)
        found.append(min(t.loss for t in r.trials if t.budget == 27) - 0.1)
    assert np.median(found) < 0.003
