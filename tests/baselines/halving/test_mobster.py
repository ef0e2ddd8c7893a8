"""MOBSTER: the promotions of ASHA, and configurations from a process across budgets."""

import math

import numpy as np
import pytest

from baselines import optimizer
from baselines.halving.mobster import acquisition_level
from hpo_core import Float, Space

BUDGETS = (1, 3, 9, 27)
SPACE = Space([Float("x", 0.0, 1.0), Float("y", 0.0, 1.0)])


def loss(config, budget):
    return (config["x"] - 0.3) ** 2 + (config["y"] - 0.6) ** 2 + 0.3 / budget


def searched(o, n, loss=loss):
    asked = []
    for _ in range(n):
        asked.append(o.ask())
        o.tell(asked[-1], loss(asked[-1].config, asked[-1].budget), 1.0)
    return asked


@pytest.mark.parametrize(
    ("levels", "expected"), [([0], 0), ([0, 0, 0, 1, 1], 0), ([0, 0, 1, 1, 1], 1), ([0, 0, 0, 2, 2, 2, 3, 3], 2)]
)
def test_the_level_of_the_acquisition_is_the_highest_with_three_results(levels, expected):
    assert acquisition_level(np.array(levels)) == expected


def test_promotions_are_those_of_asha():
    ours, asha = optimizer("mobster", SPACE, BUDGETS, 0, n_initial=1000), optimizer("asha", SPACE, BUDGETS, 0)
    rng = np.random.default_rng(0)
    for _ in range(150):  # the same losses in the same order: the same rungs, whatever the configurations are
        value = math.inf if rng.random() < 0.1 else float(rng.random())
        one, other = ours.ask(), asha.ask()
        assert one.budget == other.budget
        ours.tell(one, value, 1.0)
        asha.tell(other, value, 1.0)


@pytest.mark.slow
def test_new_configurations_come_close_to_the_optimum():
    distances = []
    for seed in range(3):
        asked = searched(optimizer("mobster", SPACE, BUDGETS, seed), 50)
        new = [proposal.config for proposal in asked if proposal.budget == 1]
        distances += [math.dist((c["x"], c["y"]), (0.3, 0.6)) for c in new[-10:]]
    assert np.median(distances) < 0.1  # of random ones 0.36


def test_the_first_configurations_are_random_and_many_results_are_thinned(monkeypatch):
    monkeypatch.setattr("baselines.halving.mobster.MOST", 10)
    o = optimizer("mobster", SPACE, BUDGETS, 0)
    asked = searched(o, 30)
    assert o.n_random == 6 < sum(proposal.budget == 1 for proposal in asked)
    assert len(o._process.y) == 10
