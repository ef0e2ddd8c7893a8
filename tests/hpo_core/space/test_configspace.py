import ConfigSpace as cs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import any_spaces

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
    Space,
)
from hpo_core.errors import InvalidSpace, UnsupportedSpace

HYPERPARAMETERS = [
    Float("z_linear", -1.5, 2.5),
    Float("lr", 1e-6, 1e-1, log=True, default=1e-3),
    Int("depth", 1, 12),
    Int("trees", 10, 5000, log=True),
    Ordinal("units", [16, 32, 64]),
    Ordinal("rate", [0.0, 0.3, 0.6], default=0.0),
    Categorical("activation", ["tanh", "relu"]),
    Categorical("weighted", ["a", "b", "c"], default="b", weights=[1, 2, 5]),
    Categorical("flag", [True, False]),
    Constant("fixed", 3),
]


@pytest.mark.slow
@settings(max_examples=60)
@given(any_spaces())
def test_any_space_survives_the_way_there_and_back(space):
    assert Space(space.to_configspace()) == space


@settings(max_examples=30)
@given(st.permutations(HYPERPARAMETERS), st.integers(1, len(HYPERPARAMETERS)))
def test_there_and_back_is_the_same_space(hyperparameters, n):
    space = Space(hyperparameters[:n])
    assert Space(space.to_configspace()) == space


def test_back_and_there_is_the_same_configspace():
    original = cs.ConfigurationSpace(
        name="svm",
        space={
            "C": cs.Float("C", (1e-3, 1e3), log=True, default=2.0),
            "n": cs.Integer("n", (1, 100), log=True, default=7),
            "kernel": cs.Categorical("kernel", ["rbf", "poly", "linear"], default="poly", weights=[0.5, 0.25, 0.25]),
            "size": cs.OrdinalHyperparameter("size", ["small", "large"], default_value="small"),
            "gamma": cs.Float("gamma", (1e-4, 10.0), log=True),
            "degree": cs.Integer("degree", (2, 5)),
            "fixed": cs.Constant("fixed", "yes"),
        },
    )
    original.add(cs.InCondition(original["gamma"], original["kernel"], ["rbf", "poly"]))
    original.add(
        cs.AndConjunction(
            cs.EqualsCondition(original["degree"], original["kernel"], "poly"),
            cs.EqualsCondition(original["degree"], original["size"], "small"),
        )
    )
    space = Space(original)
    again = space.to_configspace()
    assert again.name == "svm"
    assert set(space.names) == set(original)
    for name, hyperparameter in original.items():
        assert again[name] == hyperparameter
    assert Space(again) == space
    for config in original.sample_configuration(30):
        assert space.check(config) == dict(config)
    for config in space.sample(np.random.default_rng(0), 30):
        # ConfigSpace itself rounds floats to 13 decimals
        assert dict(cs.Configuration(again, values=config)) == {
            k: pytest.approx(v, rel=1e-9, abs=1e-12) if isinstance(v, float) else v for k, v in config.items()
        }


@pytest.mark.slow
def test_configuration_objects_are_accepted_by_benchmarks():
    b = Benchmark("protein")
    for config in b.configspace.sample_configuration(20):
        assert b.objective(config) == b.objective(dict(config))


def test_what_cannot_be_held_is_refused():
    space = cs.ConfigurationSpace()
    a, b = cs.Integer("a", (0, 10)), cs.Integer("b", (0, 10))
    space.add(a, b)
    space.add(cs.GreaterThanCondition(a, b, 3))
    with pytest.raises(UnsupportedSpace):
        Space(space)


def test_a_distribution_whose_centre_is_outside_is_refused():
    space = cs.ConfigurationSpace()
    space.add(cs.NormalFloatHyperparameter("x", mu=9, sigma=1, lower=-3, upper=3, default_value=0))
    with pytest.raises(UnsupportedSpace, match="centre"):
        Space(space)


def test_an_integer_of_one_value_has_no_counterpart():
    with pytest.raises(UnsupportedSpace, match="Constant"):
        Space([Int("n", 3, 3)]).to_configspace()


def test_conditions_survive():
    space = Space(
        [Categorical("kernel", ["rbf", "linear", "poly"]), Float("gamma", 0.1, 1)],
        [Condition("gamma", "kernel", ("rbf", "poly"))],
    )
    assert Space(space.to_configspace()) == space


# --- forbidden clauses and lists -----------------------------------------------------------------------------------


def with_clauses():
    space = cs.ConfigurationSpace(
        {
            "solver": cs.Categorical("solver", ["saga", "lbfgs", "newton"]),
            "penalty": cs.Categorical("penalty", ["l2", "l1", "none"]),
            "leaf": cs.Integer("leaf", (1, 6), default=1),
            "split": cs.Integer("split", (1, 6), default=4),
            "size": cs.OrdinalHyperparameter("size", ["small", "medium", "large"]),
            "ratio": cs.Float("ratio", (0.0, 1.0)),
        }
    )
    space.add(cs.InCondition(space["ratio"], space["solver"], ["saga", "newton"]))
    return space


EQUALS, IN = cs.ForbiddenEqualsClause, cs.ForbiddenInClause
CLAUSES = {
    "equals": (lambda s: [EQUALS(s["size"], "large")], [Forbidden({"size": ["large"]})]),
    "in": (lambda s: [IN(s["leaf"], [2, 3])], [Forbidden({"leaf": [2, 3]})]),
    "and": (
        lambda s: [cs.ForbiddenAndConjunction(IN(s["penalty"], ["none", "l1"]), EQUALS(s["solver"], "lbfgs"))],
        [Forbidden({"solver": ["lbfgs"], "penalty": ["l1", "none"]})],
    ),
    "and of and": (
        lambda s: [
            cs.ForbiddenAndConjunction(
                cs.ForbiddenAndConjunction(EQUALS(s["solver"], "lbfgs"), IN(s["leaf"], [2, 3])), IN(s["leaf"], [3, 4])
            )
        ],
        [Forbidden({"solver": ["lbfgs"], "leaf": [3]})],
    ),
    "contradiction": (lambda s: [cs.ForbiddenAndConjunction(EQUALS(s["leaf"], 2), EQUALS(s["leaf"], 3))], []),
    "or": (
        lambda s: [cs.ForbiddenOrConjunction(EQUALS(s["leaf"], 2), EQUALS(s["size"], "large"))],
        [Forbidden({"leaf": [2]}), Forbidden({"size": ["large"]})],
    ),
    "less": (
        lambda s: [cs.ForbiddenLessThanRelation(s["split"], s["leaf"])],
        [ForbiddenRelation("split", "<", "leaf")],
    ),
    "greater": (
        lambda s: [cs.ForbiddenGreaterThanRelation(s["leaf"], s["split"])],
        [ForbiddenRelation("leaf", ">", "split")],
    ),
    "equal": (
        lambda s: [cs.ForbiddenEqualsRelation(s["leaf"], s["split"])],
        [ForbiddenRelation("leaf", "==", "split")],
    ),
    "above a value": (lambda s: [cs.ForbiddenGreaterThanClause(s["leaf"], 3)], [Forbidden({"leaf": [4, 5, 6]})]),
    "above in order": (
        lambda s: [cs.ForbiddenGreaterThanClause(s["size"], "small")],
        [Forbidden({"size": ["medium", "large"]})],
    ),
    "below a value": (lambda s: [cs.ForbiddenLessThanClause(s["split"], 3)], [Forbidden({"split": [1, 2]})]),
}


@pytest.mark.parametrize("kind", CLAUSES)
def test_forbidden_clauses_survive_both_ways(kind):
    original = with_clauses()
    make, expected = CLAUSES[kind]
    original.add(make(original))
    space = Space(original)
    assert space.forbidden == Space(space.hyperparameters, forbidden=expected).forbidden
    again = space.to_configspace()
    assert Space(again) == space
    for sampled in original.sample_configuration(60):
        space.check(sampled)
    for config in space.sample(np.random.default_rng(0), 60):
        for target in (original, again):
            cs.Configuration(target, values=config).check_valid_configuration()
    box = Space(with_clauses())
    for config in box.sample(np.random.default_rng(1), 60):
        allowed = not any(clause.forbids(config) for clause in space.forbidden)
        if not allowed:
            with pytest.raises(ValueError, match="orbidden"):
                cs.Configuration(original, values=config)
        else:
            cs.Configuration(original, values=config)


def test_files_of_configspace_keep_clauses_and_leave_out_the_list():
    space = Space(
        [Int("a", 0, 5), Categorical("z", "ab")],
        [Condition("z", "a", (2, 1))],
        name="listed",
        forbidden=[Forbidden({"z": ["a"]})],
        listed=[{"a": 1, "z": "b"}, {"a": 3}],
    )
    there = space.to_configspace()
    again = Space(cs.ConfigurationSpace.from_serialized_dict(there.to_serialized_dict()))
    assert again.forbidden == space.forbidden
    assert (again.listed, again.name) == (None, "listed")
    assert Space(there) == space


def test_defaults_that_are_forbidden_are_replaced_there_and_come_back():
    space = Space(
        [Categorical("a", "xy"), Int("b", 0, 9, default=7), Float("c", 0, 1, default=0.25)],
        forbidden=[Forbidden({"a": ["x"], "b": [7]})],
    )
    there = space.to_configspace()
    default = dict(there.get_default_configuration())
    assert space.check(default) == default
    assert Space(there) == space
    assert Space(there)["b"].default == 7


def test_what_was_changed_there_is_not_undone():
    space = Space([Categorical("b", "xy"), Int("a", 0, 9)], forbidden=[Forbidden({"b": ["x"]})])
    there = space.to_configspace()
    there.add(cs.ForbiddenEqualsClause(there["a"], 3))
    assert set(Space(there).forbidden) == {Forbidden({"b": ["x"]}), Forbidden({"a": [3]})}


@pytest.mark.parametrize("kind", ["float above", "relation in a conjunction", "strings in order"])
def test_clauses_that_cannot_be_held_are_refused(kind):
    space = with_clauses()
    if kind == "float above":
        space.add(cs.ForbiddenGreaterThanClause(space["ratio"], 0.9))
    elif kind == "strings in order":
        space.add(cs.ForbiddenLessThanRelation(space["solver"], space["penalty"]))
    else:
        relation = cs.ForbiddenLessThanRelation(space["split"], space["leaf"])
        space.add(cs.ForbiddenAndConjunction(relation, cs.ForbiddenEqualsClause(space["solver"], "lbfgs")))
    with pytest.raises((UnsupportedSpace, InvalidSpace), match=r"float|relations on their own|only numbers"):
        Space(space)


def test_arguments_beside_a_configspace_are_added_to_it():
    space = Space(with_clauses(), forbidden=[Forbidden({"leaf": [1]})], name="mine")
    assert (space.name, space.forbidden) == ("mine", (Forbidden({"leaf": [1]}),))
    assert len(space.conditions) == 1
