"""`gp-warped`: its three scores, and its first configurations."""

import math

import numpy as np
import pytest
from scipy.stats import norm

from baselines import optimizer
from baselines.bayesian.gp_warped import confidence_width, mace
from hpo_core import Float, Space
from hpo_models.gp.fit import Hyperparameters
from hpo_models.gp.regression import condition
from hpo_models.warping.warped_process import WarpedGP


def model(noise):
    x = np.array([[0.1], [0.5], [0.9]])
    process = condition(x, np.array([1.0, -1.0, 0.5]), Hyperparameters(np.array([0.3]), 1.0, noise))
    return WarpedGP(process, np.ones(1), np.ones(1))


def test_the_scores_are_the_three_acquisition_functions():
    rows = np.linspace(0.05, 0.95, 7)[:, None]
    found = mace(model(1e-12), rows, lowest=-1.0, kappa=2.0, rng=np.random.default_rng(0))
    mean, std = model(1e-12).predict(rows)
    z = (-1.0 - 1e-4 - mean) / std
    np.testing.assert_allclose(np.exp(found[:, 0]), std * (norm.pdf(z) + z * norm.cdf(z)), rtol=1e-3, atol=1e-9)
    np.testing.assert_allclose(np.exp(found[:, 1]), norm.cdf(z), rtol=1e-3, atol=1e-9)
    np.testing.assert_allclose(found[:, 2], 2.0 * std - mean, atol=1e-4)


def test_means_are_disturbed_by_twice_the_variance_of_the_noise():
    rows, rng = np.tile([[0.3]], (4000, 1)), np.random.default_rng(0)
    bounds = mace(model(0.04), rows, lowest=-1.0, kappa=2.0, rng=rng)[:, 2]
    assert bounds.std() == pytest.approx(math.sqrt(2 * 0.04), rel=0.05)


def test_impossible_improvements_have_finite_scores():
    found = mace(model(1e-12), np.array([[0.1]]), lowest=-1e6, kappa=2.0, rng=np.random.default_rng(0))
    assert np.isfinite(found).all()


def test_the_width_of_the_bound():
    expected = math.sqrt(0.5 * 2 * math.log(50 ** (2 + 6 / 2) * 3 * math.pi**2 / (3 * 0.01)))
    assert confidence_width(6, 50) == pytest.approx(expected)


def test_the_first_configurations_are_a_sobol_sequence():
    o = optimizer("gp-warped", Space([Float("x", 0.0, 1.0), Float("y", 0.0, 1.0)]), seed=0, n_initial=8)
    points = []
    for _ in range(8):
        proposal = o.ask()
        points.append(list(proposal.config.values()))
        o.tell(proposal, 1.0, 1.0)
    for column in np.array(points).T:
        assert sorted((8 * column).astype(int)) == list(range(8))
