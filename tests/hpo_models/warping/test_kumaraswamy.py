"""Kumaraswamy's function."""

import numpy as np
from scipy.stats import beta

from hpo_models.warping.kumaraswamy import warp, warp_with_slopes

X = np.linspace(0.001, 0.999, 50)[:, None] * np.ones(3)
A, B = np.array([0.4, 1.0, 3.0]), np.array([2.5, 1.0, 0.3])


def test_it_is_the_distribution_function():
    np.testing.assert_allclose(warp(X, A, B), 1.0 - (1.0 - X**A) ** B, rtol=1e-10, atol=1e-15)
    ones = np.ones(3)
    np.testing.assert_allclose(warp(X, ones, ones), X, rtol=1e-10)
    # with one parameter of 1 it is that of the beta distribution
    np.testing.assert_allclose(warp(X, A, ones), beta.cdf(X, A, 1.0), rtol=1e-10, atol=1e-15)
    np.testing.assert_allclose(warp(X, ones, B), beta.cdf(X, 1.0, B), rtol=1e-10, atol=1e-15)


def test_slopes_are_differences():
    found, step = warp_with_slopes(X, A, B), 1e-6
    along_a = (warp(X, A * np.exp(step), B) - warp(X, A * np.exp(-step), B)) / (2 * step)
    along_b = (warp(X, A, B * np.exp(step)) - warp(X, A, B * np.exp(-step))) / (2 * step)
    np.testing.assert_allclose(found.along_log_a, along_a, atol=1e-8)
    np.testing.assert_allclose(found.along_log_b, along_b, atol=1e-8)


def test_the_ends_stay_and_have_finite_slopes():
    ends = np.array([[0.0], [1.0]])
    for a, b in ((0.1, 10.0), (10.0, 0.1), (3.0, 2.0)):
        found = warp_with_slopes(ends, np.array([a]), np.array([b]))
        assert all(np.isfinite(part).all() for part in found)
        assert found.inputs[0, 0] < found.inputs[1, 0]
    np.testing.assert_allclose(warp(ends, np.array([2.0]), np.array([2.0])), ends, atol=1e-5)
