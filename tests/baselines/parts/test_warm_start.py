"""Earlier runs as tasks of a model."""

import math

import numpy as np
import pytest

from baselines.parts.warm_start import earlier_tasks
from hpo_core import Categorical, Float, Int, Ordinal, Proposal, Result, Space, Trial, run
from hpo_core.errors import InvalidOption
from hpo_models.features import Features

SPACE = Space([Float("x", 1e-3, 1.0, log=True), Ordinal("o", [8, 16, 32, 64]), Categorical("c", ["a", "b", "d"])])
CONFIG = {"x": 1e-3, "o": 8, "c": "b"}


def trial(loss, budget=9, config=CONFIG, failure=None):
    return Trial(Proposal(config, budget), Result(loss, 1.0, budget, {}), failure=failure)


def tasks(runs, space=SPACE):
    return earlier_tasks(runs, space, Features(space))


def test_rows_by_hand():
    middle = {"c": "d", "o": 32, "x": 10**-1.5}
    ((rows, losses),) = tasks([[trial(0.5), trial(0.25, config=middle)]])
    np.testing.assert_allclose(rows, [[0.0, 0.125, 0, 1, 0], [0.5, 0.625, 0, 0, 1]], atol=1e-12)
    assert losses.tolist() == [0.5, 0.25]


def test_nothing_gives_nothing():
    assert tasks(None) == [] and tasks([]) == [] and tasks(()) == [] and tasks([[]]) == []


def test_failed_and_infinite_trials_and_lower_budgets_are_left_out():
    kept = [trial(1.0), trial(2.0, budget=None), trial(3.0)]
    dropped = [trial(0.1, budget=3), trial(math.inf), trial(math.nan), trial(0.2, failure="it broke")]
    ((_, losses),) = tasks([[dropped[0], kept[0], dropped[1], kept[1], *dropped[2:], kept[2]]])
    assert losses.tolist() == [1.0, 2.0, 3.0]


def test_the_full_budget_is_that_of_each_run_and_a_run_without_a_usable_trial_is_no_task():
    found = tasks([[trial(1.0, 3), trial(2.0, 1)], [trial(math.inf)], [trial(3.0, None)], [trial(5.0, 1), trial(4.0)]])
    assert [losses.tolist() for _, losses in found] == [[1.0], [3.0], [4.0]]


def test_a_run_gives_what_its_trials_give():
    space = Space([Float("x1", -5, 10), Float("x2", 0, 15)])
    r = run("branin", "rs", n_trials=7, seed=3)
    ((rows, losses),) = tasks([r], space)
    ((again, _),) = tasks([r.trials], space)
    np.testing.assert_array_equal(rows, again)
    np.testing.assert_allclose(rows, [[(t.config["x1"] + 5) / 15, t.config["x2"] / 15] for t in r.trials])
    assert losses.tolist() == [t.loss for t in r.trials]


def test_rows_stand_where_the_optimizer_would_put_them():
    space = Space([Int("n", 1, 1000, log=True), Int("k", 0, 6), Categorical("c", ["u", "v"]), Ordinal("o", [1, 5, 9])])
    features = Features(space)
    configs = space.sample(np.random.default_rng(0), 200)
    ((rows, _),) = tasks([[trial(0.0, config=config) for config in configs]], space)
    numeric = rows[:, : features.n_numeric]
    np.testing.assert_allclose(features.snap(numeric), numeric, atol=1e-12)
    again = space.decode(space.from_unit(np.array([features.to_unit(row) for row in rows])))
    assert again == configs


@pytest.mark.parametrize("config", [{"x": 0.1}, {"x": 5.0, "o": 8, "c": "a"}, {**CONFIG, "y": 1}])
def test_configurations_of_another_space_are_refused(config):
    with pytest.raises(InvalidOption, match=r"run 1 does not: .*leave that run out"):
        tasks([[trial(1.0)], [trial(1.0), trial(2.0, config=config)]])


@pytest.mark.parametrize("runs", [run("branin", "rs", n_trials=2), [trial(1.0)], trial(1.0), 3, "protein", [3], [[3]]])
def test_what_is_no_list_of_runs_is_refused(runs):
    with pytest.raises(InvalidOption, match="a list of runs"):
        tasks(runs)
