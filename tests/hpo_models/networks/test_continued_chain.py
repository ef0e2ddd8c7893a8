"""Chains that go on: where they settle with noise of random signs, how they follow growing data and start again."""

import numpy as np
import pytest
from scipy.linalg import solve_discrete_lyapunov

from hpo_models.networks.bnn import Diverged, Regression, WeightPrior
from hpo_models.networks.chains import State
from hpo_models.networks.continued_chain import FIRST_ADAPT, FIRST_WARM, ContinuedChains, Lengths
from hpo_models.networks.sghmc import FIRST_WINDOW, Dynamics, Scales, adapt, adapted_dynamics
from hpo_models.networks.tanh_network import TanhNetwork
from hpo_models.networks.weak_steps import WeakSteps

PRECISION = np.array([[2.0, 0.6], [0.6, 0.5]])


def at_zero(*shape):
    """Chains at rest at zero."""
    zeros = np.zeros(shape, dtype=np.float32)
    return WeakSteps(State(zeros, zeros, Scales(zeros + 1, zeros, zeros + 10)), np.random.default_rng(0))


def gaussian_target(step):
    """Dynamics on a Gaussian target, its transition (4, 4) of parameters and velocities, and its kicks (4, 2)."""
    dynamics = adapted_dynamics(np.array([4.0, 1.0]), step)
    velocity_rows = np.hstack([-np.diag(dynamics.drift) @ PRECISION, np.diag(np.broadcast_to(dynamics.keep, 2))])
    return dynamics, np.vstack([np.eye(2, 4) + velocity_rows, velocity_rows]), np.tile(np.diag(dynamics.noise), (2, 1))


def fourth_moments(transition, kicks, n_steps):
    """(2,) fourth moments of parameters, sums of a times signs, per squared variance: 3 - 2 sum a^4 / (sum a^2)^2."""
    weights = [kicks]
    for _ in range(n_steps - 1):
        weights.append(transition @ weights[-1])
    squares = np.array(weights)[:, :2] ** 2
    return 3.0 - 2.0 * np.sum(squares**2, axis=(0, 2)) / np.sum(squares, axis=(0, 2)) ** 2


def test_gaussian_target_settles_in_its_lyapunov_covariance():
    """20,000 chains: the fourth moment of a normal variable is known to 3 +- 0.035 (one standard error)."""
    dynamics, transition, kicks = gaussian_target(0.3)
    expected = solve_discrete_lyapunov(transition, kicks @ kicks.T)
    chains = at_zero(20_000, 2)
    chains.follow(dynamics)
    for _ in range(400):
        chains.advance(chains.theta @ PRECISION.astype(np.float32))
    theta, velocity = chains.theta, chains.velocity
    np.testing.assert_allclose(np.cov(np.hstack([theta, velocity]).T), expected, rtol=0.05, atol=0.03)
    fourth = np.mean(theta**4, axis=0) / np.var(theta, axis=0) ** 2
    assert fourth == pytest.approx(fourth_moments(transition, kicks, 400), abs=0.12)


def test_noise_of_random_sign_makes_gaussian_parameters_when_steps_are_short():
    """The distance of the fourth moment from 3 falls with the step; that of `bohamiann` is 0.02."""
    distances = [3.0 - fourth_moments(*gaussian_target(step)[1:], 4000).min() for step in (0.3, 0.1, 0.03)]
    assert distances[0] < 0.2 and distances[1] < 0.05 and distances[2] < 0.02


def test_burn_in_has_the_bits_of_the_pure_functions():
    rng, floor = np.random.default_rng(0), np.full(50, 0.3, dtype=np.float32)
    chains, plain = at_zero(3, 50), at_zero(3, 50)
    for _ in range(30):
        gradient = (np.arange(50) * rng.standard_normal((3, 50))).astype(np.float32)
        plain.scales = adapt(plain.scales, gradient, floor)
        plain.follow(adapted_dynamics(plain.scales.square, 0.1, raised=False))
        chains.adapt(gradient, floor, 0.1)
        for steps in (chains, plain):
            steps.advance(gradient.copy())
        for found, expected in zip((*chains.scales, chains.theta), (*plain.scales, plain.theta), strict=True):
            np.testing.assert_array_equal(found, expected)


def test_signs_are_independent_of_each_other():
    """4,000 parameters without friction, 96 steps: three words of 32 bits; correlations are below five errors."""
    chains = at_zero(4, 1001)
    chains.follow(Dynamics(0.0, 0.0, 1.0))
    kicks = []
    for _ in range(96):
        chains.advance(np.zeros((4, 1001), dtype=np.float32))
        kicks.append(chains.velocity.reshape(-1).copy())
    assert set(np.unique(kicks)) == {-1.0, 1.0}
    between_steps = np.corrcoef(kicks) - np.eye(96)
    between_chains = np.corrcoef(np.array(kicks).reshape(96, 4, 1001).swapaxes(0, 1).reshape(4, -1)) - np.eye(4)
    assert np.abs(between_steps).max() < 5 / 4004**0.5
    assert np.abs(between_chains).max() < 5 / (96 * 1001) ** 0.5


def linear_data(n):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((60, 2)).astype(np.float32)
    y = x @ np.array([1.0, -0.5]) + 0.3 + 0.5 * rng.standard_normal(60)
    return x[:n], y[:n].astype(np.float32)


def linear_model(n):
    x, y = linear_data(n)
    prior = WeightPrior(log_noise_mean=np.log(0.25), log_noise_sd=0.05)
    return Regression(TanhNetwork((2, 1)), lambda rows, _: x[rows], y, prior, batch_size=20)


@pytest.mark.slow
def test_chains_follow_the_posterior_of_data_that_grow():
    """Linear model: the closed form at 20 and at 60 observations, whose standard deviations differ by 1.7."""
    chains, rng = ContinuedChains(Lengths(50, 200, 100, 20, step=0.02)), np.random.default_rng(1)
    for n in (20, 60):
        x, y = linear_data(n)
        design = np.hstack([x, np.ones((n, 1))])
        covariance = np.linalg.inv(design.T @ design / 0.25 + np.diag([0.5, 0.5, 1.0]))
        mean, deviation = covariance @ design.T @ y / 0.25, np.sqrt(np.diag(covariance))
        draws = chains.draws(linear_model(n), rng)[:, :3]
        assert draws.shape == (5000, 3)
        np.testing.assert_allclose(draws.mean(axis=0), mean, atol=0.2 * deviation.min())
        np.testing.assert_allclose(draws.std(axis=0), deviation, rtol=0.12)


class Counted:
    """A model that counts its gradients, and gives NaN from some of them on."""

    def __init__(self, bad=()):
        self.model, self.n, self.n_starts, self.bad = linear_model(20), 0, 0, bad
        self.prior_precision = self.model.prior_precision

    def start(self, n_chains, rng):
        self.n_starts += 1
        return self.model.start(n_chains, rng)

    def gradient(self, theta, rng):
        self.n += 1
        return self.model.gradient(theta, rng) * (np.nan if self.n in self.bad else 1.0)


def test_going_on_costs_its_own_steps_only():
    lengths = Lengths(3, 10, 4, 5)
    chains, model, rng = ContinuedChains(lengths), Counted(), np.random.default_rng(0)
    chains.draws(model, rng)
    assert model.n == FIRST_WARM * 10 + FIRST_WINDOW + FIRST_ADAPT * 10 + 4 * 5
    model.n = 0
    assert chains.draws(model, rng).shape == (12, 4)
    assert model.n == 10 + 4 * 5
    assert model.n_starts == 1


def test_draws_are_a_function_of_the_generator_and_move_on():
    found = []
    for seed in (1, 1, 2):
        chains, rng = ContinuedChains(Lengths(2, 20, 3, 5)), np.random.default_rng(seed)
        found.append((chains.draws(linear_model(20), rng), chains.draws(linear_model(21), rng)))
    np.testing.assert_array_equal(found[0], found[1])
    assert not np.array_equal(found[0], found[2])
    assert not np.array_equal(found[0][0], found[0][1])


def test_chains_that_diverge_start_again_and_give_up_if_that_does_not_help():
    lengths, rng = Lengths(2, 10, 2, 5), np.random.default_rng(0)
    chains, model = ContinuedChains(lengths), Counted()
    chains.draws(model, rng)
    model.bad = (model.n + 3,)
    assert np.isfinite(chains.draws(model, rng)).all()
    assert model.n_starts == 2
    with pytest.raises(Diverged, match="step length"):
        chains.draws(Counted(bad=range(10_000)), rng)
    assert np.isfinite(chains.draws(Counted(), rng)).all()
