"""Bayesian neural network: gradients, a linear model against its closed-form posterior, recovery of a function."""

import numpy as np
import pytest

from hpo_core.errors import InvalidOption
from hpo_models.networks.adam import WarmStart, adam
from hpo_models.networks.bnn import Diverged, Posterior, Regression, WeightPrior, sample_posterior
from hpo_models.networks.tanh_network import TanhNetwork


def fixed_inputs(x):
    x = np.asarray(x, dtype=np.float32)
    return lambda rows, rng: x[rows]


def potential(model, theta, x):
    """U over all data, written down once more: float64, one chain at a time."""
    network, prior = model.network, model.prior
    values = []
    for row in theta.astype(float):
        f = np.asarray(x, dtype=float)
        for depth, (weights, biases) in enumerate(network.layers(row[None, :-1]), 1):
            f = f @ weights[0] + biases[0]
            f = np.tanh(f) if depth < len(network.sizes) - 1 else f
        misfit = (f[:, 0] - model.targets) ** 2
        value = 0.5 * np.sum(misfit * np.exp(-row[-1]) + row[-1])
        for weights, biases in network.layers(row[None, :-1]):
            value += 0.5 * np.sum(weights**2) / (prior.gain**2 / weights.shape[1])
            value += 0.5 * np.sum(biases**2) / prior.bias**2
        values.append(value + 0.5 * (row[-1] - prior.log_noise_mean) ** 2 / prior.log_noise_sd**2)
    return np.array(values)


class EveryRow:
    """Stands in for a generator: draws each observation once."""

    def integers(self, n, size):
        return np.broadcast_to(np.arange(n), size)


@pytest.mark.parametrize("n_draws", [1, 3])
def test_gradient_of_all_data_equals_finite_differences(n_draws):
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((12, 3)), rng.standard_normal(12)
    model = Regression(
        TanhNetwork((3, 4, 5, 1)),
        lambda rows, rng: x[rows],
        y,
        WeightPrior(1.5, 0.7, -2.0, 1.1),
        batch_size=12,
        n_draws=n_draws,
    )
    theta = 0.5 * rng.standard_normal((2, model.network.n_parameters + 1))
    analytic = model.gradient(theta, EveryRow())
    for i in range(theta.shape[1]):
        step = np.zeros_like(theta)
        step[:, i] = 1e-6
        numeric = (potential(model, theta + step, x) - potential(model, theta - step, x)) / 2e-6
        np.testing.assert_allclose(analytic[:, i], numeric, rtol=1e-5, atol=1e-5)


def test_minibatch_gradients_average_to_that_of_all_data():
    rng = np.random.default_rng(1)
    x, y = rng.standard_normal((40, 2)), rng.standard_normal(40)
    model = Regression(TanhNetwork((2, 3, 1)), lambda rows, rng: x[rows], y, batch_size=8, n_draws=2)
    theta = np.repeat(0.3 * rng.standard_normal((1, model.network.n_parameters + 1)), 4000, axis=0)
    found = model.gradient(theta, rng).mean(axis=0)
    whole = Regression(TanhNetwork((2, 3, 1)), lambda rows, rng: x[rows], y, batch_size=40)
    expected = whole.gradient(theta[:1], EveryRow())[0]
    np.testing.assert_allclose(found, expected, atol=0.06 * np.abs(expected).max())


def test_input_gradient_equals_finite_differences():
    network = TanhNetwork((3, 6, 6, 1))
    rng = np.random.default_rng(0)
    theta, x = 0.7 * rng.standard_normal((2, network.n_parameters)), rng.standard_normal((4, 3))
    analytic = network.input_gradient(theta, x)
    for i in range(3):
        step = np.zeros(3)
        step[i] = 1e-6
        numeric = (network.output(theta, x + step) - network.output(theta, x - step)) / 2e-6
        np.testing.assert_allclose(analytic[..., i], numeric, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("shape", [(400, 3), (30, 400, 3), (1, 400, 3)])
def test_outputs_are_the_same_for_all_chains_at_once_and_one_at_a_time(shape):
    network, rng = TanhNetwork((3, 50, 50, 1)), np.random.default_rng(0)
    theta, x = rng.standard_normal((30, network.n_parameters)), rng.standard_normal(shape)
    each = [network.output(theta[[k]], np.broadcast_to(x, (30, 400, 3))[k]) for k in range(30)]
    np.testing.assert_array_equal(network.output(theta, x), np.concatenate(each))


def test_linear_model_has_its_closed_form_posterior():
    """A network without hidden layer and all but known noise: theta is Gaussian, with a known mean and covariance."""
    rng = np.random.default_rng(4)
    x = rng.standard_normal((60, 2))
    y = x @ [0.8, -0.5] + 0.3 + 0.5 * rng.standard_normal(60)
    log_noise = float(np.log(0.25))
    prior = WeightPrior(gain=2.0, bias=1.0, log_noise_mean=log_noise, log_noise_sd=0.05)
    model = Regression(TanhNetwork((2, 1)), fixed_inputs(x), y.astype(np.float32), prior, batch_size=20)
    design = np.hstack([x, np.ones((60, 1))])
    precision = design.T @ design / 0.25 + np.diag([2 / 4.0, 2 / 4.0, 1.0])
    covariance = np.linalg.inv(precision)
    mean = covariance @ design.T @ y / 0.25
    found = sample_posterior(
        model, 0, n_chains=50, n_draws=5000, n_between=40, n_burn_in=500, step=0.02, warm_start=WarmStart(500)
    )
    theta = found.draws[:, :3]
    np.testing.assert_allclose(theta.mean(axis=0), mean, atol=0.15 * np.sqrt(np.diag(covariance)).min())
    np.testing.assert_allclose(theta.std(axis=0), np.sqrt(np.diag(covariance)), rtol=0.1)
    np.testing.assert_allclose(np.cov(theta.T), covariance, atol=0.15 * np.diag(covariance).max())


def noisy_sine(n=400, noise=0.1):
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, (n, 1))
    return x, (np.sin(4 * x[:, 0]) + noise * rng.standard_normal(n)).astype(np.float32)


def fit_sine(seed, **options):
    x, y = noisy_sine()
    model = Regression(TanhNetwork((1, 20, 20, 1)), fixed_inputs(x), y, batch_size=64)
    return sample_posterior(model, seed, n_chains=2, n_draws=40, n_between=20, **options)


def test_function_and_noise_are_recovered():
    found = fit_sine(0, n_burn_in=1500, warm_start=WarmStart(1500))
    x = np.linspace(-0.9, 0.9, 50)[:, None].astype(np.float32)
    mean, variance = found.moments(x)
    means, noise = found.predict(x)
    assert np.abs(mean - np.sin(4 * x[:, 0])).max() < 0.12
    assert np.sqrt(np.mean((means - np.sin(4 * x[:, 0])) ** 2, axis=1)).max() < 0.15  # single draws
    assert np.sqrt(noise).mean() == pytest.approx(0.1, rel=0.3)
    assert (variance > means.var(axis=0)).all()


def test_draws_are_functions_of_the_seed_and_lie_in_the_order_of_the_chains():
    options = {"n_burn_in": 50, "warm_start": WarmStart(50)}
    first, again, other = (fit_sine(s, **options) for s in (3, 3, 4))
    assert first.theta.dtype == np.float32
    assert first.theta.shape == (2, 20, first.network.n_parameters + 1)
    assert np.array_equal(first.theta, again.theta)
    assert not np.array_equal(first.theta, other.theta)
    assert np.array_equal(first.draws[:4], [first.theta[0, 0], first.theta[1, 0], first.theta[0, 1], first.theta[1, 1]])


def test_chains_start_at_random_or_warm():
    """With steps too short to move, the draws show where the chains began."""
    x, y = noisy_sine()
    cold, warm = (fit_sine(0, n_burn_in=0, step=1e-6, warm_start=start) for start in (None, WarmStart(1000)))
    errors = [np.mean((p.moments(x.astype(np.float32))[0] - y) ** 2) for p in (cold, warm)]
    assert errors[0] > 0.5 * y.var()
    assert errors[1] < 0.05 * y.var()


def test_random_inputs_are_drawn_again():
    """Half of the input is pure noise of the caller's own making; its weights shrink."""
    x, y = noisy_sine()
    x = x.astype(np.float32)

    def inputs(rows, rng):
        return np.concatenate([x[rows], rng.standard_normal((*rows.shape, 1), dtype=np.float32)], axis=2)

    model = Regression(TanhNetwork((2, 20, 20, 1)), inputs, y, batch_size=64, n_draws=2)
    theta = adam(model.gradient, model.start(2, np.random.default_rng(0)), np.random.default_rng(1), WarmStart(2000))
    weights = model.network.layers(theta[:, :-1])[0][0]
    assert np.abs(weights[:, 1]).mean() < 0.5 * np.abs(weights[:, 0]).mean()


def test_progress_counts_every_step():
    x, y = noisy_sine()
    model = Regression(TanhNetwork((1, 5, 1)), fixed_inputs(x), y)
    told = []
    options = {"n_chains": 2, "n_draws": 6, "n_between": 3, "n_burn_in": 10, "warm_start": WarmStart(7)}
    sample_posterior(model, 0, progress=told.append, **options)
    assert sum(told) == 7 + 10 + 3 * 3


def test_a_step_far_too_long_is_reported():
    x, y = noisy_sine()
    model = Regression(TanhNetwork((1, 5, 1)), fixed_inputs(x), y)
    with pytest.raises(Diverged, match="step length"), np.errstate(all="ignore"):
        sample_posterior(model, 0, n_chains=1, n_draws=20, n_between=50, n_burn_in=0, step=1e6, warm_start=None)


def test_a_chain_whose_noise_the_data_exclude_is_reported():
    x, y = noisy_sine()
    model = Regression(TanhNetwork((1, 5, 1)), fixed_inputs(x), y, WeightPrior(log_noise_mean=300.0, log_noise_sd=0.1))
    with pytest.raises(Diverged, match="step length"):
        sample_posterior(model, 0, n_chains=1, n_draws=2, n_between=1, n_burn_in=1, warm_start=None)


def test_noise_counts_as_no_less_than_the_least():
    x, y = noisy_sine()
    model = Regression(TanhNetwork((1, 5, 1)), fixed_inputs(x), y, batch_size=len(x), least_log_noise=-9.0)
    theta = model.start(2, np.random.default_rng(0))
    theta[:, -1] = -9.0, -12.0
    theta[1, :-1] = theta[0, :-1]
    first, second = model.gradient(theta, EveryRow())
    np.testing.assert_allclose(first[:-1], second[:-1])
    theta[1, -1] = -8.0
    first, second = model.gradient(theta, EveryRow())
    assert not np.allclose(first[:-1], second[:-1])


@pytest.mark.parametrize("option", ["n_chains", "n_draws", "n_between"])
def test_bad_options_are_refused(option):
    x, y = noisy_sine()
    with pytest.raises(InvalidOption, match=option):
        sample_posterior(Regression(TanhNetwork((1, 1)), fixed_inputs(x), y), 0, **{option: 0})


def test_bad_networks_are_refused():
    for sizes in ((3,), (3, 0, 1)):
        with pytest.raises(InvalidOption, match="at least one unit"):
            TanhNetwork(sizes)


def test_moments_by_hand():
    """Two linear draws, 1 + x and 3 - x, with noise variances 1 and 4."""
    theta = np.array([[[1.0, 1.0, 0.0]], [[-1.0, 3.0, np.log(4.0)]]], dtype=np.float32)
    mean, variance = Posterior(TanhNetwork((1, 1)), theta).moments(np.array([[2.0]], dtype=np.float32))
    assert mean == pytest.approx([2.0])
    assert variance == pytest.approx([1.0 + 2.5])
