"""Decompositions and bounds of Ram et al. (2022), against numbers worked out by hand and against each other."""

import math

import numpy as np
import pytest

from baselines.deployment import inner_tolerance, retrain
from baselines.excess_risk import (
    hold_in_bound,
    misspecification_bound,
    retrained_bound,
    risk_terms,
    selected_bound,
    tighter_selected_bound,
)
from hpo_core.errors import InvalidOption


def test_terms_add_up_to_the_excess_risks():
    terms = risk_terms(selected=0.25, oracle=0.22, exact=0.20, best_in_class=0.15, bayes=0.05)
    assert terms == pytest.approx((0.03, 0.02, 0.05, 0.10, 0.0))
    assert terms.total == pytest.approx(0.25 - 0.05)
    again = risk_terms(0.25, 0.22, 0.20, 0.15, 0.05, retrained=0.21)
    assert again.hold_in == pytest.approx(-0.04)
    assert again.total == pytest.approx(0.21 - 0.05)


def test_selected_bound_by_hand():
    # B' = 2 sqrt(log(2 * 37 / 0.05)) = 2 sqrt(7.29980) = 5.40363; 2 / sqrt(800) + 1 / sqrt(200) = 0.1414214
    assert selected_bound(400, 100, 36) == pytest.approx(5.40363 * 0.1414214, rel=1e-5)
    classes = {"complexities": [0.01, 0.02, 0.001], "approximations": [0.1, 0.0, 0.2]}  # 0.18, 0.16, 0.208
    assert selected_bound(400, 100, 36, rho_in=0.05, **classes) == pytest.approx(0.16 + 0.05 + 0.764189, rel=1e-5)
    assert selected_bound(400, 100, 36, beta=2.0, **classes) == pytest.approx(0.216 + 0.764189, rel=1e-5)
    assert selected_bound(400, 100, 36, B=3.0) == pytest.approx(3 * 0.764189, rel=1e-5)


def test_the_heuristics_are_shares_of_the_bounds():
    assert inner_tolerance(300, 50, 18, gamma=0.1) == pytest.approx(0.1 * selected_bound(300, 50, 18))
    for improvement in (0.1, 0.17118, 0.1712, 0.3):  # the bound is 0.17119 for 2,000 rows and 36 configurations
        assert retrain(improvement, 0.0, n=2000, L=36) == (hold_in_bound(improvement, 2000, 36) < 0)


def test_retrained_bound_is_the_selected_one_plus_that_of_the_hold_in_risk():
    # both with log(2 (L + 2) / delta): a delta for which selected_bound and misspecification_bound have the same
    m, mu, L = 400, 100, 36
    delta = 0.05 * 37 / 38
    expected = selected_bound(m, mu, L, rho_in=0.02, delta=delta) + hold_in_bound(0.07, m + mu, L, complexity=0.003)
    assert retrained_bound(m, mu, L, improvement=0.07, rho_in=0.02, complexity=0.003) == pytest.approx(expected)
    plain = retrained_bound(m, mu, L, improvement=0.07)
    assert retrained_bound(m, mu, L, improvement=0.07, exact_improvement=0.2, rho_out=0.1) == plain  # 0.2 - 0.1 - 0.2
    better = retrained_bound(m, mu, L, improvement=0.07, exact_improvement=0.5, rho_out=0.1)
    assert better == pytest.approx(plain + 0.07 - 0.2)


def test_misspecification_bound_by_hand_and_in_simulations():
    assert misspecification_bound(100, 36) == pytest.approx(5.40363 / math.sqrt(200), rel=1e-5)
    rng = np.random.default_rng(0)
    risks = rng.uniform(0.2, 0.4, 36)  # of 36 models, measured on 100 held-out rows in each of 2,000 simulations
    measured = rng.binomial(100, risks, (2000, 36))
    found = risks[measured.argmin(axis=1)] - risks.min()
    assert found.max() > 0
    assert np.mean(found > misspecification_bound(100, 36)) <= 0.05


def test_tighter_bound_is_the_minimum_over_theta():
    m, mu, L, log = 5000, 400, 36, math.log(73 / 0.05)
    for tau, rho_in in ((1 / mu, 0.1), (1e-5, 0.0), (0.5, 0.0)):
        theta = np.linspace(1e-6, 1, 1_000_001)
        inner = rho_in + 2 * math.sqrt(2 * log / m) + 4 * log * (tau / theta + 2 / (3 * mu))
        expected = np.min((1 + theta) * inner)
        assert tighter_selected_bound(m, mu, L, tau=tau, rho_in=rho_in) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize(
    ("call", "rule"),
    [
        (lambda: selected_bound(10, 5, 3, complexities=[0.1, 0.2]), "a number for each"),
        (lambda: misspecification_bound(10, 3, delta=1.0), "delta must"),
    ],
)
def test_what_makes_no_sense_is_refused(call, rule):
    with pytest.raises(InvalidOption, match=rule):
        call()
