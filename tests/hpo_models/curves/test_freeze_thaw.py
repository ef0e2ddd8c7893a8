"""The freeze-thaw process against the one Gaussian process over all losses that it is a shortcut for."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from hpo_core.errors import InvalidOption
from hpo_models.curves.decay_gp import CurveModel
from hpo_models.curves.freeze_thaw import JITTER, Curve, CurveHyperparameters, FreezeThaw, fit_freeze_thaw

H = CurveHyperparameters(1.3, 0.4, 0.7, 0.05, 0.2, 1.4, 0.6)
LENGTHS = (3, 5, 5, 1)


def some_process():
    rng = np.random.default_rng(0)
    curves = tuple(Curve(np.arange(1, n + 1) / 8.0, rng.standard_normal(n)) for n in LENGTHS)
    return FreezeThaw(rng.random((4, 2)), curves, H)


def prior(first, second):
    """Covariance of noise-free losses; a point is (number of the curve, x1, x2, t)."""
    r = np.sqrt(((first[:, None, 1:3] - second[None, :, 1:3]) ** 2).sum(axis=2)) / H.lengthscale
    configs = (1 + np.sqrt(5) * r + 5 * r**2 / 3) * np.exp(-np.sqrt(5) * r)
    times = H.beta**H.alpha / (first[:, None, 3] + second[None, :, 3] + H.beta) ** H.alpha
    same = first[:, None, 0] == second[None, :, 0]
    return H.asymptote_scale * configs + H.curve_scale * np.where(same, times, 0.0)


def points(process, n, t):
    x = process.x[n] if isinstance(n, int) else n
    number = n if isinstance(n, int) else -1
    return np.array([[number, *x, time] for time in t])


def observed(process):
    known = np.concatenate([points(process, n, curve.t) for n, curve in enumerate(process.curves)])
    losses = np.concatenate([curve.losses for curve in process.curves])
    noise = H.noise + JITTER * H.curve_scale
    return known, losses, prior(known, known) + noise * np.eye(len(known))


def brute_force(process, at):
    known, losses, covariance = observed(process)
    cross = prior(known, at)
    mean = H.mean + cross.T @ np.linalg.solve(covariance, losses - H.mean)
    return mean, prior(at, at) - cross.T @ np.linalg.solve(covariance, cross)


def test_the_likelihood_is_that_of_the_whole_process():
    process = some_process()
    _, losses, covariance = observed(process)
    expected = multivariate_normal(np.full(len(losses), H.mean), covariance).logpdf(losses)
    assert process.log_likelihood() == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("n", range(4))
def test_a_curve_goes_on_as_in_the_whole_process(n):
    process, t = some_process(), np.array([0.2, 0.7, 1.0])
    mean, covariance = process.curve(n, t)
    expected = brute_force(process, points(process, n, t))
    np.testing.assert_allclose(mean, expected[0], rtol=1e-9)
    np.testing.assert_allclose(covariance, expected[1], rtol=1e-8, atol=1e-11)


def test_a_curve_never_trained_is_that_of_the_whole_process():
    process, t, x = some_process(), np.array([0.1, 1.0]), np.array([0.4, 0.9])
    mean, covariance = process.new_curve(x, t)
    expected = brute_force(process, points(process, x, t))
    np.testing.assert_allclose(mean, expected[0], rtol=1e-9)
    np.testing.assert_allclose(covariance, expected[1], rtol=1e-8)


def test_asymptotes_are_where_curves_end():
    """After infinite time k_t is 0, so a curve is its asymptote."""
    process = some_process()
    means, covariance = process.asymptotes()
    for n in range(4):
        mean, variance = process.curve(n, np.array([1e12]))
        assert mean[0] == pytest.approx(means[n], rel=1e-6)
        assert variance[0, 0] == pytest.approx(covariance[n, n], rel=1e-6)
    np.testing.assert_allclose(process.asymptotes(process.x)[1], covariance, rtol=1e-9, atol=1e-12)


def test_one_curve_alone_is_the_model_of_a_single_training():
    rng = np.random.default_rng(1)
    losses = 0.3 + 0.5 * np.exp(-np.arange(1, 7) / 3) + 0.01 * rng.standard_normal(6)
    single = CurveModel(1.3, 4.0, 0.7, mean=0.2, std=1.4**0.5, noise=0.05**0.5)
    expected = single.posterior(losses, np.array([7.0, 20.0]))
    h = H._replace(beta=0.4)
    process = FreezeThaw(np.zeros((1, 2)), (Curve(np.arange(1, 7) / 10, losses),), h)
    mean, covariance = process.curve(0, np.array([0.7, 2.0]))
    np.testing.assert_allclose(mean, expected[0], rtol=1e-5)
    np.testing.assert_allclose(covariance, expected[1], rtol=1e-4, atol=1e-7)
    assert process.log_likelihood() == pytest.approx(single.log_likelihood(losses), rel=1e-5)


def made_curves(n, seed):
    rng = np.random.default_rng(seed)
    x = rng.random((n, 1))
    t = np.arange(1, 21) / 20
    return x, t, 2 * x - 1 + np.exp(-t / 0.2) + 0.02 * rng.standard_normal((n, 20))


def test_fitted_to_complete_curves_it_continues_the_others():
    x, t, losses = made_curves(16, 0)
    curves = [Curve(t[:n], row[:n]) for n, row in zip([20] * 8 + [3] * 8, losses, strict=True)]
    process = fit_freeze_thaw(x, curves)
    assert process.log_likelihood() > FreezeThaw(x, tuple(curves), CurveHyperparameters()).log_likelihood() + 10
    ends = [process.curve(n, np.ones(1)) for n in range(8, 16)]
    errors = np.array([mean[0] for mean, _ in ends]) - losses[8:, -1]
    stds = np.sqrt([variance[0, 0] + process.hyperparameters.noise for _, variance in ends])
    assert np.sqrt(np.mean(errors**2)) < 0.25 * np.sqrt(np.mean((losses[8:, 2] - losses[8:, -1]) ** 2))
    assert (np.abs(errors) < 3.5 * stds).all()


def test_bad_input_is_refused():
    curve = Curve(np.array([0.1, 0.2]), np.array([1.0, 0.5]))
    for x, curves, rule in (
        (np.zeros((2, 1)), (curve,), "one curve per configuration"),
        (np.zeros((0, 1)), (), "one curve per configuration"),
        (np.zeros((1, 1)), (Curve(curve.t, curve.losses[:1]),), "as many finite losses"),
        (np.zeros((1, 1)), (Curve(curve.t, np.array([1.0, np.nan])),), "finite"),
    ):
        with pytest.raises(InvalidOption, match=rule):
            FreezeThaw(x, curves, H)
