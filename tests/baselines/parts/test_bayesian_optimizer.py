"""The optimizer around a `propose`: when it is called, with what, and what becomes of its row."""

import math

import numpy as np
import pytest

from baselines.parts.bayesian_optimizer import BayesianOptimizer
from baselines.parts.history import History
from baselines.parts.search.maximum import best_new_row, random_new_row
from hpo_core import Categorical, Condition, Constant, Float, Ordinal, Proposal, Space
from hpo_core.errors import InvalidOption
from hpo_models.features import Features

SPACE = Space([Float("x", 0.0, 1.0), Categorical("c", ["a", "b"])])


class Recorder:
    """Proposes x = 0.25, c = b, and keeps the snapshots."""

    def __init__(self):
        self.snapshots = []

    def propose(self, snapshot, rng):
        self.snapshots.append(snapshot)
        return np.array([0.25, 0.0, 1.0])


def test_the_function_is_called_after_the_initial_proposals_and_a_finite_loss():
    recorder = Recorder()
    o = BayesianOptimizer(SPACE, recorder.propose, 2, 0, name="mine")
    first, second, third = (o.ask() for _ in range(3))
    assert not recorder.snapshots  # nothing was told yet
    o.tell(first, math.inf, 1.0)
    o.ask()
    assert not recorder.snapshots  # nothing finite
    o.tell(third, 0.5, 1.0)
    assert o.ask().config == {"x": 0.25, "c": "b"} and o.name == "mine"
    (snapshot,) = recorder.snapshots
    np.testing.assert_array_equal(snapshot.told, [math.inf, math.nan, 0.5, math.nan])
    assert snapshot.rows[1, 0] == pytest.approx(second.config["x"])


def test_initial_proposals_are_made_whatever_was_told():
    recorder = Recorder()
    o = BayesianOptimizer(SPACE, recorder.propose, 3, 0, name="mine")
    for n_called in (0, 0, 0, 1, 2):
        o.tell(o.ask(), 0.5, 1.0)
        assert len(recorder.snapshots) == n_called


def test_initial_proposals_may_be_given():
    o = BayesianOptimizer(
        SPACE, Recorder().propose, 2, 0, name="mine", initial=lambda s, rng: np.array([0.5, 1.0, 0.0])
    )
    assert o.ask().config == {"x": 0.5, "c": "a"}


def test_a_space_of_one_point_needs_no_model():
    recorder = Recorder()
    o = BayesianOptimizer(Space([Constant("k", 3)]), recorder.propose, 1, 0, name="mine")
    for _ in range(3):
        o.tell(o.ask(), 0.1, 1.0)
    assert not recorder.snapshots


def test_it_needs_a_random_configuration_first():
    with pytest.raises(InvalidOption, match="n_initial"):
        BayesianOptimizer(SPACE, Recorder().propose, 0, 0, name="mine")


def test_what_is_switched_off_is_absent_from_a_proposal_and_default_in_the_rows():
    conditional = Space([Categorical("c", ["a", "b"]), Float("x", 0, 1)], [Condition("x", "c", ("a",))])
    recorder = Recorder()
    o = BayesianOptimizer(conditional, recorder.propose, 12, 0, name="mine")
    configs = []
    for _ in range(13):
        proposal = o.ask()
        configs.append(proposal.config)
        o.tell(proposal, 0.1, 1.0)
    rows = recorder.snapshots[0].rows
    assert {"x" in config for config in configs[:12]} == {True, False}
    for config, row in zip(configs, rows, strict=False):
        assert conditional.check(config) == config
        assert row.tolist() == pytest.approx(
            [config.get("x", 0.5), float(config["c"] == "a"), float(config["c"] == "b")]
        )


def test_new_rows_are_preferred_and_known_ones_are_the_last_resort():
    space = Space([Ordinal("o", [1, 2, 3])])
    features, history, rng = Features(space), History(1), np.random.default_rng(0)
    rows = features.snap(np.array([[0.1], [0.5], [0.9]]))
    for row in rows[:2]:
        history.propose(Proposal({}), row)
    snapshot = history.snapshot(features)
    assert {float(random_new_row(snapshot, rng)[0]) for _ in range(20)} == {rows[2, 0]}
    assert best_new_row(snapshot, rows, np.array([3.0, 2.0, 1.0]), rng) == rows[2]
    assert best_new_row(snapshot, rows[:2], np.array([3.0, 2.0]), rng) == rows[2]  # all are known: a random new one
    history.propose(Proposal({}), rows[2])
    assert random_new_row(history.snapshot(features), rng) in rows
