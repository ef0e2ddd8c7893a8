"""Product processes and the multi-task process: against Kronecker products, the ordinary process and brute force."""

import math

import numpy as np
import pytest
from scipy.stats import lognorm, multivariate_normal, norm

from hpo_core.errors import InvalidOption
from hpo_models.gp import regression as gp
from hpo_models.gp.fit import Hyperparameters
from hpo_models.gp.kernels import matern52, squared_distances
from hpo_models.gp.multi_task import fit_tasks, task_correlations, task_points, task_priors
from hpo_models.gp.posterior import LogPosterior
from hpo_models.gp.priors import MAP, LogNormal
from hpo_models.gp.product import PRIORS, Points, condition, fit, fit_samples
from hpo_models.gp.product_posterior import Parts, ProductPosterior, pack, unpack

GROUPS = np.array([0, 1, 1])
TRIANGLE = np.array([[0.9, 0.0, 0.0], [0.7, 0.5, 0.0], [-0.3, 0.2, 1.1]])
PARTS = Parts(np.array([0.5, 1.5]), TRIANGLE, 0.05)


def some_data(n=24, n_tasks=3, seed=0):
    rng = np.random.default_rng(seed)
    x, tasks = rng.random((n, 3)), rng.integers(n_tasks, size=n)
    return x, tasks, np.sin(5 * x[:, 0]) + 0.5 * tasks * x[:, 1] + 0.1 * rng.standard_normal(n)


def kernel(a, b):
    return matern52(squared_distances(a / PARTS.lengthscales[GROUPS], b / PARTS.lengthscales[GROUPS]))[0]


def test_the_posterior_of_every_task_at_every_input_is_that_of_the_kronecker_product():
    rng = np.random.default_rng(1)
    x, new = rng.random((6, 3)), rng.random((4, 3))
    y = rng.standard_normal(18)
    every = task_points(np.tile(x, (3, 1)), np.repeat(np.arange(3), 6), 3)
    process = condition(every, y, PARTS, GROUPS)
    tasks = TRIANGLE @ TRIANGLE.T
    inverse = np.linalg.inv(np.kron(tasks, kernel(x, x)) + 0.05 * np.eye(18))
    basis = np.repeat(np.eye(3), 6, axis=0)
    weights = np.linalg.solve(basis.T @ inverse @ basis + np.eye(3), basis.T @ inverse @ y)
    cross = np.kron(tasks, kernel(new, x))
    mean = np.repeat(weights, 4) + cross @ inverse @ (y - basis @ weights)
    covariance = np.kron(tasks, kernel(new, new)) - cross @ inverse @ cross.T
    points = task_points(np.tile(new, (3, 1)), np.repeat(np.arange(3), 4), 3)
    found, stds = process.predict(points)
    assert found == pytest.approx(mean, abs=1e-8)
    assert stds == pytest.approx(np.sqrt(covariance.diagonal()), abs=1e-7)
    joint_mean, joint = process.joint(points)
    assert joint_mean == pytest.approx(mean, abs=1e-8) and joint == pytest.approx(covariance, abs=1e-8)
    part = Points(points.x[:5], points.basis[:5])
    assert process.covariance(part, points) == pytest.approx(covariance[:5], abs=1e-8)


def test_one_task_is_an_ordinary_process():
    x, _, y = some_data()
    new = np.random.default_rng(2).random((7, 3))
    hyperparameters = Hyperparameters(PARTS.lengthscales, 1.3, 0.05)
    ordinary = gp.condition(x, y, hyperparameters, groups=GROUPS)
    process = condition(task_points(x, 0, 1), y, Parts(PARTS.lengthscales, np.array([[math.sqrt(1.3)]]), 0.05), GROUPS)
    for found, expected in zip(process.predict(task_points(new, 0, 1)), ordinary.predict(new), strict=True):
        assert found == pytest.approx(expected, abs=1e-8)
    density = ProductPosterior(*task_points(x, 0, 1), y, GROUPS, PRIORS._replace(lengthscale=None))
    theta = np.log([0.5, 1.5, 1.3, 0.05])
    halved = np.log([0.5, 1.5, math.sqrt(1.3), 0.05])  # theta has the logarithm of L, whose square is the scale
    assert density.value(halved) == pytest.approx(LogPosterior(x, y, GROUPS, matern52, MAP).value(theta), abs=1e-6)


@pytest.mark.parametrize("priors", [PRIORS, task_priors(3), PRIORS._replace(lengthscale=LogNormal(0.0, 0.5))])
def test_gradient(priors):
    x, tasks, y = some_data()
    density = ProductPosterior(*task_points(x, tasks, 3), y, GROUPS, priors)
    theta = pack(PARTS)
    value, gradient = density.value_and_gradient(theta)
    steps = 1e-5 * np.eye(len(theta))
    numeric = [(density.value(theta + step) - density.value(theta - step)) / 2e-5 for step in steps]
    assert value == density.value(theta)
    assert gradient == pytest.approx(numeric, abs=1e-5)


def test_density_is_that_of_scipy():
    x, tasks, y = some_data()
    basis = np.eye(3)[tasks]
    covariance = (basis @ TRIANGLE @ TRIANGLE.T @ basis.T) * kernel(x, x) + 0.05 * np.eye(len(y))
    inverse = np.linalg.inv(covariance)
    weights = np.linalg.solve(basis.T @ inverse @ basis + np.eye(3), basis.T @ inverse @ y)
    scales = TRIANGLE.diagonal() ** 2
    expected = multivariate_normal(basis @ weights, covariance).logpdf(y) + norm.logpdf(weights).sum()
    expected += lognorm(1.0).logpdf([*PARTS.lengthscales, scales[0]]).sum()
    expected += lognorm(1.0, scale=np.exp(-2.0)).logpdf(scales[1:]).sum()
    expected += norm.logpdf([0.7, -0.3, 0.2], [1.0, 1.0, 0.0], 0.5).sum()
    expected += lognorm(1.0, scale=np.exp(-5.0)).logpdf(0.05)
    constants = -0.5 * 12 * np.log(2 * np.pi) - 3 * np.log(0.5)  # of 6 log-normal and 3 + 3 normal densities
    density = ProductPosterior(*task_points(x, tasks, 3), y, GROUPS, task_priors(3, 2))
    assert density.value(pack(PARTS)) == pytest.approx(expected - constants, abs=1e-6)


def test_hyperparameters_survive_packing():
    again = unpack(pack(PARTS), 2, 3)
    for found, expected in zip(again, PARTS, strict=True):
        assert found == pytest.approx(expected)


def tasks_alike(factor, seed=0):
    """Two tasks observed at different inputs, the second `factor` times the first plus noise of std 0.01."""
    rng = np.random.default_rng(seed)
    x, tasks = rng.random((40, 1)), np.arange(40) % 2
    y = np.sin(7 * x[:, 0]) * np.where(tasks == 1, factor, 1.0) + 0.01 * rng.standard_normal(40)
    return x, tasks, y


@pytest.mark.parametrize("n_budgets", [1, 2])
@pytest.mark.parametrize("factor", [1.0, -1.0, 0.5])
def test_correlation_is_found_whatever_its_sign(factor, n_budgets):
    correlations = task_correlations(fit_tasks(*tasks_alike(factor), 2, np.zeros(1, dtype=int), n_budgets))
    assert np.sign(factor) * correlations[0, 1] > 0.95
    assert correlations.diagonal() == pytest.approx([1.0, 1.0])


def test_one_observation_of_the_target_task_does_not_make_the_correlation_negative():
    # with this prior of the noise, a search that may cross 0 ends at a link of -0.7, where the log density is 21 lower
    priors = task_priors(2, 2)._replace(noise=MAP.noise)
    cells = [(12, 4), (5, 4), (1, 2), (2, 9), (3, 6), (9, 4), (7, 4), (12, 5), (12, 9), (12, 4)]
    x = (np.array(cells) + 0.5) / 13
    y = np.array([-0.741, -0.52, 1.206, 1.206, 1.206, -0.649, -0.703, -1.06, 1.206, -1.151])
    tasks = np.array([1] * 9 + [0])
    process = fit(task_points(x, tasks, 2), y, np.array([0, 1]), priors)
    assert task_correlations(process)[0, 1] > 0.9
    means, _ = process.predict(task_points(x[:9], 0, 2))
    assert means.argmin() in (0, 7)


def test_unrelated_tasks_have_a_low_correlation():
    rng = np.random.default_rng(3)
    x, tasks = rng.random((60, 1)), np.arange(60) % 2
    y = np.where(tasks == 1, np.cos(14 * x[:, 0]), np.sin(7 * x[:, 0]))
    assert abs(task_correlations(fit_tasks(x, tasks, y, 2, np.zeros(1, dtype=int)))[0, 1]) < 0.6


def test_another_task_helps_where_the_first_was_never_observed():
    x, tasks, y = tasks_alike(1.0)
    new = np.linspace(0.5, 1.0, 20)[:, None]
    kept = (tasks == 1) | (x[:, 0] < 0.3)  # the task that counts is known on the left alone
    both = fit_tasks(x[kept], tasks[kept], y[kept], 2, np.zeros(1, dtype=int))
    alone = fit_tasks(x[kept & (tasks == 0)], tasks[kept & (tasks == 0)], y[kept & (tasks == 0)], 2, np.zeros(1, int))
    truth = np.sin(7 * new[:, 0])

    def error(process):
        return np.sqrt(np.mean((process.predict(task_points(new, 0, 2))[0] - truth) ** 2))

    assert error(both) < 0.1 < error(alone)


def test_believing_a_prediction_keeps_means_and_narrows_stds():
    x, tasks, y = some_data()
    process = condition(task_points(x, tasks, 3), y, PARTS, GROUPS)
    new = task_points(np.random.default_rng(4).random((5, 3)), 1, 3)
    believed = process.believe(new)
    assert len(believed.y) == len(y) + 5
    assert believed.predict(new)[0] == pytest.approx(process.predict(new)[0], abs=0.02)  # weights of the mean move
    assert (believed.predict(new)[1] < process.predict(new)[1]).all()


def test_samples_of_the_hyperparameters_lie_around_the_most_probable_ones():
    x, tasks, y = tasks_alike(1.0)
    points, groups = task_points(x, tasks, 2), np.zeros(1, dtype=int)
    first, again = (fit_samples(points, y, groups, np.random.default_rng(5), 8, task_priors(2)) for _ in range(2))
    best = fit(points, y, groups, task_priors(2)).hyperparameters
    density = ProductPosterior(*points, y, groups, task_priors(2))
    heights = [density.value(pack(process.hyperparameters)) for process in first]
    assert max(heights) < density.value(pack(best)) + 8  # a mode of values is not that of logarithms
    assert min(heights) > density.value(pack(best)) - 30
    assert len({process.hyperparameters.noise for process in first}) == 8
    assert [p.hyperparameters.noise for p in first] == [p.hyperparameters.noise for p in again]


@pytest.mark.slow
def test_samples_without_evidence_are_those_of_the_prior():
    blind = Points(np.zeros((1, 1)), np.zeros((1, 1)))  # a basis function of 0: nothing is seen of the function
    samples = fit_samples(blind, np.zeros(1), np.zeros(1, dtype=int), np.random.default_rng(6), 600, burn_in=20)
    scales = np.log([process.hyperparameters.triangle.item() ** 2 for process in samples])
    assert scales.mean() == pytest.approx(0.0, abs=0.25)  # of LogNormal(0, 1); -1 if the Jacobian were left out
    assert scales.std() == pytest.approx(1.0, abs=0.2)


def test_what_is_no_task_and_what_does_not_fit_is_refused():
    x, tasks, y = some_data()
    with pytest.raises(InvalidOption, match=r"0\.\.1, got \[0, 1, 2\]"):
        task_points(x, tasks, 2)
    with pytest.raises(InvalidOption, match="integers"):
        task_points(x, tasks / 2, 3)
    with pytest.raises(InvalidOption, match="n > 0"):
        fit_tasks(x, tasks, y[:-1], 3, GROUPS)
    with pytest.raises(InvalidOption, match="finite"):
        fit_tasks(x, tasks, np.where(tasks == 0, np.nan, y), 3, GROUPS)
