"""Optimal stopping of one training, against closed forms and against dynamic programming on small trees."""

import itertools
import math

import numpy as np
import pytest
from scipy import integrate, stats

from hpo_core.errors import InvalidOption
from hpo_models.curves.decay_gp import CurveModel, decay_kernel, fitted_model, likely_model
from hpo_models.curves.optimal_stopping import (
    CONTINUE,
    STOP_BETTER,
    STOP_WORSE,
    is_certain,
    k1_schedule,
    solve,
)


def test_the_kernel_is_a_mixture_of_exponentials():
    for n, m, alpha, beta in ((1, 1, 2.0, 3.0), (4, 9, 0.7, 1.5)):
        gamma = stats.gamma(alpha, scale=1 / beta)
        expected, _ = integrate.quad(lambda rate: math.exp(-rate * (n + m)) * gamma.pdf(rate), 0, np.inf)  # noqa: B023
        assert decay_kernel(np.array([n]), np.array([m]), alpha, beta)[0, 0] == pytest.approx(expected, rel=1e-6)


MODEL = CurveModel(1.5, 4.0, scale=0.3, mean=0.2, std=0.1, noise=0.05)
ERRORS = np.array([0.6, 0.5, 0.45, 0.43])


def test_likelihood_and_posterior_are_those_of_the_joint_gaussian():
    epochs = np.arange(1, 8.0)
    joint = 0.3 * decay_kernel(epochs, epochs, 1.5, 4.0) + 0.1**2
    known = joint[:4, :4] + 0.05**2 * np.eye(4)
    gaussian = stats.multivariate_normal(np.full(4, 0.2), known)
    assert MODEL.log_likelihood(ERRORS) == pytest.approx(gaussian.logpdf(ERRORS))
    gain = joint[4:, :4] @ np.linalg.inv(known)
    mean, covariance = MODEL.posterior(ERRORS, epochs[4:])
    np.testing.assert_allclose(mean, 0.2 + gain @ (ERRORS - 0.2))
    np.testing.assert_allclose(covariance, joint[4:, 4:] - gain @ joint[:4, 4:], atol=1e-12)


def test_simulated_curves_have_the_posterior_moments():
    n_paths = 100_000
    observed, free = MODEL.simulate(ERRORS, 7, n_paths, np.random.default_rng(0))
    mean, covariance = MODEL.posterior(ERRORS, np.array([5.0, 6.0, 7.0]))
    assert observed.shape == free.shape == (3, n_paths)
    error = 4.5 * np.sqrt(np.diag(covariance) / n_paths)  # each of three means: 7e-6
    assert np.all(np.abs(free.mean(axis=1) - mean) < error)
    np.testing.assert_allclose(np.cov(free), covariance, rtol=0.05)
    np.testing.assert_allclose(np.var(observed - free, axis=1), 0.05**2, rtol=0.05)


def test_the_model_of_the_code_has_the_highest_likelihood():
    """By a grid around it; variance 1, mean 0 and a noise variance of 1e-3 are fixed."""
    model = likely_model(ERRORS)
    assert (model.scale, model.mean, model.std, model.noise**2) == (1.0, 0.0, 0.0, pytest.approx(1e-3))
    best = model.log_likelihood(ERRORS)
    for factors in itertools.product((0.5, 0.9, 1.0, 1.1, 2.0), repeat=2):
        other = CurveModel(model.alpha * factors[0], model.beta * factors[1], noise=model.noise)
        assert other.log_likelihood(ERRORS) <= best + 1e-4
    with pytest.raises(InvalidOption, match="finite errors"):
        likely_model([0.5, math.nan])


def test_the_model_of_the_code_keeps_a_flat_curve_where_it_is():
    """With the update of the paper's text, alpha + 8 and beta + 6.4, the mean at epoch 50 is below 0.001."""
    flat = np.full(8, 0.8)
    mean, _ = likely_model(flat).posterior(flat, np.array([50.0]))
    assert 0.6 < mean[0] < 0.85
    by_text, _ = CurveModel(1 + 8, 1 + 6.4).posterior(flat, np.array([50.0]))
    assert abs(by_text[0]) < 0.001


def test_the_fitted_model_continues_a_decaying_curve():
    epochs = np.arange(1, 51)
    curve = 0.2 + 0.6 * np.exp(-0.15 * epochs) + 0.002 * np.random.default_rng(1).normal(size=50)
    mean, covariance = fitted_model(curve[:12]).posterior(curve[:12], np.array([50.0]))
    assert abs(mean[0] - curve[-1]) < 3 * math.sqrt(covariance[0, 0])
    assert mean[0] < curve[11]


def tree(first, steps):
    """All paths through a tree: every combination of the two errors of each step, each equally likely."""
    return np.array(list(itertools.product(*steps))).T


def exact(first, paths, incumbent, k1, k2, cost):
    """Decisions and losses by dynamic programming on histories, {history: (decision, loss)}."""
    found = {}

    def value(history):
        members = [p for p in paths.T if tuple(p[: len(history)]) == history]
        better = np.mean([p[-1] < incumbent for p in members])
        options = {STOP_WORSE: k1 * better, STOP_BETTER: k2 * (1 - better)}
        if len(history) < len(paths):
            following = [tuple(p[: len(history) + 1]) for p in members]
            options[CONTINUE] = cost + np.mean([value(h) for h in following])
        best = min(options.values())
        decision = next(d for d in (STOP_WORSE, STOP_BETTER, CONTINUE) if options.get(d, math.inf) <= best + 1e-12)
        found[history] = (decision, best)
        return best

    for history in {tuple(p[:1]) for p in paths.T}:
        value(history)
    return found


@pytest.mark.parametrize("prices", [(100, 99, 1), (3, 2, 0.5), (10, 1, 0.01), (1, 50, 4)])
def test_rules_equal_dynamic_programming_on_a_tree(prices):
    k1, k2, cost = prices
    first = np.array([0.5])
    steps = [(0.1037, 0.4219), (0.2041, 0.3357), (0.1513, 0.3427), (0.0523, 0.6011)]  # all averages differ
    paths = tree(first, steps)
    incumbent = 0.3
    rule = solve(first, paths, paths[-1], incumbent, k1=k1, k2=k2, step_cost=cost, n_intervals=19_997)
    expected = exact(first, paths, incumbent, k1, k2, cost)
    assert len(expected) == 2 + 4 + 8 + 16
    for history, (decision, loss) in expected.items():
        errors = np.array([*first, *history])
        assert rule.decide(errors) == decision
        assert rule.losses[len(history) - 1, rule.interval(errors.mean())] == pytest.approx(loss, rel=1e-6)


def test_hopeless_curves_are_stopped_and_promising_ones_are_not():
    rng = np.random.default_rng(0)
    flat = np.full(8, 0.8) + 0.001 * rng.normal(size=8)
    model = fitted_model(flat)
    observed, free = model.simulate(flat, 50, 20_000, rng)
    hopeless = solve(flat, observed, free[-1], incumbent=0.05)
    assert hopeless.decide(np.append(flat, 0.8)) == STOP_WORSE
    falling = 0.3 + 0.5 * np.exp(-0.1 * np.arange(1, 9))
    observed, free = fitted_model(falling).simulate(falling, 50, 20_000, rng)
    promising = solve(falling, observed, free[-1], incumbent=0.45)
    assert promising.decide(np.append(falling, 0.5)) != STOP_WORSE


def test_an_infinite_price_forbids_a_decision():
    paths = tree(None, [(0.1, 0.4), (0.2, 0.3)])
    rule = solve(np.array([0.5]), paths, paths[-1], 0.01, k1=math.inf)
    assert not (rule.decisions == STOP_WORSE).any()
    assert (solve(np.array([0.5]), paths, paths[-1], 0.01).decisions[0] == STOP_WORSE).any()


def test_where_no_curve_came_along_training_goes_on():
    paths = tree(None, [(0.1, 0.4), (0.2, 0.3)])
    rule = solve(np.array([0.5]), paths, paths[-1], 0.25)
    assert rule.decide(np.array([0.5, 100.0])) == CONTINUE
    assert rule.decide(np.array([0.5, -100.0])) == CONTINUE
    with pytest.raises(InvalidOption, match=r"after 2\.\.3 epochs, got the errors of 1"):
        rule.decide(np.array([0.5]))


def test_averages_may_leave_out_the_first_errors():
    """Two curves with equal averages over all epochs, and different ones after the first two."""
    paths = np.array([[0.2, 0.6], [0.2, 0.6]])
    rule = solve(np.array([0.9, 0.5]), paths, paths[-1], 0.4, skipped=2, span=(0.0, 1.0), n_intervals=10)
    assert (rule.low, rule.width) == (0.0, pytest.approx(0.1))
    assert rule.decide(np.array([0.9, 0.5, 0.6])) == STOP_WORSE
    assert rule.decide(np.array([0.1, 0.1, 0.6])) == STOP_WORSE
    assert rule.decide(np.array([0.9, 0.5, 0.2])) == STOP_BETTER
    assert rule.decide(np.array([0.9, 0.5, 0.45])) == CONTINUE  # no simulated curve


def test_training_goes_on_where_few_curves_pass():
    paths = np.array([[0.2] * 30 + [0.6] * 31] * 2)
    rule = solve(np.array([0.5]), paths, paths[-1], 0.4, skipped=1, span=(0.0, 1.0), least_paths=31)
    assert rule.decide(np.array([0.5, 0.6])) == STOP_WORSE
    assert rule.decide(np.array([0.5, 0.2])) == CONTINUE
    assert rule.decide(np.array([0.5, 0.2, 0.2])) == STOP_BETTER  # the last epoch has nothing to go on to


def test_schedule_and_second_condition():
    assert [k1_schedule(t) for t in (1, 2)] == [100, pytest.approx(100 / 0.95)]
    assert k1_schedule(5, rate=1.0) == 100
    assert is_certain(0.2, 0.1) and not is_certain(0.21, 0.1)
    with pytest.raises(InvalidOption, match="t >= 1"):
        k1_schedule(0)


def test_bad_input_is_refused():
    paths = np.ones((3, 4))
    for arguments, rule in (
        ((np.ones(2), paths, np.ones(5), 0.1), "final error per path"),
        ((np.ones(2), paths * np.nan, np.ones(4), 0.1), "finite"),
    ):
        with pytest.raises(InvalidOption, match=rule):
            solve(*arguments)
    with pytest.raises(InvalidOption, match="positive"):
        solve(np.ones(2), paths, np.ones(4), 0.1, step_cost=0)
    with pytest.raises(InvalidOption, match="intervals"):
        solve(np.ones(2), paths, np.ones(4), 0.1, n_intervals=0)
    with pytest.raises(InvalidOption, match="alpha"):
        CurveModel(0.0, 1.0)


def test_equal_curves_are_no_problem():
    rule = solve(np.full(3, 0.4), np.full((5, 10), 0.4), np.full(10, 0.4), 0.3)
    assert rule.decide(np.full(4, 0.4)) == STOP_WORSE
