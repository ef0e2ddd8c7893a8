"""Bayesian GP-LVM: statistics against integrals, the bound against another implementation, gradients, recovery."""

import math

import numpy as np
import pytest
from scipy.integrate import quad

from hpo_core.errors import InvalidOption
from hpo_models.gp.kernels import matern52, rbf
from hpo_models.gplvm.bayesian import (
    InvalidTasks,
    Parameters,
    Shapes,
    bound,
    check_tasks,
    divergence,
    fit_gplvm,
)
from hpo_models.gplvm.statistics import ClosedForm, Latent, Psi, QuasiMonteCarlo, covariance


def some_parameters(n_tasks=6, n_inducing=4, n_dimensions=2, seed=0):
    rng = np.random.default_rng(seed)
    latent = Latent(
        means=rng.standard_normal((n_tasks, n_dimensions)),
        variances=rng.uniform(0.05, 1.5, (n_tasks, n_dimensions)),
        inducing=rng.standard_normal((n_inducing, n_dimensions)),
        variance=1.7,
        scales=rng.uniform(0.6, 2.0, n_dimensions),
    )
    return Parameters(latent, 12.0)


def statistics_named(name, n_dimensions, n_points=64):
    return ClosedForm() if name == "rbf" else QuasiMonteCarlo(n_dimensions, n_points, np.random.default_rng(1))


def test_closed_form_equals_integrals_in_one_dimension():
    latent = some_parameters(n_tasks=2, n_inducing=3, n_dimensions=1).latent
    psi1, psi2 = ClosedForm()(latent)

    def k(h, z):
        return latent.variance * rbf(np.array([((h - z) / latent.scales[0]) ** 2]))[0].item()

    for m in range(3):
        for n in range(3):
            expected = sum(
                _expectation(lambda h, m=m, n=n: k(h, latent.inducing[m, 0]) * k(h, latent.inducing[n, 0]), latent, t)
                for t in range(2)
            )
            assert psi2[m, n] == pytest.approx(expected, rel=1e-8)
        expected = _expectation(lambda h, m=m: k(h, latent.inducing[m, 0]), latent, 1)
        assert psi1[1, m] == pytest.approx(expected, rel=1e-8)


def _expectation(function, latent, task):
    mean, std = latent.means[task, 0], math.sqrt(latent.variances[task, 0])

    def weighted(e):
        return function(mean + std * e) * math.exp(-0.5 * e * e) / math.sqrt(2 * math.pi)

    return quad(weighted, -12, 12, points=[0.0], limit=200, epsabs=1e-13)[0]


@pytest.mark.parametrize("n_dimensions", [1, 2, 3])
def test_matern_statistics_equal_brute_force(n_dimensions):
    """Gauss-Hermite quadrature on a full tensor grid; variances up to 1.5, where one shared rule fails by 200 %."""
    latent = some_parameters(n_tasks=3, n_inducing=4, n_dimensions=n_dimensions).latent
    nodes, weights = np.polynomial.hermite_e.hermegauss(61)
    grid = np.stack(np.meshgrid(*[nodes] * n_dimensions, indexing="ij"), axis=-1).reshape(-1, n_dimensions)
    products = np.meshgrid(*[weights / math.sqrt(2 * math.pi)] * n_dimensions, indexing="ij")
    weight = np.prod(np.stack(products), axis=0).ravel()
    psi1, psi2 = np.zeros((3, 4)), np.zeros((4, 4))
    for t in range(3):
        h = latent.means[t] + np.sqrt(latent.variances[t]) * grid
        k = covariance(matern52, h, latent.inducing, latent.variance, latent.scales)
        psi1[t] = weight @ k
        psi2 += (weight[:, None] * k).T @ k
    found = statistics_named("matern52", n_dimensions, 2**14)(latent)
    np.testing.assert_allclose(found.psi1, psi1, rtol=2e-3)
    np.testing.assert_allclose(found.psi2, psi2, rtol=4e-3)
    few = statistics_named("matern52", n_dimensions, 64)(latent)
    np.testing.assert_allclose(few.psi2, psi2, rtol=0.15)


@pytest.mark.parametrize("kernel", ["rbf", "matern52"])
def test_gradient_equals_finite_differences(kernel):
    parameters = some_parameters(n_dimensions=3)
    shapes = Shapes(parameters.latent.means.shape, parameters.latent.inducing.shape)
    statistics = statistics_named(kernel, 3, 32)
    y = np.random.default_rng(5).standard_normal((6, 9))
    gram, flat = y @ y.T, shapes.pack(parameters)
    _, gradient = bound(parameters, gram, 9, statistics)
    analytic = shapes.chain(parameters, gradient)
    step = 1e-5
    for i in range(len(flat)):
        up, down = flat.copy(), flat.copy()
        up[i] += step
        down[i] -= step
        above, below = (bound(shapes.unpack(moved), gram, 9, statistics)[0] for moved in (up, down))
        assert analytic[i] == pytest.approx((above - below) / (2 * step), rel=1e-5, abs=1e-5)


def test_vector_of_parameters_round_trips():
    parameters = some_parameters()
    shapes = Shapes((6, 2), (4, 2))
    again = shapes.unpack(shapes.pack(parameters))
    for a, b in zip(parameters.latent, again.latent, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-14)
    assert again.precision == pytest.approx(parameters.precision)
    assert len(shapes.bounds()) == len(shapes.pack(parameters))


def test_bound_equals_that_of_gpy():
    GPy = pytest.importorskip("GPy", reason="GPy is the other implementation; pip install gpy")
    rng = np.random.default_rng(3)
    y = rng.standard_normal((16, 40))
    latent, beta = some_parameters(16, 10, 5, seed=3)
    kernel = GPy.kern.RBF(5, variance=latent.variance, lengthscale=latent.scales, ARD=True)
    other = GPy.models.BayesianGPLVM(
        y, 5, X=latent.means, X_variance=latent.variances, Z=latent.inducing, num_inducing=10, kernel=kernel
    )
    other.likelihood.variance = 1.0 / beta
    value, _ = bound(Parameters(latent, beta), y @ y.T, 40, ClosedForm())
    assert value == pytest.approx(np.asarray(other.log_likelihood()).item(), rel=1e-6)


def test_bound_lies_below_the_evidence_of_known_places():
    """With q(h) all but a point and Z = m the bound is the exact log density minus the divergence."""
    rng = np.random.default_rng(0)
    y, means = rng.standard_normal((5, 7)), rng.standard_normal((5, 2))
    latent = Latent(means, np.full((5, 2), 1e-9), means.copy(), 1.3, np.array([0.8, 1.2]))
    value, _ = bound(Parameters(latent, 4.0), y @ y.T, 7, ClosedForm())
    c = covariance(rbf, means, means, 1.3, latent.scales) + np.eye(5) / 4.0
    exact = -0.5 * np.sum(y * np.linalg.solve(c, y)) - 3.5 * np.linalg.slogdet(2 * math.pi * c)[1]
    assert value + divergence(latent) == pytest.approx(exact, rel=1e-5)
    assert value + divergence(latent) <= exact


@pytest.mark.parametrize("kernel", ["rbf", "matern52"])
def test_tasks_from_a_line_are_put_in_order(kernel):
    """Tasks that one number generates come out ordered along the one latent dimension that matters."""
    t = np.linspace(-1, 1, 12)
    x = np.random.default_rng(2).random(60)
    y = np.sin(3.0 * x + 1.2 * t[:, None]) + 0.01 * np.random.default_rng(3).standard_normal((12, 60))
    model = fit_gplvm(y, 2, kernel=kernel, seed=0, n_restarts=1)
    strongest = int(np.argmin(model.scales / model.means.std(axis=0)))
    order = np.argsort(model.means[:, strongest])
    assert order.tolist() in (list(range(12)), list(range(11, -1, -1)))
    assert model.noise_variance < 0.01 * y.var()
    assert np.isfinite(model.bound)


def test_fit_is_a_function_of_its_seed():
    y = np.random.default_rng(0).standard_normal((6, 30)).cumsum(axis=1)
    first, again, other = (fit_gplvm(y, 2, seed=s, n_restarts=2, n_iterations=60) for s in (4, 4, 5))
    assert np.array_equal(first.means, again.means)
    assert not np.array_equal(first.means, other.means)


@pytest.mark.parametrize("seed", [0, 1])
def test_the_best_of_several_starts_wins(seed):
    """Too few iterations to converge: of four starts one comes further than the first."""
    y = np.random.default_rng(seed).standard_normal((7, 25)).cumsum(axis=1)
    one, four = (fit_gplvm(y, 2, kernel="rbf", seed=0, n_restarts=n, n_iterations=40).bound for n in (1, 4))
    assert four > one + 0.05


def test_units_do_not_matter():
    y = np.random.default_rng(1).standard_normal((7, 25)).cumsum(axis=1)
    one, thousandth = (fit_gplvm(v, 2, kernel="rbf", seed=0, n_restarts=1).bound for v in (y, y / 1000.0))
    assert thousandth == pytest.approx(one + y.size * math.log(1000.0), rel=1e-6)


@pytest.mark.parametrize(
    ("y", "n_dimensions", "message"),
    [
        (np.zeros(5), 1, "array"),
        (np.zeros((1, 5)), 1, "at least two tasks"),
        (np.full((3, 5), np.nan), 1, "finite"),
        (np.ones((3, 5)), 1, "equal"),
        (np.eye(3), 4, "fewer"),
        (np.eye(3), 0, "1..3"),
    ],
)
def test_bad_tasks_are_refused(y, n_dimensions, message):
    with pytest.raises(InvalidTasks, match=message):
        check_tasks(y, n_dimensions)


def test_bad_options_are_refused():
    with pytest.raises(InvalidOption, match="matern52"):
        fit_gplvm(np.eye(3), 1, kernel="matern", seed=0)
    with pytest.raises(InvalidOption, match="n_restarts"):
        fit_gplvm(np.eye(3), 1, seed=0, n_restarts=0)


def test_quasi_random_points_give_smooth_statistics():
    """A small move of a mean moves the statistics by as little: the points stay where they are."""
    latent = some_parameters().latent
    statistics = statistics_named("matern52", 2)
    moved = latent._replace(means=latent.means + 1e-6)
    change: Psi = statistics(moved)
    assert np.abs(change.psi1 - statistics(latent).psi1).max() < 1e-5
