"""Gaussian process regression against closed forms and against numpy's own linear algebra."""

import math

import numpy as np
import pytest

from hpo_core.errors import InvalidOption, UnknownName
from hpo_models.gp.factors import NotPositiveDefinite, cholesky
from hpo_models.gp.fit import Hyperparameters
from hpo_models.gp.kernels import KERNELS, kernel_named, matern52, rbf, squared_distances
from hpo_models.gp.priors import MAP
from hpo_models.gp.regression import condition, extended, fit, fit_samples, standardise


def some_data(n=12, d=3, seed=0):
    rng = np.random.default_rng(seed)
    return rng.random((n, d)), rng.standard_normal(n)


def plain_posterior(x, y, at, h, groups, mean_variance):
    """Mean and covariance by np.linalg, the kernel written out, the mean by generalised least squares."""

    def k(a, b):
        r = np.sqrt((((a[:, None, :] - b[None, :, :]) / h.lengthscales[groups]) ** 2).sum(axis=2))
        s = math.sqrt(5.0) * r
        return h.scale * (1 + s + s**2 / 3) * np.exp(-s)

    inverse = np.linalg.inv(k(x, x) + h.noise * np.eye(len(x)))
    ones = np.ones(len(x))
    precision = 0.0 if mean_variance is None else 1.0 / mean_variance
    m = ones @ inverse @ y / (ones @ inverse @ ones + precision)
    return m + k(at, x) @ inverse @ (y - m), k(at, at) - k(at, x) @ inverse @ k(x, at)


def test_posterior_on_two_points_by_hand():
    # x = 0 and 1, lengthscale 1, scale 1, RBF: k = exp(-1/2); y = 1 and -1, so that the mean is 0 by symmetry
    k, noise = math.exp(-0.5), 0.1
    gp = condition(
        np.array([[0.0], [1.0]]), np.array([1.0, -1.0]), Hyperparameters(np.array([1.0]), 1.0, noise), kernel="rbf"
    )
    mean, std = gp.predict(np.array([[0.0], [0.5]]))
    assert gp.mean == pytest.approx(0.0, abs=1e-12)
    assert mean == pytest.approx([(1 - k) / (1 + noise - k), 0.0], abs=1e-8)  # A^-1 y = y / (1 + noise - k)
    determinant = (1 + noise) ** 2 - k**2
    explained = ((1 + noise) * (1 + k**2) - 2 * k * k) / determinant
    halfway = 2 * math.exp(-0.25) / (1 + noise + k)  # both covariances are exp(-1/8)
    assert std**2 == pytest.approx([1 - explained, 1 - halfway], abs=1e-8)


@pytest.mark.parametrize("mean_variance", [None, 1.0])
@pytest.mark.parametrize("steps", [(1,), (1, 1, 1, 1), (3, 0, 2)])
def test_observations_that_come_later(steps, mean_variance):
    """Extended step by step it is the process of all observations, also where those before have other values."""
    n = 20 + sum(steps)
    (x, y), at = some_data(n), some_data(7, seed=1)[0]
    h, groups = Hyperparameters(np.array([0.4, 1.3]), 1.7, 0.05), np.array([0, 1, 1])
    gp = condition(x[:20], y[:20] ** 3, h, groups=groups, mean_variance=mean_variance)
    for end in 20 + np.cumsum(steps):
        gp = extended(gp, x[:end], y[:end])
    mean, covariance = plain_posterior(x, y, at, h, groups, mean_variance)
    assert gp.predict(at)[0] == pytest.approx(mean, abs=1e-7)
    assert gp.predict(at)[1] ** 2 == pytest.approx(np.diag(covariance), abs=1e-7)
    with pytest.raises(InvalidOption, match="first"):
        extended(gp, x[1:], y[1:])
    with pytest.raises(InvalidOption, match="first"):
        extended(gp, x[::-1], y)


def test_an_input_that_comes_again_without_noise():
    x, y = some_data(20)
    h = Hyperparameters(np.array([1.0, 1.0, 1.0]), 1.0, 0.0)
    gp = extended(condition(x, y, h), np.concatenate([x, x[:1]]), np.append(y, y[0]))
    mean, std = gp.predict(x)
    assert mean == pytest.approx(y, abs=1e-3) and std.max() < 1e-3


@pytest.mark.parametrize("mean_variance", [None, 1.0, 0.01])
def test_posterior_agrees_with_plain_linear_algebra(mean_variance):
    x, y = some_data()
    at = some_data(7, seed=1)[0]
    h = Hyperparameters(np.array([0.4, 1.3]), 1.7, 0.05)
    groups = np.array([0, 1, 1])
    gp = condition(x, y, h, groups=groups, mean_variance=mean_variance)
    mean, covariance = plain_posterior(x, y, at, h, groups, mean_variance)
    assert gp.predict(at)[0] == pytest.approx(mean, abs=1e-7)
    assert gp.predict(at)[1] ** 2 == pytest.approx(np.diag(covariance), abs=1e-7)

    assert gp.joint(at)[1] == pytest.approx(covariance, abs=1e-7)


def test_left_out_residuals_are_those_of_the_process_without_the_observation():
    rng = np.random.default_rng(0)
    x, y = rng.random((9, 2)), rng.standard_normal(9)
    h = Hyperparameters(np.array([0.4, 0.7]), 1.3, 0.05)
    whole = condition(x, y, h)
    for i, residual in enumerate(whole.left_out()):
        rest = np.arange(9) != i
        part = condition(x[rest], y[rest] - whole.mean, h, mean_variance=1e-12)  # the same mean, which is part of it
        mean, std = part.predict(x[i : i + 1])
        expected = (y[i] - whole.mean - mean[0]) / math.sqrt(std[0] ** 2 + h.noise)
        assert residual == pytest.approx(expected, rel=1e-6)


def test_prediction_in_chunks_is_prediction(monkeypatch):
    x, y = some_data()
    at = some_data(50, seed=1)[0]
    gp = fit(x, y)
    whole = gp.predict(at)
    monkeypatch.setattr("hpo_models.gp.regression.CHUNK", 7)
    assert np.allclose(gp.predict(at), whole, rtol=0, atol=1e-12)


def test_samples_have_the_posterior_moments():
    x, y = some_data()
    at = some_data(4, seed=2)[0]
    gp = condition(x, y, Hyperparameters(np.array([0.6, 0.6, 0.6]), 1.0, 0.1))
    draws = gp.sample(at, np.random.default_rng(0), 40_000)
    mean, covariance = gp.joint(at)
    assert draws.mean(axis=0) == pytest.approx(mean, abs=0.02)
    assert np.cov(draws.T) == pytest.approx(covariance, abs=0.02)


def test_without_noise_the_posterior_goes_through_the_observations():
    x, y = some_data()
    gp = condition(x, y, Hyperparameters(np.array([0.3, 0.3, 0.3]), 1.0, 1e-9))
    mean, std = gp.predict(x)
    assert mean == pytest.approx(y, abs=1e-5)
    assert std == pytest.approx(np.zeros(len(x)), abs=1e-3)


@pytest.mark.parametrize("kernel", [matern52, rbf])
def test_derivatives_of_the_kernels(kernel):
    r2 = np.array([1e-3, 0.3, 1.0, 4.0, 20.0])
    step = 1e-6 * r2
    derivative = (kernel(r2 + step)[0] - kernel(r2 - step)[0]) / (2 * step)
    assert kernel(r2)[1] == pytest.approx(derivative, rel=1e-6)
    assert kernel(np.zeros(1))[0] == pytest.approx([1.0])


def test_matern_at_distance_one():
    s = math.sqrt(5.0)
    assert matern52(np.array([1.0]))[0] == pytest.approx([(1 + s + 5 / 3) * math.exp(-s)])


def test_squared_distances():
    a, b = some_data(5)[0], some_data(4, seed=1)[0]
    assert squared_distances(a, b) == pytest.approx(((a[:, None] - b[None]) ** 2).sum(axis=2), abs=1e-14)
    assert (squared_distances(a, a) >= 0).all()


def test_duplicate_inputs_with_different_losses():
    x = np.array([[0.2], [0.2], [0.8]])
    gp = fit(x, np.array([1.0, -1.0, 0.5]))
    mean, std = gp.predict(x)
    assert np.isfinite(mean).all() and np.isfinite(std).all()
    assert mean[0] == pytest.approx(mean[1])


def test_sampled_processes_differ_and_are_a_function_of_the_seed():
    x, y = some_data()
    first, again = (fit_samples(x, y, np.random.default_rng(0)) for _ in range(2))
    assert len(first) == 10
    assert len({gp.hyperparameters.noise for gp in first}) > 5
    assert [gp.hyperparameters.scale for gp in first] == [gp.hyperparameters.scale for gp in again]


def test_standardise():
    z, centre, std = standardise(np.array([1.0, 3.0]))
    assert (list(z), centre, std) == ([-1.0, 1.0], 2.0, 1.0)
    assert standardise(np.array([5.0, 5.0]))[2] == 1.0
    tiny = standardise(np.array([1e-9, 3e-9]))
    assert tiny[2] == pytest.approx(1e-9)


@pytest.mark.parametrize(
    ("x", "y"),
    [(np.zeros((2, 1)), np.zeros(3)), (np.zeros(2), np.zeros(2)), (np.zeros((0, 1)), np.zeros(0)),
     (np.array([[np.nan]]), np.zeros(1)), (np.zeros((1, 1)), np.array([np.inf]))],
)  # fmt: skip
def test_refuses_what_is_no_data(x, y):
    with pytest.raises(InvalidOption):
        fit(x, y)


def test_unknown_kernel_and_hopeless_matrix():
    assert kernel_named("rbf") is KERNELS["rbf"]
    with pytest.raises(UnknownName, match="matern52"):
        kernel_named("matern")
    with pytest.raises(NotPositiveDefinite):
        cholesky(np.array([[1.0, 2.0], [2.0, 1.0]]), 1.0)


def test_sampled_lengthscales_of_inputs_without_influence_stay_near_the_others():
    rng = np.random.default_rng(0)
    x = rng.random((30, 9))  # two of nine inputs matter
    y = standardise(np.sin(4.0 * x[:, 0]) + x[:, 1])[0]

    def idle(**options):
        gps = fit_samples(x, y, np.random.default_rng(0), **options)
        return float(np.median(np.log10([gp.hyperparameters.lengthscales[2:] for gp in gps])))

    assert -0.5 < idle() < 1.0
    assert idle(priors=MAP) > 2.5  # a flat prior puts them at the upper end of the box
