"""LC-Net: basis functions and gradients against finite differences, and curves that it must learn from each other."""

import numpy as np
import pytest

from hpo_core.errors import InvalidOption
from hpo_models.curves.basis import FUNCTIONS, N_FUNCTIONS, N_PARAMETERS, OWNER, basis
from hpo_models.curves.lc_net import (
    N_OUTPUTS,
    CurvePosterior,
    CurveRegression,
    Sampling,
    curves,
    fit_lc_net,
    output_gradients,
)
from hpo_models.networks.adam import WarmStart
from hpo_models.networks.bnn import Diverged, WeightPrior
from hpo_models.networks.tanh_network import TanhNetwork

QUICK = Sampling(n_chains=2, n_draws=20, n_between=10, n_burn_in=300, warm_start=WarmStart(800))


def by_hand(t, a, b, c):
    """psi(t) - psi(1) of the five functions, with the same parameters for all; written down as in the papers."""
    return np.array(
        [
            np.exp(-a - b / 10 / t - c / 10 * np.log(t)) - np.exp(-a - b / 10),
            a * (t**b - 1),
            2 * a / (1 + np.exp(-b * c / 10)) - 2 * a / (1 + (t / np.exp(b / 10)) ** c),
            a * (np.exp(-10 * b) - np.exp(-10 * b * t)),
            a * t**b / (c**b + t**b) - a / (c**b + 1),
        ]
    )


@pytest.mark.parametrize(("t", "a", "b", "c"), [(0.01, 0.5, 0.2, 0.9), (0.3, 0.9, 0.7, 0.1), (0.99, 0.1, 0.99, 0.5)])
def test_functions_are_those_of_the_papers_and_end_in_zero(t, a, b, c):
    theta = np.array([a, b, c, a, b, a, b, c, a, b, a, b, c])
    values, _ = basis(np.array(t), theta)
    np.testing.assert_allclose(values, by_hand(t, a, b, c), rtol=1e-12)
    np.testing.assert_allclose(basis(np.array(1.0), theta)[0], 0.0, atol=1e-15)
    assert (values[1:] < 0).all()  # what is lacking; vapor pressure may come from above


def test_slopes_of_the_functions_equal_finite_differences():
    rng = np.random.default_rng(0)
    t, theta = rng.uniform(0.01, 1, 50), rng.uniform(0.02, 0.98, (50, N_PARAMETERS))
    _, derivatives = basis(t, theta)
    for i in range(N_PARAMETERS):
        step = np.eye(N_PARAMETERS)[i] * 1e-6
        numeric = (basis(t, theta + step)[0] - basis(t, theta - step)[0]) / 2e-6
        np.testing.assert_allclose(derivatives[:, i], numeric[:, OWNER[i]], rtol=1e-5, atol=1e-8)
        others = np.arange(N_FUNCTIONS) != OWNER[i]
        np.testing.assert_array_equal(numeric[:, others], 0.0)
    assert len(FUNCTIONS) == N_FUNCTIONS == 5


def test_a_parameter_at_the_end_of_its_range_is_no_problem():
    for edge in (0.0, 1.0):
        values, derivatives = basis(np.float32(0.01), np.full(N_PARAMETERS, edge, dtype=np.float32))
        assert np.isfinite(values).all() and np.isfinite(derivatives).all()


def density(outputs, t, y, mean):
    """-log N(y; g, sigma^2) less a constant, written down once more."""
    theta = 1 / (1 + np.exp(-outputs[6:19]))
    g = outputs[0] + 0.3 * outputs[1:6] @ basis(np.array(t), theta)[0]
    log_noise = mean + outputs[19]
    return 0.5 * ((g - y) ** 2 / np.exp(log_noise) + log_noise)


def test_slopes_of_the_likelihood_equal_finite_differences():
    rng = np.random.default_rng(1)
    outputs, t, y = rng.standard_normal((6, N_OUTPUTS)), rng.uniform(0.02, 1, 6), rng.standard_normal(6)
    analytic = output_gradients(outputs, t, y, -1.0)
    for n in range(6):
        for i in range(N_OUTPUTS):
            step = np.eye(N_OUTPUTS)[i] * 1e-6
            numeric = density(outputs[n] + step, t[n], y[n], -1.0) - density(outputs[n] - step, t[n], y[n], -1.0)
            assert analytic[n, i] == pytest.approx(numeric / 2e-6, rel=1e-5, abs=1e-7)


class EveryRow:
    """Replaces a generator: draws each observation once."""

    def integers(self, n, size):
        return np.broadcast_to(np.arange(n), size)


def test_gradient_of_the_potential_equals_finite_differences():
    rng = np.random.default_rng(2)
    x, t, y = rng.standard_normal((8, 3)), rng.uniform(0.02, 1, 8), rng.standard_normal(8)
    prior = WeightPrior(1.5, 0.7, -1.0)
    model = CurveRegression(TanhNetwork((3, 4, N_OUTPUTS)), x, t, y, prior, batch_size=8)
    theta = 0.4 * rng.standard_normal((2, model.network.n_parameters))

    def potential(row):
        outputs = model.network.forward(row[None], x)[-1][0]
        value = sum(density(outputs[n], t[n], y[n], -1.0) for n in range(8))
        for weights, biases in model.network.layers(row[None]):
            value += 0.5 * np.sum(weights**2) * weights.shape[1] / prior.gain**2
            value += 0.5 * np.sum(biases**2) / prior.bias**2
        return value

    analytic = model.gradient(theta, EveryRow())
    for i in range(theta.shape[1]):
        step = np.eye(theta.shape[1])[i] * 1e-6
        for chain in range(2):
            numeric = (potential(theta[chain] + step) - potential(theta[chain] - step)) / 2e-6
            assert analytic[chain, i] == pytest.approx(numeric, rel=1e-4, abs=1e-5)


def made_curves(n, seed, noise=0.01):
    """Configurations (n, 2) and curves (n, 20): a drop from 1 to an asymptote that the first hyperparameter sets."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1, (n, 2))
    t = np.arange(1, 21) / 20
    losses = 0.5 + 0.3 * x[:, :1] + 0.4 * np.exp(-t / (0.3 + 0.1 * x[:, 1:])) + noise * rng.standard_normal((n, 20))
    return x, t, losses


def observed(x, t, losses, n_seen):
    """Rows of configurations, times and losses of the first `n_seen[i]` points of each curve."""
    rows = [(i, k) for i, n in enumerate(n_seen) for k in range(n)]
    i, k = np.array(rows).T
    return x[i], t[k], losses[i, k]


def test_complete_curves_teach_it_how_the_others_go_on():
    x, t, losses = made_curves(40, 0)
    n_seen = np.where(np.arange(40) < 20, 20, 4)
    posterior = fit_lc_net(*observed(x, t, losses, n_seen), 0, units=(20, 20), sampling=QUICK)
    mean, variance = posterior.moments(x[20:], 1.0)
    errors = mean - losses[20:, -1]
    assert np.sqrt(np.mean(errors**2)) < 0.25 * np.sqrt(np.mean((losses[20:, 3] - losses[20:, -1]) ** 2))
    assert np.mean(np.abs(errors) < 3 * np.sqrt(variance)) > 0.8
    along, _ = posterior.moments(np.repeat(x[20:21], 20, axis=0), t)
    assert np.abs(along - losses[20]).max() < 0.12


def test_noise_differs_between_configurations():
    rng = np.random.default_rng(3)
    x = rng.uniform(-1, 1, (400, 1))
    t = rng.uniform(0.05, 1, 400)
    std = np.where(x[:, 0] < 0, 0.05, 0.5)
    posterior = fit_lc_net(x, t, 1 - t + std * rng.standard_normal(400), 0, units=(20,), sampling=QUICK)
    _, noise = posterior.predict(np.array([[-0.7], [0.7]]), 0.5)
    low, high = np.sqrt(noise.mean(axis=0))
    assert low == pytest.approx(0.05, rel=0.6)
    assert high == pytest.approx(0.5, rel=0.3)


def tiny(losses_of=lambda losses: losses, seed=0):
    x, t, losses = made_curves(10, 1)
    sampling = Sampling(2, 6, 5, 50, warm_start=WarmStart(100))
    return fit_lc_net(*observed(x, t, losses_of(losses), [20] * 10), seed, units=(8,), sampling=sampling), x


def test_a_fit_is_a_function_of_its_seed():
    (first, _), (again, _), (other, _) = tiny(), tiny(), tiny(seed=1)
    assert np.array_equal(first.theta, again.theta) and first.theta.dtype == np.float32
    assert not np.array_equal(first.theta, other.theta)
    assert len(first.theta) == 6


def test_units_of_the_losses_do_not_matter():
    (plain, x), (scaled, _) = tiny(), tiny(lambda losses: 3.0 + 8.0 * losses)
    (means, noise), (others, other_noise) = plain.predict(x, 0.5), scaled.predict(x, 0.5)
    np.testing.assert_allclose(others, 3.0 + 8.0 * means, rtol=1e-3)
    np.testing.assert_allclose(other_noise, 64.0 * noise, rtol=1e-2)


def test_the_asymptote_is_the_value_at_the_full_budget():
    posterior, x = tiny()
    means, _ = posterior.predict(x, 1.0)
    for draw in range(6):
        np.testing.assert_allclose(posterior.asymptote(draw, x), means[draw], rtol=1e-5)


def test_moments_by_hand():
    """Two draws that put out constants: 1 with noise variance 1, and 3 with 4, at every x and t."""
    network = TanhNetwork((1, N_OUTPUTS))
    theta = np.zeros((2, network.n_parameters), dtype=np.float32)
    theta[:, N_OUTPUTS] = 1.0, 3.0
    theta[:, -1] = 0.0, np.log(4.0)
    mean, variance = CurvePosterior(network, theta, 10.0, 2.0, 0.0).moments(np.ones((1, 1)), 0.3)
    assert mean == pytest.approx([10 + 2 * 2.0])
    assert variance == pytest.approx([4 * (1.0 + 2.5)])
    assert curves(theta[:, N_OUTPUTS:], np.array([0.1, 1.0])) == pytest.approx([1.0, 3.0])


def test_bad_input_is_refused():
    x, t, y = np.zeros((3, 2)), np.full(3, 0.5), np.zeros(3)
    for arguments, rule in (
        ((x, t[:2], y), "times"),
        ((x[:0], t[:0], y[:0]), "N > 0"),
        ((x, t * 3, y), "shares of the full budget"),
        ((x, t, np.array([0, 1, np.inf])), "finite"),
    ):
        with pytest.raises(InvalidOption, match=rule):
            fit_lc_net(*arguments, 0)


def test_a_step_far_too_long_is_reported():
    x, t, losses = made_curves(5, 0)
    sampling = Sampling(1, 5, 50, 0, step=1e6, warm_start=WarmStart(1))
    with pytest.raises(Diverged, match="step length"), np.errstate(all="ignore"):
        fit_lc_net(*observed(x, t, losses, [20] * 5), 0, units=(5,), sampling=sampling)
