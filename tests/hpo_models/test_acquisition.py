"""Acquisition functions by hand, by integration, and far out in the tail."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from hpo_models.acquisition import (
    confidence_bounds,
    log_expected_improvement,
    log_improvement,
    log_probability_of_improvement,
)


@pytest.mark.parametrize(("mean", "deviation", "best"), [(0.0, 1.0, 0.0), (1.0, 0.5, 0.2), (-2.0, 0.3, 0.0), (3, 1, 0)])
def test_expected_improvement_is_the_integral(mean, deviation, best):
    def integrand(f):
        return (best - f) * norm.pdf(f, mean, deviation)

    expected = quad(integrand, mean - 40 * deviation, best, points=[mean], epsabs=1e-14)[0]
    found = log_expected_improvement(np.array([mean]), np.array([deviation]), best)
    assert np.exp(found) == pytest.approx([expected], rel=1e-7)


def test_expected_improvement_at_the_mean():
    found = log_expected_improvement(np.array([0.0]), np.array([2.0]), 0.0)
    assert found == pytest.approx([math.log(2.0 / math.sqrt(2 * math.pi))])


def test_log_improvement_in_the_tail():
    # phi(z) + z Phi(z) = phi(z) / z^2 (1 - 3 / z^2 + 15 / z^4 - 105 / z^6 ...)
    for z in (-100.0, -199.9, -200.1, -1e4):
        series = (1 - 3 / z**2 + 15 / z**4 - 105 / z**6) / z**2
        expected = -0.5 * z**2 - 0.5 * math.log(2 * math.pi) + math.log(series)
        rounding = 1e-15 * z**2  # of a logarithm near z^2 / 2
        assert float(log_improvement(np.array([z]))[0]) == pytest.approx(expected, abs=3e-11 + rounding)
    grid = np.linspace(-300, 3, 5001)
    assert (np.diff(log_improvement(grid)) > 0).all()


def test_certain_predictions():
    mean, none = np.array([1.0, -1.0]), np.zeros(2)
    assert log_expected_improvement(mean, none, 0.0).tolist() == [-math.inf, 0.0]
    assert log_probability_of_improvement(mean, none, 0.0).tolist() == [-math.inf, 0.0]


def test_probability_of_improvement():
    found = log_probability_of_improvement(np.array([0.0, 1.0]), np.array([1.0, 2.0]), 0.0)
    assert np.exp(found) == pytest.approx([0.5, norm.cdf(-0.5)])


def test_confidence_bounds():
    low, high = confidence_bounds(np.array([1.0]), np.array([0.5]), 4.0)
    assert (low[0], high[0]) == (0.0, 2.0)
