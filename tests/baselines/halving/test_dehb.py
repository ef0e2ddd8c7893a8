"""DEHB: the first round is Hyperband's, later ones evolve from the rung below."""

import math

import numpy as np
import pytest

from baselines import optimizer
from baselines.halving.dehb import DEHB, Population, offspring
from hpo_core import Float, Space
from hpo_core.errors import InvalidOption

BUDGETS = (1, 3, 9, 27)
FIRST = [(27, 1), (9, 3), (3, 9), (1, 27)]  # evaluations and budget of each rung of the first bracket
ROUND = [*FIRST, (12, 3), (4, 9), (1, 27), (6, 9), (2, 27), (4, 27)]
SPACE = Space([Float("x", 0.0, 1.0), Float("y", 0.0, 1.0)])


def loss(config):
    return (config["x"] - 0.3) ** 2 + (config["y"] - 0.6) ** 2


def rung(o, n, losses=loss):
    """Proposals of the next n evaluations, told one by one."""
    asked = []
    for _ in range(n):
        asked.append(o.ask())
        o.tell(asked[-1], losses(asked[-1].config), 1.0)
    return asked


def point(config):
    return [config["x"], config["y"]]


def test_rungs_are_those_of_hyperband_in_every_round():
    o = optimizer("dehb", SPACE, BUDGETS, 0)
    for _ in range(2):
        for n, budget in ROUND:
            assert {proposal.budget for proposal in rung(o, n)} == {budget}
    assert {budget: population.size for budget, population in o.populations.items()} == {1: 27, 3: 12, 9: 6, 27: 4}


def test_the_first_bracket_continues_the_best():
    o = optimizer("dehb", SPACE, BUDGETS, 1)
    before = [proposal.config for proposal in rung(o, 27)]
    assert o.n_random == 27
    for n, _ in FIRST[1:]:
        best = sorted(before, key=loss)[:n]
        before = [proposal.config for proposal in rung(o, n)]
        assert before == best


def test_later_rungs_of_the_first_round_continue_what_is_not_there_yet():
    o = optimizer("dehb", SPACE, BUDGETS, 2)
    for n, _ in FIRST:
        rung(o, n)
    rung(o, 12)
    at_nine = [p for _, p in o.populations[9].members.values()]
    expected = [p for p in o.populations[3].best(12) if p not in at_nine][:4]
    assert [point(proposal.config) for proposal in rung(o, 4)] == expected


def test_parents_of_later_rounds_are_the_best_of_the_rung_below():
    o = DEHB(SPACE, budgets=BUDGETS, seed=3, mutation=0.0, crossover=1.0)  # a child is one of its parents
    for n, _ in ROUND:
        rung(o, n)
    below = o.populations[1]
    for k, (n, budget) in enumerate(ROUND):
        if k and budget > ROUND[k - 1][1]:
            parents = o.populations[ROUND[k - 1][1]].best(n)
            allowed = parents if len(parents) >= 3 else None  # a few are filled up from all populations
        else:
            below = o.populations[budget]
            allowed = below.best(below.size)
        for proposal in rung(o, n):
            assert allowed is None or point(proposal.config) in allowed


def test_a_child_by_hand():
    a, b, c = [0.2, 0.9, 0.5], [0.6, 0.8, 0.5], [0.4, 0.2, 0.9]
    numbers = iter([0.0, 0.0, 0.0, 0.5, 0.9, 0.7, 0.1, 0.05])  # a, b, c; coordinate 1 always; then CR, and a redraw
    child = offspring([0.1, 0.1, 0.1], [a, b, c], 0.5, 0.5, numbers)
    # coordinate 0: 0.9 >= CR keeps the target; 1: 0.9 + 0.5 * 0.6 = 1.2 is drawn again, 0.7; 2: 0.1 < CR, 0.5 - 0.2
    assert child == pytest.approx([0.1, 0.7, 0.3])


def test_selection_takes_equal_losses_and_no_failures():
    population = Population(2)
    population.compete(0, math.inf, [0.0])
    assert population.members == {}
    for value, where in ((1.0, 0.1), (1.0, 0.2), (2.0, 0.3), (math.inf, 0.4)):
        population.compete(0, value, [where])
    assert population.members == {0: (1.0, [0.2])}
    assert [population.next_target() for _ in range(3)] == [0, 1, 0]


def test_evolution_comes_closer_than_hyperband():
    found = {"dehb": [], "hyperband": []}
    for name, regrets in found.items():
        for seed in range(5):
            o = optimizer(name, SPACE, BUDGETS, seed)
            asked = rung(o, 5 * sum(n for n, _ in ROUND))
            regrets.append(min(loss(proposal.config) for proposal in asked))
    assert np.median(found["dehb"]) < 0.2 * np.median(found["hyperband"])


def test_all_failures_leave_random_configurations():
    o = optimizer("dehb", SPACE, BUDGETS, 0)
    rung(o, 200, lambda config: math.inf)
    assert o.n_random == 200


def test_bad_options_are_named():
    with pytest.raises(InvalidOption, match="crossover must be a number in"):
        optimizer("dehb", SPACE, BUDGETS, 0, crossover=1.5)
