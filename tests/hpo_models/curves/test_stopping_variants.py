"""The two ways from a curve to a rule: what each stops, and what the authors' code leaves out."""

import numpy as np
import pytest

from hpo_models.curves.decay_gp import likely_model
from hpo_models.curves.optimal_stopping import CONTINUE, STOP_WORSE
from hpo_models.curves.stopping_variants import VARIANTS, rule_of_the_code

N, N0 = 50, 8
FLAT = np.full(N, 0.8)


@pytest.mark.parametrize("name", VARIANTS)
def test_a_flat_curve_far_above_the_incumbent_is_stopped_and_one_below_is_not(name):
    rule, _, _ = VARIANTS[name]
    rng = np.random.default_rng(0)
    worse = rule(FLAT[:N0], N, 0.1, 100.0, 20_000, rng)
    assert worse.decide(FLAT[: N0 + 5]) == STOP_WORSE
    better = rule(FLAT[:N0], N, 0.95, 100.0, 20_000, rng)
    assert better.decide(FLAT[: N0 + 5]) != STOP_WORSE


def test_the_code_s_rule_averages_after_the_initial_epochs_over_unit_intervals():
    rule = rule_of_the_code(FLAT[:N0], N, 0.1, 100.0, 20_000, np.random.default_rng(0))
    assert (rule.skipped, rule.first_epoch, rule.decisions.shape) == (N0, N0 + 1, (N - N0, 99))
    assert (rule.low, rule.width) == (0.0, pytest.approx(1 / 99))
    other = np.concatenate([np.zeros(N0), FLAT[N0 : N0 + 5]])
    assert rule.decide(other) == rule.decide(FLAT[: N0 + 5])


def test_the_code_s_rule_rejects_curves_that_leave_the_unit_interval():
    """A curve that falls to 0.05: many simulated ones cross 0. The others, picked by hand, are what the rule sees."""
    errors = 0.05 + 0.5 * np.exp(-0.5 * np.arange(1, N0 + 1))
    _, free = likely_model(errors).simulate(errors, N, 2_000, np.random.default_rng(1))
    inside = ((free > 0) & (free < 1)).all(axis=0)
    assert 31 <= inside.sum() < 1_500
    rule = rule_of_the_code(errors, N, 0.5, 100.0, 2_000, np.random.default_rng(1))
    last = np.bincount((free[:, inside].mean(axis=0) * 99).astype(int), minlength=99) > 0
    np.testing.assert_array_equal(rule.decisions[-1] >= 0, last)
    assert rule_of_the_code(errors + 3, N, 0.5, 100.0, 2_000, np.random.default_rng(1)) is None


def test_the_code_s_rule_goes_on_in_intervals_of_thirty_curves_or_fewer():
    errors = np.full(N0, 0.5)
    _, free = likely_model(errors).simulate(errors, N, 3_000, np.random.default_rng(2))
    inside = free[:, ((free > 0) & (free < 1)).all(axis=0)]
    counts = np.bincount((inside[0] * 99).astype(int), minlength=99)
    rule = rule_of_the_code(errors, N, 0.01, 100.0, 3_000, np.random.default_rng(2))
    few, many = (counts > 0) & (counts <= 30), counts > 30
    assert few.any() and (rule.decisions[0, few] == CONTINUE).all()
    assert (rule.decisions[0, many] == STOP_WORSE).all()
