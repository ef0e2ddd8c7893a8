"""SGHMC: the distribution that its chains settle in, against what is known about it."""

from itertools import islice

import numpy as np
import pytest
from scipy.linalg import solve_discrete_lyapunov

from hpo_core.errors import InvalidOption
from hpo_models.networks.chains import chain, draw
from hpo_models.networks.sghmc import (
    FIRST_WINDOW,
    Scales,
    adapt,
    adapted_dynamics,
    advance,
    first_scales,
    plain_dynamics,
)

PRECISION = np.array([[2.0, 0.6], [0.6, 0.5]])


def quadratic(noise_sd):
    """Gradient of U = theta^T A theta / 2 with Gaussian noise of a known size."""

    def gradient(theta, rng):
        return theta @ PRECISION + noise_sd * rng.standard_normal(theta.shape)

    return gradient


def lyapunov_covariance(dynamics, noise_sd):
    """Stationary covariance of (theta, v) under the linear recursion that a step is on a quadratic potential."""
    identity = np.eye(2)
    drift = np.diag(np.broadcast_to(dynamics.drift, 2))
    keep = np.diag(np.broadcast_to(dynamics.keep, 2))
    velocity = np.hstack([-drift @ PRECISION, keep])
    transition = np.vstack([np.hstack([identity, np.zeros((2, 2))]) + velocity, velocity])
    kicks = np.diag(np.broadcast_to(dynamics.noise, 2) ** 2 + (np.diag(drift) * noise_sd) ** 2)
    return solve_discrete_lyapunov(transition, np.block([[kicks, kicks], [kicks, kicks]]))


@pytest.mark.parametrize("noise_sd", [0.0, 3.0])
@pytest.mark.parametrize("adaptive", [True, False])
def test_gaussian_target_settles_in_its_lyapunov_covariance(adaptive, noise_sd):
    square = np.array([4.0, 1.0]) + noise_sd**2
    dynamics = adapted_dynamics(square, 0.3) if adaptive else plain_dynamics(0.3, 0.1)
    rng = np.random.default_rng(0)
    theta, velocity = np.zeros((20_000, 2)), np.zeros((20_000, 2))
    gradient = quadratic(noise_sd)
    for _ in range(400):
        theta, velocity = advance(theta, velocity, gradient(theta, rng), dynamics, rng)
    found = np.cov(np.hstack([theta, velocity]).T)
    np.testing.assert_allclose(found, lyapunov_covariance(dynamics, noise_sd), rtol=0.05, atol=0.03)


def test_known_gradient_noise_is_made_up_for():
    """With noise in the gradient the covariance tends to the target's as the step shrinks; plain SGHMC runs too hot."""
    target = np.linalg.inv(PRECISION)
    noise_sd = 3.0
    errors = {}
    for step in (0.3, 0.05):
        square = np.full(2, noise_sd**2)
        found = lyapunov_covariance(adapted_dynamics(square, step), noise_sd)[:2, :2]
        errors[step] = np.abs(found - target).max() / target.max()
    assert errors[0.05] < 0.01
    assert errors[0.05] < errors[0.3]
    hot = lyapunov_covariance(plain_dynamics(0.3, 0.05), noise_sd)[:2, :2]
    assert np.trace(hot) > 2.0 * np.trace(target)


def test_whole_chain_finds_a_gaussian_of_unequal_scales():
    """One step length for two parameters a hundredfold apart, with gradients ten thousandfold apart."""
    sd = np.array([0.01, 1.0])
    theta = sd * np.random.default_rng(2).uniform(1.0, 2.0, (400, 2))

    def gradient(theta, rng):
        return (theta / sd + 3.0 * rng.standard_normal(theta.shape)) / sd

    states = chain(gradient, theta, np.random.default_rng(1), n_burn_in=1000, step=0.02)
    kept = np.concatenate([state.theta for state in islice(states, 2000, 6000, 200)])
    np.testing.assert_allclose(kept.std(axis=0), sd, rtol=0.1)


MIXTURE = np.where(np.random.default_rng(7).random(100) < 0.5, 0.0, 1.0)
MIXTURE = MIXTURE + np.sqrt(2.0) * np.random.default_rng(8).standard_normal(100)


def mixture_gradient(theta, rng):
    """Minibatch gradient of U for x ~ N(t0, 2)/2 + N(t0 + t1, 2)/2, priors N(0, 10) and N(0, 1) (Welling and Teh)."""
    x = MIXTURE[rng.integers(100, size=(len(theta), 10))]
    first, second = x - theta[:, :1], x - theta.sum(axis=1, keepdims=True)
    share = 1.0 / (1.0 + np.exp((first**2 - second**2) / 4.0))  # of the first component
    pull_first, pull_second = share * first / 2.0, (1.0 - share) * second / 2.0
    slopes = np.stack([(pull_first + pull_second).sum(axis=1), pull_second.sum(axis=1)], axis=1)
    return theta / np.array([10.0, 1.0]) - 10.0 * slopes


def exact_mixture():
    """Mass of the mixture's posterior where theta_1 < 0, and mean and standard deviation of theta_1, on a fine grid."""
    a, b = np.meshgrid(np.linspace(-2.5, 3.5, 121), np.linspace(-4, 4, 161), indexing="ij")
    densities = [np.exp(-((MIXTURE - centre[..., None]) ** 2) / 4.0) for centre in (a, a + b)]
    log = np.log(densities[0] + densities[1]).sum(axis=-1) - a**2 / 20.0 - b**2 / 2.0
    weights = np.exp(log - log.max())
    weights /= weights.sum()
    mean = (weights * b).sum()
    return weights[b < 0].sum(), mean, np.sqrt((weights * b**2).sum() - mean**2)


@pytest.mark.slow
def test_on_a_mixture_adapted_scales_find_the_other_mode_where_plain_sghmc_sticks():
    """Klein (2020, 3.5.1): step length 1e-2, batches of 10, 10,000 steps of which 100 are burn-in, here in 100 chains.

    The plain sampler takes the step length for the potential per observation, that is 1e-2 / sqrt(100) for the whole.
    """
    start = np.tile([[0.0, 1.0]], (100, 1))
    crossed = {}
    for name, dynamics in (("adaptive", None), ("plain", plain_dynamics(1e-3))):
        states = chain(mixture_gradient, start, np.random.default_rng(0), n_burn_in=100, step=1e-2, dynamics=dynamics)
        kept = np.stack([state.theta for state in islice(states, 0, 9900, 20)], axis=1)
        crossed[name] = int(np.sum((kept[:, :, 1] < -0.5).any(axis=1)))
    assert crossed["adaptive"] >= 15
    assert crossed["adaptive"] >= 3 * crossed["plain"]


@pytest.mark.slow
def test_mixture_is_sampled_in_its_true_proportions():
    """With steps long enough to cross between the modes within the run."""
    below, mean, sd = exact_mixture()
    start = np.tile([[0.0, 1.0]], (100, 1))
    states = chain(mixture_gradient, start, np.random.default_rng(3), n_burn_in=1000, step=0.06)
    kept = np.concatenate([state.theta for state in islice(states, 3000, 12_000, 100)])[:, 1]
    assert np.mean(kept < 0) == pytest.approx(below, abs=0.08)
    assert kept.mean() == pytest.approx(mean, abs=0.2)
    assert kept.std() == pytest.approx(sd, rel=0.1)


def test_running_means_by_hand():
    scales = Scales(np.array([4.0]), np.array([1.0]), np.array([2.0]))
    square, mean, window = adapt(scales, np.array([4.0]))
    assert square == 4.0 + (16.0 - 4.0) / 2.0
    assert mean == 1.0 + (4.0 - 1.0) / 2.0
    assert window == 2.0 * (1.0 - 1.0 / 4.0) + 1.0


def test_windows_grow_with_noise_and_stay_short_with_a_steady_gradient():
    rng = np.random.default_rng(0)
    scales = first_scales([np.array([1.0, 1.0]), np.array([1.0, -1.0])])
    assert (scales.window == FIRST_WINDOW).all()
    for _ in range(500):
        scales = adapt(scales, np.array([1.0, rng.standard_normal()]))
    assert scales.window[0] < 1.5
    assert scales.window[1] > 20.0
    assert scales.square[1] == pytest.approx(1.0, rel=0.6)


def test_a_parameter_that_only_its_prior_knows_is_not_thrown_away():
    """A gradient without noise, theta itself: near zero its running square vanishes, and the step grows."""
    start = np.zeros((50, 1))
    wide = {}
    for floor in (1.0, 1e-12):
        states = chain(lambda t, r: t, start, np.random.default_rng(0), n_burn_in=2000, step=1e-2, floor=floor)
        with np.errstate(all="ignore"):
            wide[floor] = np.abs(next(states).theta).max()
    assert wide[1.0] < 5.0
    assert not wide[1e-12] < 5.0


def test_friction_is_raised_until_the_noise_fits():
    square = np.array([1.0, 1e6, 1e10])
    step = 1e-2
    fixed = adapted_dynamics(square, step)
    np.testing.assert_allclose(1.0 - fixed.keep, [0.05, 0.1, 1.0])
    constraint = (1.0 - fixed.keep) / step * square**0.5 / square >= step * (1.0 - 1e-9)  # C V^-1 >= epsilon
    assert constraint.tolist() == [True, True, False]
    expected = 2 * step**2 * 0.1 / 1e3 - step**4
    assert fixed.noise[1] ** 2 == pytest.approx(expected)
    loose = adapted_dynamics(square, step, raised=False)
    assert 1.0 - loose.keep == pytest.approx(0.05)


def test_chains_are_functions_of_their_generator_and_keep_the_number_type():
    start = np.zeros((2, 2), dtype=np.float32)

    def gradient(theta, rng):
        return theta + rng.standard_normal(theta.shape, dtype=np.float32)

    runs = [draw(chain(gradient, start, np.random.default_rng(s), n_burn_in=5), 10, 1).theta for s in (0, 0, 1)]
    assert runs[0].dtype == np.float32
    assert np.array_equal(runs[0], runs[1])
    assert not np.array_equal(runs[0], runs[2])
    assert not start.any()


@pytest.mark.parametrize("options", [{"n_burn_in": -1}, {"n_burn_in": 1, "step": 0.0}])
def test_bad_options_are_refused(options):
    with pytest.raises(InvalidOption, match="n_burn_in"):
        next(chain(quadratic(0.0), np.zeros((1, 2)), np.random.default_rng(0), **options))


def test_draws_are_some_steps_apart_and_the_last_state_goes_on():
    start = np.zeros((2, 2), dtype=np.float32)
    every = [state.theta for state in islice(chain(quadratic(0.1), start, np.random.default_rng(0), n_burn_in=4), 6)]
    counted = []
    states = chain(quadratic(0.1), start, np.random.default_rng(0), n_burn_in=4)
    found = draw(states, 2, 3, counted.append)
    np.testing.assert_array_equal(found.theta, [every[2], every[5]])
    np.testing.assert_array_equal(found.state.theta, every[5])
    assert counted == [3, 3]
