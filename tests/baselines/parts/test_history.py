"""What an optimizer has asked for and been told, and the snapshots that proposals are made from."""

import math

import numpy as np
import pytest

from baselines.parts.history import History
from hpo_core import Float, Proposal, Space
from hpo_core.running.optimizer import UnknownProposal
from hpo_models.features import Features

FEATURES = Features(Space([Float("x", 0.0, 1.0)]))


def asked(history, values, level=0):
    return [history.propose(Proposal({"x": x}), np.array([x]), level) for x in values]


def test_losses_are_ranked_and_found_by_index():
    history = History(1)
    proposals = asked(history, np.arange(6) / 10)
    assert (len(history), history.n_finite, history.best(3)) == (6, 0, [])
    for index, loss in [(4, 2.0), (1, 1.0), (3, math.inf), (0, 1.0), (2, 0.5)]:  # 5 stays pending
        assert history.tell(proposals[index], loss, 1.0) == index
    assert history.n_finite == 4
    assert history.best(2) == [0, 2]  # of two equal losses the older row
    assert history.best(9) == [0, 1, 2, 4]
    with pytest.raises(UnknownProposal):
        history.tell(proposals[0], 1.0, 1.0)


def test_pending_trials_stand_with_the_median_and_failed_ones_with_the_worst():
    history = History(1)
    proposals = asked(history, np.arange(5) / 10)
    for proposal, loss in zip(proposals, (3.0, 1.0, math.inf, 9.0), strict=False):
        history.tell(proposal, loss, 2.0)
    snapshot = history.snapshot(FEATURES)
    np.testing.assert_array_equal(snapshot.losses, [3.0, 1.0, 9.0, 9.0, 3.0])
    np.testing.assert_array_equal(snapshot.told, [3.0, 1.0, math.inf, 9.0, math.nan])
    np.testing.assert_array_equal(snapshot.costs, [2.0, 2.0, 2.0, 2.0, math.nan])
    np.testing.assert_array_equal(snapshot.best, [0.1])


def test_a_snapshot_stays_as_it_is():
    history = History(1)
    first, second = asked(history, (0.1, 0.2))
    history.tell(first, 4.0, 1.0)
    snapshot = history.snapshot(FEATURES)
    history.tell(second, 2.0, 1.0)
    asked(history, np.linspace(0.3, 0.9, 200))  # more than the first arrays hold
    assert len(snapshot) == 2 and snapshot.is_new(np.array([0.3]))
    np.testing.assert_array_equal(snapshot.losses, [4.0, 4.0])
    with pytest.raises(ValueError, match="read-only"):
        snapshot.rows[0] = 0.5
    later = history.snapshot(FEATURES)
    assert len(later) == 202 and later.told[1] == 2.0 and np.isnan(later.told[2:]).all()
    np.testing.assert_array_equal(later.rows[:, 0], [0.1, 0.2, *np.linspace(0.3, 0.9, 200)])


def test_a_row_is_known_at_the_levels_that_it_was_asked_for_at_and_can_be_forgotten():
    history = History(1, full=2)
    asked(history, (0.5,), level=1)
    asked(history, (0.7,), level=2)
    snapshot = history.snapshot(FEATURES)
    half, other = np.array([0.5 + 1e-12]), np.array([0.7])  # rounding does not make a row a new one
    assert [snapshot.is_new(half, level) for level in (0, 1, 2)] == [True, False, True]
    assert snapshot.is_new(half) and not snapshot.is_new(other)  # at the full budget unless another level is given
    assert snapshot.levels.tolist() == [1, 2]
    history.forget(1)
    assert history.snapshot(FEATURES).is_new(other) and not snapshot.is_new(other)


def test_rows_may_be_told_at_once():
    history = History(1)
    assert history.observe(np.array([0.3]), 5.0, 2.0, level=3) == 0
    assert history.observe(np.array([0.4]), math.inf, 1.0) == 1
    snapshot = history.snapshot(FEATURES)
    assert (snapshot.levels.tolist(), snapshot.told.tolist()) == ([3, 0], [5.0, math.inf])
