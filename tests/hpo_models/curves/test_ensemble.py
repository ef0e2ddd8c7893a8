"""The parametric ensemble: its functions, its sampler on known targets, its prior, and curves with a known end."""

import numpy as np
import pytest

from hpo_core.errors import InvalidOption
from hpo_models.curves.ensemble import (
    HIGH,
    LOW,
    N_FUNCTIONS,
    N_THETA,
    CurveLogPosterior,
    Extrapolation,
    Steps,
    combined,
    extrapolate,
)
from hpo_models.curves.ensemble_sampling import ensemble_samples
from hpo_models.curves.functions import FUNCTIONS

QUICK = Steps(n_steps=300, burn_in=150)
EPOCHS = np.arange(1.0, 21.0)


def table_1(t, name, p):
    """The formulae and parameters of Domhan et al. (2015); here positive parameters are given by their logarithms."""
    e = np.exp
    return {
        "vapor pressure": lambda: e(p[0] + p[1] / t + p[2] * np.log(t)),
        "pow3": lambda: p[0] - p[1] * t ** -e(p[2]),
        "log log linear": lambda: np.log(p[0] * np.log(t) + p[1]),
        "hill3": lambda: p[0] * t ** e(p[1]) / (e(p[2]) ** e(p[1]) + t ** e(p[1])),
        "log power": lambda: p[0] / (1 + (t / e(p[1])) ** p[2]),
        "pow4": lambda: p[0] - (e(p[1]) * t + p[2]) ** -e(p[3]),
        "mmf": lambda: p[0] - (p[0] - p[1]) / (1 + (e(p[2]) * t) ** e(p[3])),
        "exp4": lambda: p[0] - e(-e(p[1]) * t ** e(p[3]) + p[2]),
        "janoschek": lambda: p[0] - (p[0] - p[1]) * e(-e(p[2]) * t ** e(p[3])),
        "weibull": lambda: p[0] - (p[0] - p[1]) * e(-((e(p[2]) * t) ** e(p[3]))),
        "ilog2": lambda: p[0] - p[1] / np.log(t + 1),
    }[name]()


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.name)
def test_functions_are_those_of_the_paper(function):
    t = np.array([1.0, 2.0, 7.0, 50.0, 100.0])
    rng = np.random.default_rng(0)
    for parameters in (np.array(function.start), rng.uniform(function.low, function.high)):
        with np.errstate(all="ignore"):
            expected = table_1(t, function.name, parameters)
            np.testing.assert_allclose(function.formula(t, np.log(t), *parameters), expected, rtol=1e-9, atol=1e-12)
    first = function.formula(t, np.log(t), *function.start)
    assert (np.diff(first) > 0).all() and 0.1 < first[0] < 0.4 and 0.7 < first[-1] < 0.9
    assert (np.array(function.low) < function.start).all() and (np.array(function.start) < function.high).all()


def test_the_sampler_finds_a_gaussian():
    """From a start far off: means within 0.1 and covariances within 15 %."""
    mean, covariance = np.array([1.0, -2.0, 0.5]), np.array([[2.0, 0.8, 0.0], [0.8, 0.5, 0.1], [0.0, 0.1, 0.1]])
    precision = np.linalg.inv(covariance)

    def log_density(points):
        away = points - mean
        return -0.5 * np.einsum("ni,ij,nj->n", away, precision, away)

    rng = np.random.default_rng(0)
    found = ensemble_samples(log_density, rng.standard_normal((60, 3)), rng, n_steps=2000, burn_in=300, thinning=5)
    np.testing.assert_allclose(found.mean(axis=0), mean, atol=0.1)
    np.testing.assert_allclose(np.cov(found.T), covariance, atol=0.15 * covariance.max())


def test_the_sampler_is_affine_invariant():
    """The walk on a stretched and shifted target is the walk itself, stretched and shifted."""
    matrix, shift = np.array([[3.0, 1.0], [0.0, 0.01]]), np.array([5.0, -7.0])

    def banana(points):
        return -0.5 * points[:, 0] ** 2 - 2.0 * (points[:, 1] - points[:, 0] ** 2) ** 2

    def walk(log_density, walkers):
        return ensemble_samples(log_density, walkers, np.random.default_rng(1), n_steps=50, burn_in=10, thinning=4)

    start = np.random.default_rng(0).standard_normal((10, 2))
    moved = walk(lambda points: banana((points - shift) @ np.linalg.inv(matrix)), start @ matrix + shift)
    np.testing.assert_allclose(moved, walk(banana, start) @ matrix + shift, rtol=1e-7)


def test_the_sampler_stays_where_the_density_is_positive():
    rng = np.random.default_rng(0)
    found = ensemble_samples(
        lambda points: np.where((points > 0).all(axis=1), -points.sum(axis=1), -np.inf),
        rng.random((20, 2)) + 0.1,
        rng,
        n_steps=1500,
        burn_in=200,
    )
    assert (found > 0).all()
    np.testing.assert_allclose(found.mean(axis=0), 1.0, atol=0.15)  # two independent exponentials


def test_a_walk_that_cannot_work_is_refused():
    for walkers, options, rule in (
        ((7, 2), {"n_steps": 10, "burn_in": 0}, "even number"),
        ((6, 4), {"n_steps": 10, "burn_in": 0}, "at least twice 4"),
        ((8, 2), {"n_steps": 10, "burn_in": 10}, "burn_in < n_steps"),
        ((8, 2), {"n_steps": 10, "burn_in": 5, "thinning": 6}, "thinning"),
    ):
        with pytest.raises(InvalidOption, match=rule):
            ensemble_samples(lambda p: np.zeros(len(p)), np.ones(walkers), np.random.default_rng(0), **options)


def some_point(weight=0.09, noise=0.05):
    theta = np.concatenate([function.start for function in FUNCTIONS])
    return np.concatenate([theta, np.full(N_FUNCTIONS, weight), [np.log(noise)]])


def test_posterior_density_by_hand():
    point = some_point()
    t, y = np.array([1.0, 3.0, 9.0]), np.array([0.2, 0.5, 0.6])
    f = sum(0.09 * table_1(t, function.name, np.array(function.start)) for function in FUNCTIONS)
    np.testing.assert_allclose(combined(t, point[None])[0], f, rtol=1e-12)
    expected = -0.5 * np.sum((f - y) ** 2) / 0.05**2 - 3 * np.log(0.05)
    assert CurveLogPosterior(t, y, 100.0)(point[None])[0] == pytest.approx(expected)


def test_the_prior_forbids_curves_that_end_worse_or_too_well():
    t, y = np.array([1.0, 3.0, 9.0]), np.array([0.2, 0.5, 0.6])
    density = CurveLogPosterior(t, y, 100.0)
    falling = some_point(0.0 + 1e-9)
    falling[N_THETA + 1] = 0.3
    falling[3:6] = 1.0, -0.5, -0.7  # pow3 with a negative amplitude falls towards its asymptote
    outside = some_point()
    outside[0] = HIGH[0] + 0.1
    negative = some_point()
    negative[N_THETA] = -1e-3
    for point in (falling, some_point(0.2), outside, negative):  # at 0.2 the curve ends above 1
        assert density(point[None])[0] == -np.inf
    assert (some_point() > LOW).all() and (some_point() < HIGH).all()


def power_curve(t):
    return 0.15 + 0.85 * t**-0.7


def slow_curve(t):
    return 0.3 + 0.6 * np.exp(-0.08 * t)


@pytest.mark.parametrize("curve", [power_curve, slow_curve])
def test_a_clean_curve_is_continued(curve):
    losses = curve(EPOCHS) + 0.004 * np.random.default_rng(0).standard_normal(20)
    found = extrapolate(EPOCHS, losses, 100.0, np.random.default_rng(1), steps=QUICK)
    mean, variance = found.moments(100.0)
    assert abs(mean - curve(100.0)) < 0.5 * abs(losses[-1] - curve(100.0))
    assert abs(mean - curve(100.0)) < 3 * np.sqrt(variance)
    assert found.noise.mean() < 0.03
    inside = combined(np.array([20.0, 100.0]), found.points)
    assert (inside[:, 0] <= inside[:, 1]).all() and (inside[:, 1] <= 1).all()
    assert np.abs(found.losses(EPOCHS).mean(axis=0) - curve(EPOCHS)).max() < 0.02


def test_probabilities_are_those_of_the_samples():
    found = extrapolate(EPOCHS, power_curve(EPOCHS), 100.0, np.random.default_rng(0), steps=QUICK)
    levels = [found.probability_below(loss, 100.0) for loss in (0.0, 0.15, 0.18, 0.25, 1.0)]
    assert levels == sorted(levels) and levels[0] < 0.01 and levels[-1] > 0.99
    rng = np.random.default_rng(2)
    draws = found.losses(np.array([100.0]))[:, 0] + found.noise * rng.standard_normal((200, len(found.points)))
    assert found.probability_below(0.18, 100.0) == pytest.approx(np.mean(draws < 0.18), abs=0.02)
    assert found.moments(100.0) == (pytest.approx(draws.mean(), abs=1e-3), pytest.approx(draws.var(), rel=0.05))


def test_units_of_the_loss_do_not_matter():
    plain, scaled = (
        extrapolate(EPOCHS, scale * power_curve(EPOCHS), 100.0, np.random.default_rng(0), steps=QUICK)
        for scale in (1.0, 1024.0)  # a power of two: no rounding
    )
    assert scaled.moments(100.0)[0] == pytest.approx(1024.0 * plain.moments(100.0)[0], rel=1e-6)


def test_losses_become_accuracies():
    short = Steps(n_steps=20, burn_in=10)
    rng = np.random.default_rng(0)
    found = extrapolate(EPOCHS, power_curve(EPOCHS), 100.0, rng, steps=short)
    assert (found.top, found.floor) == (1.0, 0.0)
    below_zero = extrapolate(EPOCHS, power_curve(EPOCHS) - 0.5, 100.0, rng, steps=short)
    lowest = power_curve(20.0) - 0.5
    assert (below_zero.top, below_zero.floor) == (0.5, pytest.approx(2 * lowest - 0.5))
    known = extrapolate(EPOCHS, power_curve(EPOCHS), 100.0, rng, floor=0.1, steps=short)
    assert known.floor == 0.1 and (known.losses(np.array([100.0])) >= 0.1).all()
    by_hand = Extrapolation(some_point()[None], top=3.0, floor=1.0)
    accuracy = combined(np.array([9.0]), some_point()[None])[0, 0]
    assert by_hand.losses(np.array([9.0]))[0, 0] == pytest.approx(3 - 2 * accuracy)
    assert by_hand.noise[0] == pytest.approx(2 * 0.05)


@pytest.mark.parametrize(
    "losses",
    [0.2 + 0.05 * EPOCHS, np.full(20, 0.7), np.zeros(20), np.r_[1e7, np.full(19, 0.5)], EPOCHS % 2 + 0.1],
    ids=["rising", "constant", "zero", "outlier", "zigzag"],
)
def test_strange_curves_are_no_problem(losses):
    found = extrapolate(EPOCHS, losses, 100.0, np.random.default_rng(0), steps=Steps(n_steps=60, burn_in=30))
    mean, variance = found.moments(100.0)
    assert np.isfinite(mean) and np.isfinite(variance) and found.floor <= mean <= found.top


def test_a_fit_is_a_function_of_its_generator():
    short = Steps(n_steps=20, burn_in=10)
    first, again, other = (
        extrapolate(EPOCHS, power_curve(EPOCHS), 100.0, np.random.default_rng(seed), steps=short) for seed in (0, 0, 1)
    )
    assert np.array_equal(first.points, again.points) and not np.array_equal(first.points, other.points)
    assert first.points.shape == (100, N_THETA + N_FUNCTIONS + 1)


def test_bad_input_is_refused():
    rng = np.random.default_rng(0)
    for t, losses, end, rule in (
        (EPOCHS[:3], np.ones(3), 100, "at least 4 finite losses"),
        (EPOCHS, np.full(20, np.nan), 100, "finite"),
        (EPOCHS[::-1], np.ones(20), 100, "ascend"),
        (EPOCHS, np.ones(20), 10, "at most the end, 10"),
    ):
        with pytest.raises(InvalidOption, match=rule):
            extrapolate(t, losses, end, rng)
