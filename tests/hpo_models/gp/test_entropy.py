"""Entropy search: p_min, entropies and information gains against closed forms and brute force."""

import numpy as np
import pytest
from scipy.stats import norm

from hpo_models.gp.entropy import Minimum, entropy, p_min
from hpo_models.gp.product import Points, condition
from hpo_models.gp.product_posterior import Parts

PARTS = Parts(np.array([0.4]), np.array([[0.9, 0.0], [0.5, 0.6]]), 0.02)
GROUPS = np.zeros(1, dtype=int)


def a_process(n=6, seed=0):
    """A process whose mean is fixed at 0, so that one more observation changes nothing but the posterior."""
    rng = np.random.default_rng(seed)
    points = Points(rng.random((n, 1)), np.column_stack([np.ones(n), rng.random(n)]))
    return condition(points, rng.standard_normal(n), PARTS, GROUPS, mean_variance=1e-12)


def target(x):
    x = np.asarray(x, dtype=float)
    return Points(x[:, None], np.column_stack([np.ones(len(x)), np.zeros(len(x))]))


def after(process, candidate, y):
    """The process after one more observation."""
    points = Points(*(np.concatenate(parts) for parts in zip(process.points, candidate, strict=True)))
    return condition(points, np.append(process.y, y), PARTS, GROUPS, mean_variance=1e-12)


def test_p_min_of_two_independent_normals():
    means, variances = np.array([0.3, 0.0]), np.array([1.0, 0.5])
    minimum = Minimum(means, np.diag(variances), np.random.default_rng(0), n_draws=200_000)
    expected = norm.cdf((means[1] - means[0]) / np.sqrt(variances.sum()))
    assert minimum.p == pytest.approx([expected, 1 - expected], abs=0.005)  # four standard errors are 0.0045


def test_p_min_of_exchangeable_points_is_uniform():
    covariance = 0.7 + 0.3 * np.eye(5)
    minimum = Minimum(np.zeros(5), covariance, np.random.default_rng(1), n_draws=100_000)
    assert minimum.p == pytest.approx(np.full(5, 0.2), abs=0.006)


def test_p_min_and_entropy_by_hand():
    draws = np.array([[1.0, 2.0, 3.0], [3.0, 1.0, 2.0], [0.0, 5.0, 5.0], [9.0, 9.5, 8.0]])
    assert p_min(draws).tolist() == [0.5, 0.25, 0.25]
    assert entropy(np.array([[0.5, 0.25, 0.25], [1.0, 0.0, 0.0]])) == pytest.approx([1.5 * np.log(2), 0.0])


def test_gain_of_seeing_one_of_two_independent_normals():
    variances, noise = np.array([1.0, 0.5]), 0.2
    minimum = Minimum(np.array([0.3, 0.0]), np.diag(variances), np.random.default_rng(2), 100_000, 40)
    found = minimum.gains(np.array([[variances[0], 0.0]]), variances[:1], noise)[0]
    # the closed form: p after outcome w is a normal probability, and the mean over w an integral
    share = variances[0] / np.sqrt(variances[0] + noise)
    left = np.sqrt(variances.sum() - share**2)
    w = norm.ppf((np.arange(20_000) + 0.5) / 20_000)
    later = norm.cdf((0.0 - 0.3 - share * w) / left)
    before = norm.cdf(-0.3 / np.sqrt(variances.sum()))
    expected = entropy(np.array([before, 1 - before])) - entropy(np.column_stack([later, 1 - later])).mean()
    assert found == pytest.approx(expected, abs=0.01)


def test_gains_are_those_of_brute_force_refits():
    process, where = a_process(2), target(np.linspace(0, 1, 7))
    candidates = Points(np.array([[0.1], [0.62], [0.9]]), np.array([[1.0, 0.0], [1.0, 0.3], [1.0, 1.0]]))
    minimum = Minimum(*process.joint(where), np.random.default_rng(3), 40_000, 9)
    means, stds = process.predict(candidates)
    found = minimum.gains(process.covariance(candidates, where), stds**2, PARTS.noise)
    rng = np.random.default_rng(4)
    outcomes = norm.ppf((np.arange(9) + 0.5) / 9)
    for k in range(3):
        candidate = Points(candidates.x[[k]], candidates.basis[[k]])
        later = []
        for outcome in outcomes:
            y = means[k] + outcome * np.sqrt(stds[k] ** 2 + PARTS.noise)
            mean, covariance = after(process, candidate, y).joint(where)
            later.append(entropy(p_min(rng.multivariate_normal(mean, covariance, 40_000, method="cholesky"))))
        assert found[k] == pytest.approx(entropy(minimum.p) - np.mean(later), abs=0.015)
    assert np.ptp(found) > 0.05  # so that the comparison says something


def test_a_candidate_without_information_gains_exactly_nothing():
    minimum = Minimum(np.zeros(4), np.eye(4), np.random.default_rng(5))
    assert minimum.gains(np.zeros((3, 4)), np.array([0.0, 1.0, 5.0]), 0.1).tolist() == [0.0, 0.0, 0.0]


def test_noise_lowers_the_gain():
    process, where = a_process(2), target(np.linspace(0, 1, 7))
    minimum = Minimum(*process.joint(where), np.random.default_rng(6), 5000)
    cross, stds = process.covariance(where, where), process.predict(where)[1]
    gains = np.array([minimum.gains(cross, stds**2, noise) for noise in (1e-4, 0.1, 1.0, 10.0)])
    assert (np.diff(gains, axis=0) < 0.01).all()
    assert (gains[0] > gains[-1] + 0.05).sum() >= 3


def test_rounding_errors_of_a_nearly_certain_process_are_no_problem():
    rng = np.random.default_rng(8)
    errors = 1e-9 * rng.standard_normal((30, 30))
    covariance = 1e-12 * np.eye(30) + errors + errors.T  # of a function of variance 1: all but the errors is known
    minimum = Minimum(np.linspace(0, 1, 30), covariance, rng, scale=1.0)
    assert minimum.p[0] == 1.0


def test_a_certain_process_is_no_problem():
    minimum = Minimum(np.array([0.1, 0.2]), np.zeros((2, 2)), np.random.default_rng(7))
    assert minimum.p.tolist() == [1.0, 0.0]
    assert np.isfinite(minimum.gains(np.zeros((1, 2)), np.zeros(1), 1e-9)).all()
