"""Deep power laws: gradients against differences, and curves that are power laws."""

import numpy as np
import pytest

from hpo_models.curves.power_laws import CurveObjective, Curves, K, outputs, power_law, trained
from hpo_models.networks.tanh_network import TanhNetwork


def test_a_power_law_by_hand():
    laws = np.array([[[0.5, 2.0, 1.0]]])
    beta, gamma = 2.0 / (1 + np.exp(-2.0)), 1.0 / (1 + np.exp(-1.0))
    found, _ = power_law(laws, np.log([0.25]))
    assert found[0, 0] == pytest.approx(0.5 + beta * 0.25**-gamma)


def test_derivatives_are_those_of_differences():
    rng = np.random.default_rng(0)
    laws, logs = rng.normal(size=(2, 5, 3)), np.log(rng.uniform(0.05, 1.0, 5))
    slopes = power_law(laws, logs)[1]
    for j in range(3):
        step = np.zeros(3)
        step[j] = 1e-5
        differences = (power_law(laws + step, logs)[0] - power_law(laws - step, logs)[0]) / 2e-5
        np.testing.assert_allclose(slopes[..., j], differences, rtol=1e-5, atol=1e-7)


def test_the_gradient_is_that_of_the_mean_absolute_error():
    rng = np.random.default_rng(1)
    shape = TanhNetwork((3, 6, 6, 3))
    curves = Curves(rng.random((1, 3)), np.array([0.3]), np.array([2.0]))  # one row: every minibatch is the same
    theta = (0.5 * rng.standard_normal((K, shape.n_parameters))).astype(np.float32)
    found = CurveObjective(shape, curves, rng, 1).gradient(theta).copy()

    def error(theta):
        laws = outputs(shape, theta, curves.x.astype(np.float32))[-1]
        return np.abs(power_law(laws.astype(float), np.log(curves.shares))[0] - curves.losses).sum()

    for network, index in ((0, 2), (1, 20), (2, 30), (3, 50), (4, shape.n_parameters - 1)):
        step = np.zeros_like(theta, dtype=float)
        step[network, index] = 1e-3
        difference = (error(theta.astype(float) + step) - error(theta.astype(float) - step)) / 2e-3
        assert found[network, index] == pytest.approx(difference, rel=2e-3, abs=1e-4)


def test_power_laws_are_extrapolated():
    rng = np.random.default_rng(2)
    x = rng.random((12, 2))
    shares = np.arange(1, 11) / 40  # a quarter of each training
    ends = 0.3 * x[:, 0]
    losses = ends[:, None] + 0.1 * shares ** -(0.3 + 0.4 * x[:, [1]])
    curves = Curves(np.repeat(x, 10, axis=0), np.tile(shares, 12), losses.ravel())
    ensemble = trained(curves, rng)
    for _ in range(30):
        ensemble = trained(curves, rng, ensemble)
    means, stds = ensemble.predict(x, np.ones(12))
    last = losses[:, -1]  # what a model without curves would say
    assert np.abs(means - (ends + 0.1)).mean() < 0.3 * np.abs(last - (ends + 0.1)).mean()
    assert (stds > 0).all()


def test_refining_leaves_the_ensemble_before_as_it_was():
    rng = np.random.default_rng(3)
    curves = Curves(rng.random((5, 2)), np.full(5, 0.5), rng.random(5))
    before = trained(curves, rng)
    copy = before.theta.copy()
    after = trained(curves, rng, before)
    assert np.array_equal(before.theta, copy) and not np.array_equal(after.theta, copy)
