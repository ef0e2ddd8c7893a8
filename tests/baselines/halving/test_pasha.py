"""PASHA: when the highest rung grows."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines import optimizer
from baselines.halving.pasha import crossed_twice, is_stable
from hpo_core import Float, Space

BUDGETS = tuple(range(1, 28))
RUNGS = (1, 3, 9, 27)
SPACE = Space([Float("x", 0.0, 1.0)])


def searched(loss, n, budgets=BUDGETS):
    o = optimizer("pasha", SPACE, budgets, 0)
    asked = []
    for _ in range(n):
        asked.append(o.ask())
        o.tell(asked[-1], loss(asked[-1].config["x"], asked[-1].budget), 1.0)
    return o, asked


def grouped(losses, epsilon):
    """The definition with groups: the configuration at each rank is in the group of that rank at the rung below."""
    lower = sorted(range(len(losses)), key=lambda i: losses[i][0])
    upper = sorted(range(len(losses)), key=lambda i: losses[i][1])
    groups = [{j for j in lower if abs(losses[j][0] - losses[i][0]) <= epsilon} for i in lower]
    return all(i in group for i, group in zip(upper, groups, strict=True))


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), max_size=8), st.floats(0, 0.5))
def test_soft_ranking_is_that_of_groups(losses, epsilon):
    assert is_stable(losses, epsilon) == grouped(losses, epsilon)


def test_pairs_that_crossed_twice_by_hand():
    one = {1: 0.9, 2: 0.5, 3: 0.4, 4: 0.3}
    assert not crossed_twice(one, {1: 0.8, 2: 0.4, 3: 0.3, 4: 0.2})  # always above
    assert not crossed_twice(one, {1: 0.8, 2: 0.6, 3: 0.5, 4: 0.4})  # crossed once
    assert crossed_twice(one, {1: 0.8, 2: 0.6, 3: 0.5, 4: 0.2})
    assert not crossed_twice(one, {1: 0.8, 2: 0.5, 3: 0.4, 4: 0.2})  # touched
    assert crossed_twice(one, {1: 0.8, 2: 0.6, 4: 0.2})  # by the budgets that both have


def test_a_stable_ranking_keeps_the_second_rung():
    o, asked = searched(lambda x, budget: x + 1 / budget, 400)
    assert o.highest == 3 and o.epsilon == 0.0
    assert {proposal.budget for proposal in asked} == {1, 2, 3}


def test_a_ranking_that_turns_grows_up_to_the_full_budget():
    o, asked = searched(lambda x, budget: x * (-1) ** RUNGS.index(min(r for r in RUNGS if r >= budget)), 600)
    assert o.highest == 27 == max(proposal.budget for proposal in asked)


def test_the_noise_of_a_ranking_is_estimated():
    rng = np.random.default_rng(0)
    o, _ = searched(lambda x, budget: round(x, 1) + 0.01 * rng.standard_normal(), 3000)
    assert 0.01 < o.epsilon < 0.06  # differences of two normal numbers have a 90 % quantile of 0.023


def test_a_training_goes_through_all_budgets_on_its_way_to_a_rung():
    _, asked = searched(lambda x, budget: x * (-1) ** budget, 300)
    seen = {}
    for proposal in asked:
        seen.setdefault(proposal.config["x"], []).append(proposal.budget)
    for budgets in seen.values():
        assert budgets == list(range(1, len(budgets) + 1))
        assert len(budgets) in RUNGS or budgets is seen[asked[-1].config["x"]]


def test_what_failed_is_not_continued():
    _, asked = searched(lambda x, budget: math.inf if budget == 2 else x, 100)
    assert max(proposal.budget for proposal in asked) == 2


def test_two_rungs_are_always_in_use():
    o, asked = searched(lambda x, budget: x, 50, budgets=(1, 3))
    assert o.highest == 3
    assert {proposal.budget for proposal in asked} == {1, 3}
    assert o.epsilon == pytest.approx(0.0)
