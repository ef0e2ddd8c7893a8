"""Loss and cost across budgets: basis functions, closed forms, extrapolation."""

import numpy as np
import pytest

from hpo_models.gp.fabolas import NOISY, cost_points, fit_costs, loss_points, relative_sizes
from hpo_models.gp.product import condition, fit
from hpo_models.gp.product_posterior import Parts, ProductPosterior, ProductPriors, pack

GROUPS = np.arange(2)
PARTS = Parts(np.array([0.7, 1.2]), np.array([[0.8, 0.0], [-0.4, 0.6]]), 0.01)
SIZES = relative_sizes([2.0**k for k in range(-7, 1)])


def test_sizes_are_places_on_a_logarithmic_scale():
    assert pytest.approx(np.arange(8) / 7) == SIZES
    assert relative_sizes([1, 10, 100]) == pytest.approx([0.0, 0.5, 1.0])
    assert relative_sizes([27]).tolist() == [1.0]


def test_basis_functions_by_hand():
    sizes = np.array([0.0, 0.25, 1.0])
    assert loss_points(np.zeros((3, 2)), sizes).basis.tolist() == [[1, 1], [1, 0.5625], [1, 0]]
    assert cost_points(np.zeros((3, 2)), sizes).basis.tolist() == [[1, 0], [1, 0.25], [1, 1]]


def test_kernel_by_hand():
    x, s = np.array([[0.1, 0.5], [0.6, 0.2]]), np.array([0.2, 0.9])
    points = loss_points(x, s)
    process = condition(points, np.zeros(2), PARTS._replace(noise=1e6), GROUPS)  # so noisy that the prior stays
    root = np.sqrt(5 * ((0.5 / 0.7) ** 2 + (0.3 / 1.2) ** 2))
    matern = (1 + root + root**2 / 3) * np.exp(-root)
    covariance = PARTS.triangle @ PARTS.triangle.T
    first, second = np.array([1, 0.64]), np.array([1, 0.01])
    expected = [first @ covariance @ first, matern * first @ covariance @ second, second @ covariance @ second]
    found = process.covariance(points, points)
    assert [found[0, 0], found[0, 1], found[1, 1]] == pytest.approx(expected, rel=1e-4)


def test_for_one_configuration_it_is_bayesian_linear_regression():
    rng = np.random.default_rng(0)
    sizes, y = rng.random(9), rng.standard_normal(9)
    x = np.full((9, 2), 0.3)
    process = condition(loss_points(x, sizes), y, PARTS, GROUPS, mean_variance=1e-12)
    design, prior = loss_points(x, sizes).basis, np.linalg.inv(PARTS.triangle @ PARTS.triangle.T)
    covariance = np.linalg.inv(prior + design.T @ design / PARTS.noise)
    weights = covariance @ design.T @ y / PARTS.noise
    new = loss_points(x[:8], SIZES).basis
    mean, stds = process.predict(loss_points(x[:8], SIZES))
    assert mean == pytest.approx(new @ weights, abs=1e-6)
    assert stds == pytest.approx(np.sqrt(np.einsum("np,pq,nq->n", new, covariance, new)), abs=1e-6)


def test_gradient_of_a_rank_that_is_lower_than_the_number_of_sizes():
    rng = np.random.default_rng(1)
    x, sizes = rng.random((20, 2)), rng.choice(SIZES, 20)
    y = x[:, 0] + (1 - sizes) ** 2 * x[:, 1] + 0.1 * rng.standard_normal(20)
    density = ProductPosterior(*loss_points(x, sizes), y, GROUPS, ProductPriors())
    theta = pack(PARTS)
    _, gradient = density.value_and_gradient(theta)
    numeric = [(density.value(theta + step) - density.value(theta - step)) / 2e-5 for step in 1e-5 * np.eye(len(theta))]
    assert gradient == pytest.approx(numeric, abs=1e-5)


def small_sizes(seed=2, n=50):
    """Losses (1 - s)^2 (1 + x1) + sin(4 x0) at sizes up to 1/8 of the full one."""
    rng = np.random.default_rng(seed)
    x, sizes = rng.random((n, 2)), rng.choice(SIZES[:5], n)
    return x, sizes, np.sin(4 * x[:, 0]) + (1 - sizes) ** 2 * (1 + x[:, 1]) + 0.01 * rng.standard_normal(n)


def test_the_full_size_is_foretold_from_small_ones():
    x, sizes, y = small_sizes()
    process = fit(loss_points(x, sizes), y - y.mean(), GROUPS)
    new = np.random.default_rng(3).random((40, 2))
    mean, _ = process.predict(loss_points(new, np.ones(40)))
    assert np.sqrt(np.mean((mean + y.mean() - np.sin(4 * new[:, 0])) ** 2)) < 0.1
    # (1 - s)^2 is flat at s = 1, and so is every prediction
    near, _ = process.predict(loss_points(new, np.full(40, 1 - 1e-4)))
    assert np.abs(near - mean).max() < 1e-6


def test_a_power_law_of_the_cost_is_foretold():
    rng = np.random.default_rng(4)
    x, indices = rng.random((40, 2)), rng.integers(5, size=40)
    budgets = 2.0 ** np.arange(-7, 1)
    costs = 3.0 * budgets[indices] ** 1.7 * np.exp(x[:, 0])
    model = fit_costs(cost_points(x, SIZES[indices]), costs, GROUPS)
    new = rng.random((30, 2))
    found = model.predict(cost_points(new, np.ones(30)))
    assert found == pytest.approx(3.0 * np.exp(new[:, 0]), rel=0.15)
    again = fit_costs(cost_points(x, SIZES[indices]), costs, GROUPS, model)
    assert again.predict(cost_points(new, np.ones(30))) == pytest.approx(found, rel=0.1)


def test_costs_of_zero_and_equal_costs_are_no_problem():
    x = np.random.default_rng(5).random((6, 2))
    points = cost_points(x, np.linspace(0, 1, 6))
    assert fit_costs(points, np.zeros(6), GROUPS).predict(points) == pytest.approx(np.ones(6))
    assert fit_costs(points, np.full(6, 7.0), GROUPS).predict(points) == pytest.approx(np.full(6, 7.0))
    some = fit_costs(points, np.array([0.0, 2, 2, 4, 4, 8]), GROUPS).predict(points)
    assert np.isfinite(some).all() and (some > 0).all()


def test_noise_of_few_observations_does_not_vanish():
    # under a prior with a pole at 0 the most probable noise of 15 observations is 0, though their variance around the
    # function is 0.04; two hundred decide by themselves
    def noise(n, seed, *priors):
        rng = np.random.default_rng(seed)
        x, s = rng.random((n, 2)), SIZES[rng.integers(5, size=n)]
        y = np.sin(3 * x[:, 0]) + (1 - s) ** 2 + 0.2 * rng.standard_normal(n)
        return fit(loss_points(x, s), (y - y.mean()) / y.std(), GROUPS, *priors).hyperparameters.noise * y.var()

    assert np.median([noise(15, seed) for seed in range(5)]) < 1e-6
    assert min(noise(15, seed, NOISY) for seed in range(5)) > 1e-4
    assert noise(200, 0, NOISY) == pytest.approx(0.04, rel=0.3)
