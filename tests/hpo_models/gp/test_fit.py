"""Hyperparameters of a Gaussian process: density, gradient, search, slice sampling."""

import math

import numpy as np
import pytest
from scipy.stats import gamma, lognorm, multivariate_normal, norm

from hpo_core.errors import InvalidOption
from hpo_models.gp.fit import Fitting, Hyperparameters, most_probable, posterior_samples
from hpo_models.gp.kernels import matern52, rbf, squared_distances
from hpo_models.gp.posterior import LogPosterior
from hpo_models.gp.priors import MAP, MARGINAL_LIKELIHOOD, Box, Gamma, LogNormal, Priors
from hpo_models.gp.regression import fit
from hpo_models.gp.slice_sampling import slice_samples

THETA = np.log([0.5, 1.5, 1.3, 0.05])
GROUPS = np.array([0, 1, 1])


def some_data(n=15, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.random((n, 3))
    return x, np.sin(5 * x[:, 0]) + x[:, 1] + 0.1 * rng.standard_normal(n)


@pytest.mark.parametrize("priors", [MAP, MARGINAL_LIKELIHOOD, Priors(lengthscale=LogNormal(0.0, 0.5))])
@pytest.mark.parametrize("kernel", [matern52, rbf])
def test_gradient(kernel, priors):
    x, y = some_data()
    density = LogPosterior(x, y, GROUPS, kernel, priors)
    value, gradient = density.value_and_gradient(THETA)
    steps = 1e-5 * np.eye(len(THETA))
    numeric = [(density.value(THETA + step) - density.value(THETA - step)) / 2e-5 for step in steps]
    assert value == pytest.approx(density.value(THETA), abs=1e-10)
    assert gradient == pytest.approx(numeric, abs=1e-5)


@pytest.mark.parametrize("n", [63, 130, 300])
def test_gradient_of_many_observations_in_strips(n):
    """One strip of rows, two, and four; and a second point, in the memory of the first."""
    x, y = some_data(n)
    density = LogPosterior(x, y, GROUPS, matern52, MAP)
    density.value_and_gradient(THETA + 1.0)
    value, gradient = density.value_and_gradient(THETA)
    steps = 1e-5 * np.eye(len(THETA))
    numeric = [(density.value(THETA + step) - density.value(THETA - step)) / 2e-5 for step in steps]
    assert value == pytest.approx(density.value(THETA), abs=1e-9)
    assert gradient == pytest.approx(numeric, rel=1e-5, abs=1e-4)


def test_equal_inputs_without_noise_get_more_jitter():
    x, y = some_data(30)
    x, y, theta = np.repeat(x, 5, axis=0), np.repeat(y, 5), np.array([3.0, 3.0, 0.0, -40.0])
    density = LogPosterior(x, y, GROUPS, matern52, MAP)
    value, gradient = density.value_and_gradient(theta)
    assert np.isfinite(gradient).all() and value == pytest.approx(density.value(theta), rel=1e-3)


def test_density_is_that_of_scipy():
    x, y = some_data()
    scaled = x / np.exp(THETA[GROUPS])
    covariance = 1.3 * matern52(squared_distances(scaled, scaled))[0] + 0.05 * np.eye(len(y))
    inverse = np.linalg.inv(covariance)
    mean = inverse.sum(axis=0) @ y / (inverse.sum() + 1.0)
    expected = multivariate_normal(np.full(len(y), mean), covariance).logpdf(y)
    expected += lognorm(1.0).logpdf(1.3) + gamma(0.1, scale=1.0).logpdf(0.05) + norm.logpdf(mean)
    constants = lognorm(1.0).logpdf(1.0) + gamma(0.1, scale=1.0).logpdf(1.0) + 1.0 + norm.logpdf(0.0)
    density = LogPosterior(x, y, GROUPS, matern52, MAP)
    assert density.value(THETA) == pytest.approx(expected - constants, abs=1e-6)


@pytest.mark.parametrize("prior", [Gamma(0.1, 0.1), Gamma(2.0, 3.0), LogNormal(0.5, 0.7)])
def test_slopes_of_the_priors(prior):
    for value in (0.01, 0.5, 3.0):
        step = 1e-6 * value
        numeric = (prior.log_density(value + step) - prior.log_density(value - step)) / (2 * step)
        assert prior.derivative(value) == pytest.approx(numeric, rel=1e-5)


def test_search_ends_at_a_stationary_point_or_a_wall():
    x, y = some_data(40)
    tight = Fitting(tolerance=1e-7, relative_tolerance=1e-13)
    found = most_probable(x, y, GROUPS, matern52, MAP, tight)
    theta = np.log([*found.lengthscales, found.scale, found.noise])
    _, gradient = LogPosterior(x, y, GROUPS, matern52, MAP).value_and_gradient(theta)
    walls = np.log([Box().lengthscale] * 2 + [Box().scale, Box().noise])
    inside = (theta > walls[:, 0] + 1e-9) & (theta < walls[:, 1] - 1e-9)
    assert inside.sum() >= 2
    assert gradient[inside] == pytest.approx(np.zeros(inside.sum()), abs=1e-3)


def test_maximum_likelihood_finds_the_noise_and_the_irrelevant_input():
    rng = np.random.default_rng(1)
    x = rng.random((150, 2))
    y = np.sin(6 * x[:, 0]) + 0.2 * rng.standard_normal(150)
    found = fit(x, y, priors=MARGINAL_LIKELIHOOD).hyperparameters
    assert math.sqrt(found.noise) == pytest.approx(0.2, abs=0.04)
    assert found.lengthscales[1] > 10 * found.lengthscales[0]


def test_more_starts_are_never_worse_and_need_an_rng():
    x, y = some_data()
    density = LogPosterior(x, y, np.arange(3), rbf, MARGINAL_LIKELIHOOD)

    def height(n_starts):
        fitting, rng = Fitting(n_starts=n_starts), np.random.default_rng(0)
        h = most_probable(x, y, np.arange(3), rbf, MARGINAL_LIKELIHOOD, fitting, rng=rng)
        return density.value(np.log([*h.lengthscales, h.scale, h.noise]))

    assert height(6) >= height(1)
    with pytest.raises(InvalidOption, match="rng"):
        most_probable(x, y, np.arange(3), rbf, MAP, Fitting(n_starts=2))


def test_a_good_start_is_kept():
    x, y = some_data(40)
    first = fit(x, y).hyperparameters
    again = fit(x, y, start=first, fitting=Fitting(max_steps=1)).hyperparameters
    assert again.lengthscales == pytest.approx(first.lengthscales, rel=0.2)
    cold = fit(x, y, fitting=Fitting(max_steps=1)).hyperparameters
    assert abs(np.log(cold.noise / first.noise)) > abs(np.log(again.noise / first.noise))


def test_slice_samples_of_a_correlated_normal():
    covariance = np.array([[1.0, 0.8], [0.8, 2.0]])
    precision = np.linalg.inv(covariance)
    draws = slice_samples(
        lambda x: -0.5 * float((x - 3.0) @ precision @ (x - 3.0)), np.zeros(2), np.random.default_rng(0),
        n_samples=4000, burn_in=100, thinning=2,
    )  # fmt: skip
    assert draws.mean(axis=0) == pytest.approx([3.0, 3.0], abs=0.2)
    assert np.cov(draws.T) == pytest.approx(covariance, abs=0.35)


def test_a_slice_is_cut_where_a_point_fell_out():
    evaluations = 0

    def log_density(x):  # a needle, which steps of width 1 find only by cutting the interval
        nonlocal evaluations
        evaluations += 1
        return -0.5 * (float(x[0]) / 1e-4) ** 2

    draws = slice_samples(log_density, np.zeros(1), np.random.default_rng(2), 500, 0, 1)[:, 0]
    assert draws.std() == pytest.approx(1e-4, rel=0.2)
    assert evaluations < 500 * 30


def test_slice_samples_stay_where_the_density_is():
    def log_density(x):  # uniform on [0, 1]
        return 0.0 if 0.0 <= x[0] <= 1.0 else -math.inf

    draws = slice_samples(log_density, np.array([0.5]), np.random.default_rng(1), 4000, 10, 1)[:, 0]
    assert draws.min() >= 0.0 and draws.max() <= 1.0
    assert np.histogram(draws, 4, (0, 1))[0] / len(draws) == pytest.approx([0.25] * 4, abs=0.03)


def test_posterior_samples_lie_in_the_box_around_the_mode():
    x, y = some_data(40)
    start = fit(x, y).hyperparameters
    samples = posterior_samples(x, y, np.arange(3), matern52, MAP, np.random.default_rng(0), start)
    noises = np.array([sample.noise for sample in samples])
    assert ((noises >= Box().noise[0]) & (noises <= 1.0)).all()
    assert isinstance(samples[0], Hyperparameters)
    density = LogPosterior(x, y, np.arange(3), matern52, MAP)
    heights = [density.value(np.log([*s.lengthscales, s.scale, s.noise])) for s in samples]
    top = density.value(np.log([*start.lengthscales, start.scale, start.noise]))
    assert top - 30 < min(heights) and max(heights) < top + 8  # a mode of values is not that of logarithms
