"""DPL: one step of one training at a time."""

import math

import numpy as np
import pytest

from baselines import optimizer
from baselines.curves.dpl import shares_of_range
from hpo_core import Categorical, Float, Int, Space

BUDGETS = tuple(range(1, 11))
SPACE = Space([Float("x", 0.0, 1.0), Float("y", 0.0, 1.0)])


def curve(config, budget):
    return (config["x"] - 0.3) ** 2 + (config["y"] - 0.6) ** 2 + 0.3 * budget**-0.5


def searched(o, n, loss=curve):
    asked = []
    while len(asked) < n and (proposal := o.ask()) is not None:
        asked.append(proposal)
        o.tell(proposal, loss(proposal.config, proposal.budget), 1.0)
    return asked


def test_losses_are_shares_of_their_range():
    losses = np.array([0.2, 0.4, 1.0, 5.0, math.inf])
    assert shares_of_range(losses, 1.0) == pytest.approx([0.0, 0.25, 1.0, 1.0, 1.0])
    assert shares_of_range(losses, math.inf)[2] == pytest.approx(0.8 / 4.8)
    assert shares_of_range(np.array([2.0, 2.0]), 2.0).tolist() == [0.0, 0.0]


def test_every_training_goes_on_by_one_step():
    o = optimizer("dpl", SPACE, BUDGETS, 0)
    steps = {}
    for proposal in searched(o, 30):
        key = tuple(proposal.config.items())
        steps.setdefault(key, []).append(proposal.budget)
    assert all(budgets == list(BUDGETS[: len(budgets)]) for budgets in steps.values())
    assert len(steps) == o.n_trainings > 1


@pytest.mark.slow
def test_the_search_comes_closer_than_random_configurations():
    found = [searched(optimizer("dpl", SPACE, BUDGETS, seed), 80) for seed in (1, 2)]
    distances = [[math.dist(proposal.config.values(), (0.3, 0.6)) for proposal in asked] for asked in found]
    assert max(np.median(d[40:]) for d in distances) < 0.25  # of random configurations 0.4
    assert max(min(d) for d in distances) < 0.15


def test_a_failed_training_ends():
    asked = searched(optimizer("dpl", SPACE, BUDGETS, 0), 25, lambda c, b: math.inf if b == 3 else curve(c, b))
    assert max(proposal.budget for proposal in asked) == 3


def test_a_small_space_is_trained_to_the_end_and_no_further():
    small = Space([Categorical("c", ["a", "b"]), Int("i", 0, 1)])
    o = optimizer("dpl", small, (1, 2, 3), 0)
    asked = searched(o, 99, lambda c, b: 1.0 + c["i"] + 1 / b)
    assert len(asked) == 4 * 3 == len({(*proposal.config.values(), proposal.budget) for proposal in asked})


def test_nothing_is_proposed_twice_while_it_is_pending():
    o = optimizer("dpl", SPACE, BUDGETS, 0)
    searched(o, 12)
    pending = [o.ask() for _ in range(8)]
    assert len({tuple(proposal.config.items()) for proposal in pending}) == 8


def test_step_takes_every_second_budget():
    asked = searched(optimizer("dpl", SPACE, BUDGETS, 0, step=2), 15)
    assert {proposal.budget for proposal in asked} <= {2, 4, 6, 8, 10}
