"""asha-stop: decisions by the quantile of a rung, once and for all."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines import optimizer
from baselines.halving.asha_stop import lower_quantile
from hpo_core import Float, Space

BUDGETS = (1, 3, 9, 27)
SPACE = Space([Float("x", 0.0, 1.0)])


@given(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=30), st.floats(0.0, 0.99))
def test_the_quantile_is_that_of_numpy(losses, q):
    assert lower_quantile(sorted(losses), q) == pytest.approx(np.quantile(losses, q), abs=1e-9)


def test_decisions_are_those_of_the_rule():
    o = optimizer("asha-stop", SPACE, BUDGETS, 0)
    rng = np.random.default_rng(0)
    at_rung = {budget: [] for budget in BUDGETS}
    expected = None
    for _ in range(400):
        proposal = o.ask()
        if expected is not None:
            assert proposal == expected
        else:
            assert proposal.budget == 1
        loss = math.inf if rng.random() < 0.1 else float(rng.random())
        at_rung[proposal.budget].append(loss)
        o.tell(proposal, loss, 1.0)
        goes_on = loss < math.inf and proposal.budget < 27
        with np.errstate(invalid="ignore"):
            bar = np.quantile(at_rung[proposal.budget], 1 / 3, method="linear")
        goes_on = goes_on and (loss <= bar or np.isnan(bar))
        after = None if not goes_on else BUDGETS[BUDGETS.index(proposal.budget) + 1]
        expected = None if after is None else type(proposal)(proposal.config, after)
    assert all(at_rung.values())


def test_a_stopped_training_is_not_taken_up_again():
    o = optimizer("asha-stop", SPACE, BUDGETS, 0)
    first = o.ask()
    second = o.ask()
    o.tell(first, 0.5, 1.0)  # alone at its rung: goes on
    o.tell(second, 0.6, 1.0)  # above the bar of 0.533: stopped
    assert o.ask() == type(first)(first.config, 3)
    for loss in (0.9, 0.9, 0.9, 0.9):  # now second would be among the best third
        proposal = o.ask()
        assert proposal.budget == 1
        o.tell(proposal, loss, 1.0)
    assert o.ask().config != second.config
