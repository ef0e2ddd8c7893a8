"""Gaussian processes of warped inputs."""

import numpy as np

from hpo_models.gp.fit import Hyperparameters
from hpo_models.gp.kernels import matern52
from hpo_models.gp.posterior import LogPosterior
from hpo_models.gp.priors import MAP
from hpo_models.gp.regression import condition, fit
from hpo_models.warping.kumaraswamy import warp
from hpo_models.warping.warped_process import WarpedGP, WarpedLogPosterior, fit_warped

GROUPS = np.array([0, 1, 2, 2])


def data(n=70):
    rng = np.random.default_rng(0)
    x = 0.001 + 0.998 * rng.random((n, 4))
    y = np.sin(8.0 * x[:, 0] ** 4) + x[:, 1]
    return x, (y - y.mean()) / y.std()


def test_without_warping_the_density_is_that_of_the_ordinary_process():
    x, y = data()
    theta = np.concatenate([np.log([0.5, 0.8, 2.0]), [0.1, -4.0]])
    value, gradient = WarpedLogPosterior(x, y, 2, GROUPS, MAP).value_and_gradient(np.append(theta, np.zeros(4)))
    expected, its_gradient = LogPosterior(x, y, GROUPS, matern52, MAP).value_and_gradient(theta)
    np.testing.assert_allclose(value, expected, rtol=1e-9)
    np.testing.assert_allclose(gradient[:5], its_gradient, rtol=1e-6)


def test_with_warping_the_density_is_that_at_the_warped_inputs_times_the_prior():
    x, y = data()
    theta, logs = np.concatenate([np.log([0.5, 0.8, 2.0]), [0.1, -4.0]]), np.array([0.5, -0.3, 0.2, 0.4])
    warped = np.concatenate([warp(x[:, :2], np.exp(logs[:2]), np.exp(logs[2:])), x[:, 2:]], axis=1)
    value, _ = WarpedLogPosterior(x, y, 2, GROUPS, MAP).value_and_gradient(np.append(theta, logs))
    expected, _ = LogPosterior(warped, y, GROUPS, matern52, MAP).value_and_gradient(theta)
    np.testing.assert_allclose(value, expected - 0.5 * logs @ logs / 0.75, rtol=1e-10)


def test_the_gradient_is_that_of_differences():
    density = WarpedLogPosterior(*data(), 2, GROUPS, MAP)
    theta = np.array([-0.5, 0.2, 0.4, 0.1, -4.0, 0.5, -0.3, 0.2, 0.4])
    _, gradient = density.value_and_gradient(theta)
    steps = 1e-5 * np.eye(len(theta))
    differences = [density.value_and_gradient(theta + s)[0] - density.value_and_gradient(theta - s)[0] for s in steps]
    np.testing.assert_allclose(gradient, np.array(differences) / 2e-5, rtol=1e-5, atol=1e-5)


def test_a_function_that_changes_at_one_end_is_predicted_better():
    x, y = data(90)
    known, new = slice(0, 40), slice(40, 90)
    warped = fit_warped(x[known], y[known], 2, groups=GROUPS)
    plain = fit(x[known], y[known], groups=GROUPS)
    errors = [np.mean((model.predict(x[new])[0] - y[new]) ** 2) for model in (warped, plain)]
    assert warped.a[0] > 1.5  # sin(8 x^4): nothing happens near 0
    assert errors[0] < 0.5 * errors[1]


def test_more_observations_with_the_same_warping():
    x, y = data(30)
    a, b, h = np.array([2.0, 0.7]), np.array([1.0, 1.5]), Hyperparameters(np.array([0.5, 0.8, 2.0]), 1.0, 0.01)

    def model(n):
        return condition(np.concatenate([warp(x[:n, :2], a, b), x[:n, 2:]], axis=1), y[:n], h, groups=GROUPS)

    grown = WarpedGP(model(20), a, b).extended(x, y)
    np.testing.assert_allclose(grown.predict(x + 1e-3), WarpedGP(model(30), a, b).predict(x + 1e-3), rtol=1e-6)
    assert grown.noise == 0.01
