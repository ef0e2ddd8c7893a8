"""Figures of a surrogate's error."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from tabular.surrogates import quality
from tabular.surrogates.quality import Quality

RNG = np.random.default_rng(0)


def test_spearman_is_that_of_scipy_with_ties_too():
    for ties in (False, True):
        a, b = RNG.standard_normal((2, 60)) + np.linspace(0, 3, 60)
        a = np.round(a) if ties else a
        assert quality.spearman(a, b) == pytest.approx(spearmanr(a, b).statistic, abs=1e-12)
    assert quality.spearman(np.ones(5), np.arange(5.0)) == 0.0
    assert quality.spearman(np.ones(1), np.ones(1)) == 0.0


def test_the_best_fifth_are_those_of_the_recorded_losses():
    losses = np.arange(20.0)
    predicted = losses.copy()
    predicted[:4] = [3, 2, 1, 0]  # the best four the wrong way round
    assert quality.spearman_among_best(predicted, losses) == pytest.approx(-1.0)
    assert quality.spearman(predicted, losses) > 0.97


def test_the_score_leaves_out_a_best_fifth_of_fewer_than_five():
    losses = np.arange(25.0)
    predicted = np.concatenate([losses[:5][::-1], losses[5:]])
    overall = quality.spearman(predicted, losses)
    assert quality.score(predicted, losses) == pytest.approx((3 * overall - 1) / 4)
    assert quality.score(predicted[:24], losses[:24]) == quality.spearman(predicted[:24], losses[:24])


def test_budgets_are_not_compared_with_each_other():
    budgets = np.repeat([1.0, 2.0, 3.0], [6, 6, 3])
    losses = np.concatenate([np.arange(6) + 100, np.arange(6), np.arange(3)]).astype(float)
    predicted = np.concatenate([np.arange(6), np.arange(6)[::-1], np.arange(3)]).astype(float)
    assert quality.spearman_over_budgets(predicted, losses, budgets) == pytest.approx((1 - 1) / 2)  # 3 is too few


def test_errors_in_units():
    assert quality.relative_rmse(np.array([1.0, 3.0]), np.array([0.0, 4.0])) == pytest.approx(1 / 2)
    assert quality.typical_factor(np.array([2.0, 1.0, 1.0]), np.array([1.0, 2.0, 1.0])) == pytest.approx(2.0)


def test_plain_data_and_back():
    q = Quality(10, 5, 5, 0.9, (0.8, 1.0), 0.5, 0.3, spearman_cost=0.7, cost_factor=1.1)
    assert Quality.from_json(q.to_json()) == q
