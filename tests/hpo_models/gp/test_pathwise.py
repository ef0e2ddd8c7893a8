"""Draws of a Gaussian process as functions."""

import numpy as np
import pytest

from hpo_core.errors import InvalidOption
from hpo_models.gp.fit import Hyperparameters
from hpo_models.gp.pathwise import drawn_function
from hpo_models.gp.regression import condition


def process(kernel="matern52", noise=0.0):
    rng = np.random.default_rng(0)
    x, y = rng.random((6, 3)), rng.standard_normal(6)
    hyperparameters = Hyperparameters(np.array([0.4, 0.7]), 1.3, noise)
    return condition(x, y, hyperparameters, groups=np.array([0, 1, 1]), kernel=kernel)


@pytest.mark.parametrize("kernel", ["matern52", "rbf"])
def test_draws_have_the_moments_of_the_posterior(kernel):
    gp, x = process(kernel, noise=0.4), np.random.default_rng(1).random((5, 3))
    x[0] = gp.x[0]
    rng = np.random.default_rng(2)
    draws = np.array([drawn_function(gp, rng, 64)(x) for _ in range(4000)])
    mean, covariance = gp.joint(x)
    errors = np.sqrt(covariance.diagonal() / len(draws))
    assert (np.abs(draws.mean(axis=0) - mean) < 4.5 * errors).all()
    assert np.abs(np.cov(draws.T) - covariance).max() < 0.06  # entries are up to 0.8


def test_a_draw_is_a_function_and_meets_observations_without_noise():
    gp = process(noise=1e-9)
    draw = drawn_function(gp, np.random.default_rng(3))
    np.testing.assert_allclose(draw(gp.x), gp.y, atol=1e-3)
    x = np.random.default_rng(4).random((600, 3))  # more than are computed at a time
    np.testing.assert_allclose(np.concatenate([draw(x[:7]), draw(x[7:])]), draw(x), atol=1e-12)


def test_a_kernel_without_features_is_refused():
    with pytest.raises(InvalidOption, match="matern52, rbf"):
        drawn_function(process()._replace(kernel="linear"), np.random.default_rng(0))
