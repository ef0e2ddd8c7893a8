"""Other libraries on spaces with conditions, forbidden clauses and lists."""

import math

import numpy as np
import pytest
from adapted import SINGLE, need

from baselines import optimizer
from baselines.adapters.parts.library import quiet
from baselines.adapters.parts.searched import Searched
from hpo_core import (
    Benchmark,
    Categorical,
    Condition,
    Constant,
    Float,
    Forbidden,
    ForbiddenRelation,
    Int,
    Ordinal,
    Result,
    SimpleProblem,
    Space,
    run,
)

CONDITIONAL = Space(
    [
        Categorical("kernel", ["linear", "rbf", None]),
        Float("gamma", 1e-3, 10.0, log=True),
        Ordinal("width", [8, 16, 32]),
        Int("seven", 7, 7),
        Float("c", 0.0, 1.0),
        Int("depth", 1, 64, log=True),
    ],
    [
        Condition("gamma", "kernel", ("rbf", None)),
        Condition("width", "kernel", ("rbf",)),
        Condition("seven", "width", (16, 32)),
        Condition("depth", "seven", (7,)),
    ],
)
TREE = [Int("leaf", 1, 9), Int("split", 1, 9), Float("x", 0.0, 1.0), Categorical("s", "ab")]
CLAUSES = [ForbiddenRelation("leaf", ">", "split"), Forbidden({"s": ["a"], "leaf": [1, 2, 3]})]
FORBIDDEN = Space(TREE, forbidden=CLAUSES)
# a relation of a float with a constant is no clause on values, so that the library never sees it
ABOVE_HALF = Space([*TREE, Constant("half", 0.5)], forbidden=[*CLAUSES, ForbiddenRelation("x", "<", "half")])
LISTED = Space(CONDITIONAL, CONDITIONAL.conditions, listed=CONDITIONAL.sample(np.random.default_rng(0), 30))
SPACES = {"conditional": CONDITIONAL, "forbidden": FORBIDDEN, "listed": LISTED}
SLOW = ("skopt-gp", "smac3", "optuna-gp")
everyone = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else []) for name in SINGLE]
)
quick = pytest.mark.parametrize("name", [name for name in SINGLE if name not in SLOW])


def loss_of(config):
    return sum(len(str(value)) + math.sin(7 * i) for i, value in enumerate(config.values()))


def asked(o, n, loss=loss_of):
    """Configurations of n proposals, each told at once."""
    found = []
    for _ in range(n):
        proposal = o.ask()
        found.append(proposal.config)
        o.tell(proposal, loss(proposal.config), 1.0)
    return found


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        pytest.param(name, kind, marks=[pytest.mark.slow] if name in SLOW else [])
        for name in SINGLE
        for kind in SPACES
        if name not in SLOW or kind == "forbidden"  # of the slow ones the one that takes another way
    ],
)
def test_equal_seeds_make_equal_runs_inside_of_the_space(name, kind):
    need(name)
    space = SPACES[kind]
    b = Benchmark(SimpleProblem("shaped", space, lambda c, budget, s: Result(loss_of(c), 1.0, budget, {})))
    n = 11 if name in SLOW else 25  # ten are random
    first, again = (run(b, optimizer(name, space, seed=4), n_trials=n, workers=2) for _ in range(2))
    assert first == again
    assert len(first.trials) == n
    for trial in first.trials:
        assert list(trial.config.items()) == list(space.check(trial.config).items())
    assert len({str(trial.config) for trial in first.trials}) > 3
    if kind == "conditional":
        assert len({tuple(trial.config) for trial in first.trials}) > 1


def test_what_is_searched_has_no_single_values_and_inherits_their_conditions():
    searched = Searched(CONDITIONAL, "x")
    assert searched.space.names == ("kernel", "gamma", "width", "c", "depth")
    assert Condition("depth", "width", (16, 32)) in searched.space.conditions
    found = {"kernel": 1.0, "gamma": np.float64(0.5), "width": 1, "c": 0.25, "depth": 3.0}
    config = {"kernel": "rbf", "gamma": 0.5, "width": 16, "seven": 7, "c": 0.25, "depth": 3}
    assert searched.config(found) == config == CONDITIONAL.check(config)
    assert searched.found(config) == {**found, "kernel": 1, "depth": 3}
    off = {**found, "kernel": 0}
    assert searched.config(off) == {"kernel": "linear", "c": 0.25}
    assert searched.active(off) == {"kernel": 0, "c": 0.25}
    assert Searched(ABOVE_HALF, "x").space == FORBIDDEN


@pytest.mark.parametrize("options", [{}, {"multivariate": True, "group": True}])
def test_optuna_tpe_is_an_optuna_objective_with_conditions(options):
    need("optuna-tpe")
    import optuna

    by_hand = []

    def objective(trial):
        config = {"kernel": ["linear", "rbf", None][trial.suggest_categorical("kernel", range(3))]}
        if config["kernel"] != "linear":
            config["gamma"] = trial.suggest_float("gamma", 1e-3, 10.0, log=True)
        if config["kernel"] == "rbf":
            config["width"] = [8, 16, 32][trial.suggest_int("width", 0, 2)]
            if config["width"] > 8:
                config["seven"] = 7
        config["c"] = trial.suggest_float("c", 0.0, 1.0)
        if "seven" in config:
            config["depth"] = trial.suggest_int("depth", 1, 64, log=True)
        by_hand.append(config)
        return loss_of(config)

    with quiet("optuna"):
        optuna.create_study(sampler=optuna.samplers.TPESampler(seed=2, **options)).optimize(objective, n_trials=40)
    assert asked(optimizer("optuna-tpe", CONDITIONAL, seed=2, **options), 40) == by_hand


@pytest.mark.parametrize("name", ["optuna-cmaes", pytest.param("optuna-gp", marks=pytest.mark.slow)])
def test_other_samplers_search_the_whole_box(name):
    """The same proposals as in the box, less what is off, of a loss that does not look at it."""
    need(name)
    box = Space(CONDITIONAL.hyperparameters)
    whole = asked(optimizer(name, box, seed=0), 16, lambda config: loss_of(CONDITIONAL.complete(config)))
    assert asked(optimizer(name, CONDITIONAL, seed=0), 16) == [CONDITIONAL.complete(config) for config in whole]


def test_hyperopt_notes_the_values_of_what_is_active():
    need("hyperopt-tpe")
    o = optimizer("hyperopt-tpe", CONDITIONAL, seed=0)
    configs = asked(o, 40)
    assert {"depth" in config for config in configs} == {True, False}
    for config, document in zip(configs, o.trials.trials, strict=True):
        active = config.keys() - {"seven"}  # one value is nothing to search
        noted = {name: values for name, values in document["misc"]["vals"].items() if values}
        assert set(noted) == {name for name, ids in document["misc"]["idxs"].items() if ids} == active
        assert noted["c"] == [config["c"]]


def test_hyperopt_learns_a_density_from_the_trials_that_had_the_value():
    """Of a value that pays off where it is active: a uniform draw would be 0.3 away in the median."""
    need("hyperopt-tpe")
    space = Space([Categorical("k", "ab"), Float("x", 0.0, 1.0)], [Condition("x", "k", ("a",))])
    o = optimizer("hyperopt-tpe", space, seed=0)
    configs = asked(o, 80, lambda config: abs(config["x"] - 0.2) if "x" in config else 0.5)
    late = [config["x"] for config in configs[50:] if "x" in config]
    assert len(late) > 20
    assert np.median(np.abs(np.array(late) - 0.2)) < 0.15


# --- what is forbidden ---------------------------------------------------------------------------------------------


def test_optuna_is_told_the_highest_loss_for_what_is_forbidden():
    need("optuna-tpe")
    o = optimizer("optuna-tpe", FORBIDDEN, seed=0)
    losses = {}
    for _ in range(12):
        proposal = o.ask()
        worst_before = max(losses.values(), default=None)
        for trial in o.study.trials:
            if trial.number not in losses and trial.state.name != "RUNNING":
                assert trial.state.name == ("FAIL" if worst_before is None else "COMPLETE")
                losses[trial.number] = worst_before if worst_before is not None else -math.inf
                assert trial.value == worst_before
        losses = {number: loss for number, loss in losses.items() if loss > -math.inf}
        number = o.study.trials[-1].number
        losses[number] = loss_of(proposal.config)
        o.tell(proposal, losses[number], 1.0)
    assert len(o.study.trials) > 12  # something was forbidden


def test_hyperopt_sees_a_failure_in_what_is_forbidden():
    need("hyperopt-tpe")
    o = optimizer("hyperopt-tpe", FORBIDDEN, seed=0)
    configs = asked(o, 15)
    states = [document["result"]["status"] for document in o.trials.trials]
    assert states.count("ok") == 15
    assert states.count("fail") == len(states) - 15 > 0
    assert all(FORBIDDEN.check(config) == config for config in configs)


@everyone
def test_in_vain_a_random_configuration_is_entered_and_learned_from(name, monkeypatch):
    need(name)
    monkeypatch.setattr("baselines.adapters.parts.searched.TRIES", 0)
    space = Space(CONDITIONAL, CONDITIONAL.conditions, forbidden=[Forbidden({"kernel": [None]})])
    o = optimizer(name, space, seed=0)
    configs = asked(o, 12)
    rng = np.random.default_rng(0)
    expected = [space.sample(rng) for _ in range(12)]
    assert [{**c, "gamma": None, "c": None} for c in configs] == [{**c, "gamma": None, "c": None} for c in expected]
    for config in configs:
        assert space.check(config) == config
    told = {
        "optuna": lambda: [trial.value for trial in o.study.trials],
        "hyperopt": lambda: [document["result"]["loss"] for document in o.trials.trials],
        "smac3": lambda: [value.cost for value in o.facade.runhistory.values()],
        "skopt": lambda: o.optimizer.yi,
        "nevergrad": lambda: [value.mean for value in o.optimizer.archive.bytesdict.values()],
    }[name.split("-")[0]]()
    assert told == pytest.approx([loss_of(config) for config in configs])


@everyone
def test_a_clause_that_the_library_cannot_have_is_seen_to(name):
    need(name)
    found = asked(optimizer(name, ABOVE_HALF, seed=0), 6)
    assert all(ABOVE_HALF.check(config) == config and config["x"] >= 0.5 for config in found)


@pytest.mark.slow
def test_smac_gets_the_clauses_and_skopt_a_constraint(monkeypatch):
    """So that none of their proposals has to be refused."""
    for name, n in (("smac3", 8), ("skopt-gp", 12)):
        need(name)
        o = optimizer(name, FORBIDDEN, seed=0)
        monkeypatch.setattr(o, "_refuse", None)
        assert all(FORBIDDEN.check(config) == config for config in asked(o, n))


# --- lists ---------------------------------------------------------------------------------------------------------


@quick
def test_the_nearest_of_a_list_is_evaluated_and_told_for_what_was_proposed(name):
    need(name)
    free = Space(CONDITIONAL, CONDITIONAL.conditions)
    proposed = asked(optimizer(name, free, seed=1), 15, lambda config: loss_of(LISTED.nearest(config)))
    assert asked(optimizer(name, LISTED, seed=1), 15) == [LISTED.nearest(config) for config in proposed]
