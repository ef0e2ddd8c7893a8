"""Choices by information per cost: when the full budget is due, and which budget says most, by hand."""

import numpy as np
import pytest

from baselines.budgets.fabolas import SizeModel
from baselines.budgets.mtbo import TaskModel
from baselines.parts.beliefs import Beliefs, believe, observations
from baselines.parts.cost_aware_optimizer import CostAwareOptimizer
from baselines.parts.history import History, row_key
from baselines.parts.information_per_cost import Choice, InformationPerCost, best_new, most_telling
from hpo_core import Ordinal, Proposal, Space
from hpo_models.features import Features
from hpo_models.gp.fabolas import cost_points, relative_sizes
from hpo_models.gp.product import condition
from hpo_models.gp.product_posterior import Parts

BUDGETS = tuple(2.0**k for k in range(-7, 1))
SPACE = Space([Ordinal("x", list(range(13))), Ordinal("y", list(range(13)))])
FEATURES = Features(SPACE)
SIZES = relative_sizes(BUDGETS)
TASKS = TaskModel(2, [])
MODELS = {
    "fabolas": (SizeModel(SIZES), lambda rows, levels: cost_points(rows, SIZES[levels]), 7),
    "mtbo": (TASKS, TASKS.cost_points, 1),
}
both = pytest.mark.parametrize("name", MODELS)


def history_of(full, n, n_pending=0, seed=0):
    """n trials of a bowl at the lower levels, of which higher ones cost more, and some that are pending."""
    history, rng = History(FEATURES.width, full), np.random.default_rng(seed)
    for index, row in enumerate(FEATURES.sample_prior(rng, n + n_pending)):
        level = index % full
        proposal = history.propose(Proposal({"index": index}), row, level)
        if index < n:
            history.tell(proposal, float(np.sum((row - 0.6) ** 2)) + 0.1 / (1 + level), 2.0 ** (level - full))
    return history


@both
def test_the_predicted_incumbent_is_evaluated_in_full_when_its_time_has_come(name):
    model, points, full = MODELS[name]
    history, rng = history_of(full, 14), np.random.default_rng(0)
    snapshot = history.snapshot(FEATURES)
    (process,) = model.fit(observations(snapshot), FEATURES.groups, rng)
    means, _ = process.predict(model.points(snapshot.rows, np.full(14, full)))
    incumbent = snapshot.rows[int(np.argmin(means))]

    choice = InformationPerCost(model, points, 0.2)
    first = choice.propose(snapshot, 1e9, rng)
    assert first.level == full
    np.testing.assert_array_equal(first.row, incumbent)
    np.testing.assert_array_equal(first.incumbent, incumbent)

    history.observe(incumbent, 0.0, 1.0, full)
    second = choice.propose(history.snapshot(FEATURES), 1e9, rng)  # the same is due, but was evaluated there
    assert second.level == full and row_key(second.row) != row_key(incumbent)
    assert choice.propose(history.snapshot(FEATURES), 0.0, rng).level < full  # nothing is due


@both
def test_the_model_believes_in_what_is_pending(name):
    model, _, full = MODELS[name]
    rng = np.random.default_rng(0)
    known = believe(model, history_of(full, 12).snapshot(FEATURES), rng)
    pending = believe(model, history_of(full, 12, n_pending=1).snapshot(FEATURES), rng)
    assert (len(known.processes[0].y), len(pending.processes[0].y), len(pending.observed.values)) == (12, 13, 12)
    row, level = pending.snapshot.rows[12:], pending.snapshot.levels[12:]
    stds = [beliefs.processes[0].predict(model.points(row, level))[1] for beliefs in (known, pending)]
    assert stds[1] < stds[0]


def test_failed_trials_count_as_the_worst():
    history = history_of(7, 5, n_pending=1)
    history.observe(np.array([0.5, 0.5]), np.inf, 1.0, 3)
    found = observations(history.snapshot(FEATURES))
    assert len(found.values) == 6 and found.values[-1] == found.values[:-1].max()
    assert found.levels.tolist() == [0, 1, 2, 3, 4, 3] and found.costs[-1] == 1.0


def test_the_most_telling_budget_by_hand():
    # f(x, s) = u(x) + q (2 v(x) - 0.6 u(x)) with q = (1 - s)^2 and u, v of variance 1: seen at s, with a noise of 0.01,
    # it lowers the variance of f(x, 1) by (1 - 0.6 q)^2 / ((1 - 0.6 q)^2 + 4 q^2 + 0.01); it costs exp(3 s) seconds
    model, far = SizeModel(SIZES), np.array([[0.99, 0.99]])
    parts = Parts(np.array([1e-2, 1e-2]), np.array([[1.0, 0.0], [-0.6, 2.0]]), 0.01)
    process = condition(model.points(far, np.array([7])), np.zeros(1), parts, FEATURES.groups)
    row = FEATURES.sample_prior(np.random.default_rng(0), 1)[0]
    q = (1 - SIZES) ** 2
    for overhead in (0.0, 0.5, 2.0, 8.0, 30.0):
        expected = (1 - 0.6 * q) ** 2 / ((1 - 0.6 * q) ** 2 + 4 * q**2 + 0.01) / (np.exp(3 * SIZES) + overhead)
        history, best = History(FEATURES.width, full=7), np.argsort(-expected)

        def told(history=history, overhead=overhead):
            snapshot = history.snapshot(FEATURES)
            beliefs = Beliefs(snapshot, model, observations(snapshot), [process], row, 0.0)
            return most_telling(beliefs, row, lambda rows, levels: np.exp(3.0 * SIZES[levels]) + overhead)

        assert told() == best[0]
        history.observe(row, 1.0, 1.0, int(best[0]))
        assert told() == best[1]


def test_what_was_tried_at_a_budget_is_not_the_best_new_one():
    history, row = History(FEATURES.width, full=7), np.array([0.5, 0.5])
    history.observe(row, 1.0, 1.0, level=2)
    snapshot, rows = history.snapshot(FEATURES), np.stack([row, row, row])
    assert best_new(snapshot, rows, np.array([2, 3, 4]), np.array([3.0, 2.0, 1.0]))[1] == 3
    assert best_new(snapshot, rows, np.array([3, 2, 2]), np.array([0.0, 3.0, 2.0])) is None


def test_seconds_at_smaller_budgets_count_from_the_last_proposal_at_the_full_one():
    levels, seen = iter([0, 0, 1, 0, 0]), []

    def choose(snapshot, spent, rng):
        seen.append(spent)
        return Choice(FEATURES.sample_prior(rng, 1)[0], next(levels), snapshot.rows[0])

    o = CostAwareOptimizer(SPACE, [1, 4], choose, design=[0], n_initial=2, seed=0, name="mine")
    for loss in (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0):
        proposal = o.ask()
        o.tell(proposal, loss, 10.0)
    assert seen == [0.0, 10.0, 20.0, 0.0, 10.0]  # those of the initial design and of the full budget do not count
    assert o.incumbent is not None and proposal.budget == 1
