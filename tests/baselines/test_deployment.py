"""The heuristics of Ram et al. (2022), against their formulas worked out by hand."""

import math
from itertools import pairwise

import pytest

from baselines.deployment import inner_tolerance, outer_tolerance, retrain
from hpo_core.errors import InvalidOption


def test_retraining_needs_an_improvement_above_the_bound():
    # 2 sqrt(2 log(2 * 38 / 0.05) / 2000) = 2 sqrt(2 * 7.3265 / 2000) = 0.171190
    assert retrain(0.2713, 0.1, n=2000, L=36)
    assert not retrain(0.2711, 0.1, n=2000, L=36)
    assert not retrain(2 * 0.2711, 2 * 0.1, n=2000, L=36, B=2.0)
    assert retrain(0.2711, 0.1, n=2000, L=35)
    assert retrain(0.2711, 0.1, n=2000, L=36, delta=0.06)


def test_inner_tolerance_is_equation_10():
    # sqrt(2 log(2 * 37 / 0.05)) = sqrt(2 * 7.29980) = 3.82094; 2 / 20 + 1 / 10 = 0.2
    assert inner_tolerance(400, 100, 36) == pytest.approx(0.1 * 3.82094 * 0.2, rel=1e-5)
    assert inner_tolerance(400, 100, 36, gamma=1.0, B=3.0) == pytest.approx(3 * 3.82094 * 0.2, rel=1e-5)
    assert inner_tolerance(1600, 400, 36) == pytest.approx(inner_tolerance(400, 100, 36) / 2)


def test_outer_tolerance_shrinks_while_it_pays():
    asked = []

    def improvement(rho):
        asked.append(rho)
        return 0.5 - rho  # each halving gains half of the tolerance

    rho_in, m, mu, L = 0.4, 900, 100, 36
    kappa = rho_in + math.sqrt(2 * math.log(2 * 38 / 0.05)) * (2 / math.sqrt(1000) + 2 / 30 + 1 / 10)
    tried = outer_tolerance(improvement, rho_in, m, mu, L, gamma=0.03)
    assert [rho for rho, _ in tried] == asked == [0.4 / 2**k for k in range(len(tried))]
    gains = [b[1] - a[1] for a, b in pairwise(tried)]
    assert all(gain > 0.03 * kappa for gain in gains[:-1])
    assert gains[-1] <= 0.03 * kappa
    assert len(tried) == 5  # gains of 0.2, 0.1, 0.05 and 0.025 against 0.0384


def test_outer_tolerance_ends_at_once_where_nothing_improves_and_after_max_steps_in_any_case():
    assert len(outer_tolerance(lambda rho: 0.1, 0.1, 90, 10, 5)) == 2
    assert len(outer_tolerance(lambda rho: -math.log(rho), 0.1, 90, 10, 5, max_steps=7)) == 8


@pytest.mark.parametrize(
    ("call", "rule"),
    [
        (lambda: retrain(0.1, 0.0, n=0, L=3), "n must be a number of rows"),
        (lambda: retrain(0.1, 0.0, n=10, L=0), "L must be"),
        (lambda: retrain(0.1, 0.0, n=10, L=3, delta=1.0), "delta must"),
        (lambda: retrain(0.1, 0.0, n=10, L=3, B=0.0), "B must be"),
        (lambda: inner_tolerance(10, 0, 3), "mu must be"),
        (lambda: inner_tolerance(10, 5, 3, gamma=math.nan), "gamma must be"),
        (lambda: outer_tolerance(float, 0.1, 10, 5, 3, nu=1.0), "nu must"),
        (lambda: outer_tolerance(float, 0.0, 10, 5, 3), "rho_in must"),
    ],
)
def test_what_makes_no_sense_is_refused(call, rule):
    with pytest.raises(InvalidOption, match=rule):
        call()
