"""Conditions and forbidden clauses: what is in a space, and what is said about the rest."""

import copy
import itertools
import json
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare
from strategies import any_spaces, shaped_spaces, small_hyperparameters

from hpo_core import Categorical, Condition, Constant, Float, Forbidden, ForbiddenRelation, Int, Ordinal, Space
from hpo_core.errors import InvalidConfig, InvalidSpace, UnsupportedSpace
from hpo_core.space.codes import codes_in_box
from hpo_core.space.drawing import codes_at
from hpo_core.space.plain_data import space_from_json, space_to_json

HYPERPARAMETERS = [
    Categorical("solver", ["lbfgs", "saga"]),
    Categorical("penalty", ["l1", "l2", None]),
    Int("leaf", 1, 4),
    Int("split", 1, 4),
    Float("ratio", 0.0, 1.0),
]
CLAUSES = [Forbidden({"solver": ["lbfgs"], "penalty": ["l1", None]}), ForbiddenRelation("leaf", ">", "split")]
SPACE = Space(HYPERPARAMETERS, [Condition("ratio", "solver", ("saga",))], forbidden=CLAUSES)
DISCRETE = Space(HYPERPARAMETERS[:4], forbidden=CLAUSES)
LBFGS = {"solver": "lbfgs", "penalty": "l2", "leaf": 1, "split": 1}


def by_definition(space):
    """Configurations of a finite space, from the meaning of its conditions and clauses alone."""
    found = {}
    for values in itertools.product(*([h.value(c) for c in range(h.size)] for h in space)):
        config = dict(zip(space.names, values, strict=True))

        def on(name, config=config):
            return all(on(c.parent) and config[c.parent] in c.values for c in space.conditions if c.child == name)

        config = {name: value for name, value in config.items() if on(name)}
        if not any(by_hand(clause, config) for clause in space.forbidden):
            found[tuple(config.items())] = config
    return list(found.values())


def by_hand(clause, config):
    if isinstance(clause, Forbidden):
        return all(name in config and config[name] in values for name, values in clause.terms)
    if clause.left not in config or clause.right not in config:
        return False
    a, b = config[clause.left], config[clause.right]
    return a == b if clause.relation == "==" else (a < b if clause.relation == "<" else a > b)


# --- in or not -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"penalty": "l1"}, "must not have solver in ['lbfgs'] and penalty in ['l1', None], got {'solver': 'lbfgs'"),
        ({"penalty": None}, "solver in ['lbfgs'] and penalty in ['l1', None]"),
        ({"leaf": 3, "split": 2}, "must not have leaf > split, got"),
        ({"leaf": np.int64(4), "split": 2.0}, "leaf > split"),
    ],
)
def test_what_is_forbidden_is_named_with_its_clause(change, words):
    config = {**LBFGS, **change}
    for ask in (SPACE.check, SPACE.encode, SPACE.codes_of, SPACE.nearest, SPACE.neighbours):
        with pytest.raises(InvalidConfig) as caught:
            ask(config)
        assert words in str(caught.value)
    codes_in_box(SPACE, config)  # which does not look at clauses
    with pytest.raises(InvalidConfig, match="row 1 of the codes: a configuration must not have"):
        SPACE.decode(np.array([SPACE.codes_of(LBFGS), codes_in_box(SPACE, config)]))


def test_what_is_not_forbidden_is_in():
    for config in (LBFGS, {**LBFGS, "leaf": 2, "split": 2}, {**LBFGS, "solver": "saga", "penalty": "l1", "ratio": 0.5}):
        assert SPACE.check(config) == config
        assert SPACE.decode(SPACE.encode(config)) == [config]


def test_a_clause_on_what_is_switched_off_forbids_nothing():
    space = Space(
        [Categorical("k", "ab"), Int("x", 0, 1), Int("y", 0, 1)],
        [Condition("x", "k", ("a",))],
        forbidden=[Forbidden({"x": [0]}), ForbiddenRelation("x", ">", "y")],
    )
    assert list(space.configs()) == [{"k": "a", "x": 1, "y": 1}, {"k": "b", "y": 0}, {"k": "b", "y": 1}]
    assert space.size == 3


def test_the_condition_that_fails_is_named():
    space = Space(
        [Categorical("k", "abc"), Categorical("m", "pq"), Int("x", 0, 1)],
        [Condition("m", "k", ("a", "b")), Condition("x", "m", ("p",))],
    )
    for config, words in (
        ({"k": "a", "m": "q", "x": 1}, "'x' is switched off here and must be left out: it needs m 'p', and m is 'q'"),
        ({"k": "c", "m": "q"}, "it needs k 'a' or 'b', and k is 'c'"),
        ({"k": "c", "x": 1}, "it needs m 'p', and m is switched off"),
    ):
        with pytest.raises(InvalidConfig) as caught:
            space.check(config)
        assert words in str(caught.value)


@pytest.mark.slow
@settings(max_examples=50)
@given(any_spaces(), st.integers(0, 2**32))
def test_many_at_once_are_judged_as_one_by_one(space, seed):
    codes = codes_at(space, np.random.default_rng(seed).random((12, len(space))))
    configs = [space.config_of(row) for row in codes.tolist()]
    forbidden = [any(by_hand(clause, config) for clause in space.forbidden) for config in configs]
    assert space.allowed(codes).tolist() == [not bad for bad in forbidden]
    active = [[space.is_active(name, config) for name in space.names] for config in configs]
    assert space.active(codes).tolist() == active
    assert (~np.isnan(codes)).tolist() == active
    unrelated = np.where(np.isnan(codes), 7.0, codes)  # codes of what is off are not looked at
    assert space.active(unrelated).tolist() == active


@settings(max_examples=40)
@given(shaped_spaces(small_hyperparameters, most=4))
def test_a_finite_space_is_what_its_clauses_leave(space):
    expected = by_definition(space)
    assert list(space.configs()) == expected
    assert space.size == len(expected)
    assert space.decode(space.encode(expected)) == expected
    box = Space(space.hyperparameters, space.conditions)
    inside = {tuple(config.items()) for config in expected}
    for config in box.configs():
        if tuple(config.items()) not in inside:
            with pytest.raises(InvalidConfig, match="must not have"):
                space.check(config)


@settings(max_examples=40)
@given(shaped_spaces(small_hyperparameters, most=4), st.integers(0, 99))
def test_neighbours_are_those_without_clauses_that_are_allowed(space, seed):
    config = space.sample(np.random.default_rng(seed))
    everywhere = Space(space.hyperparameters, space.conditions).neighbours(config)
    assert space.neighbours(config) == [n for n in everywhere if not any(by_hand(c, n) for c in space.forbidden)]


def test_a_size_is_counted_without_an_enumeration():
    large = Space(
        [Int("a", 1, 10**9), Int("b", 1, 10**6), Categorical("c", "xyz")],
        [Condition("b", "a", (3, 4)), Condition("c", "a", (4, 5))],
        forbidden=[Forbidden({"b": [7], "c": ["x", "y"]}), Forbidden({"a": [6]})],
    )
    # a is 3: b; 4: b and c, where b is 7 and c is not z are forbidden; 5: c; 6 is forbidden; others: neither
    assert large.size == 10**6 + (3 * 10**6 - 2) + 3 + (10**9 - 4)
    assert repr(large) == "Space(a, b, c; without b in [7] and c in ['x', 'y']; a in [6])"
    assert "inf configurations" in repr(Space([Float("x", 0, 1)]))


def test_what_is_no_grid_has_no_numbering():
    with pytest.raises(UnsupportedSpace, match="forbidden clauses or a list; configs"):
        _ = DISCRETE.grid


# --- random configurations -----------------------------------------------------------------------------------------


def test_a_random_configuration_is_uniform_over_what_is_left():
    """Wrong once in a thousand seeds, and the seed is fixed."""
    configs = list(DISCRETE.configs())
    index = {tuple(config.items()): i for i, config in enumerate(configs)}
    drawn = DISCRETE.sample(np.random.default_rng(0), 8000)
    assert len(configs) == 40  # four of six pairs times ten of sixteen
    assert chisquare(np.bincount([index[tuple(c.items())] for c in drawn], minlength=40)).pvalue > 0.001


def test_weights_and_scales_are_those_of_the_whole_space():
    """By rejection: the weights of what is left keep their ratios. Wrong once in a thousand seeds."""
    space = Space(
        [Categorical("c", "xyz", weights=[5, 3, 2]), Int("i", 1, 100, log=True)], forbidden=[Forbidden({"c": ["x"]})]
    )
    drawn = space.sample(np.random.default_rng(1), 4000)
    assert chisquare([sum(c["c"] == v for c in drawn) for v in "yz"], [2400, 1600]).pvalue > 0.001
    low, middle, high = np.log([0.5, 10.5, 100.5])
    share = (middle - low) / (high - low)
    n_low = sum(c["i"] <= 10 for c in drawn)
    assert chisquare([n_low, 4000 - n_low], [4000 * share, 4000 * (1 - share)]).pvalue > 0.001


@settings(max_examples=50)
@given(any_spaces(), st.integers(0, 2**32))
def test_samples_are_in_the_space(space, seed):
    for config in space.sample(np.random.default_rng(seed), 5):
        assert space.check(config) == config


@pytest.mark.parametrize(
    ("hyperparameters", "clauses"),
    [
        ([Categorical("a", "xy"), Int("b", 0, 1)], [Forbidden({"a": ["x", "y"]})]),
        ([Categorical("a", "xy")], [Forbidden({"a": ["x"]}), Forbidden({"a": ["y"]})]),
        ([Int("a", 0, 9), Int("b", 10, 19)], [ForbiddenRelation("a", "<", "b")]),
        ([Constant("a", 1), Constant("b", 1)], [ForbiddenRelation("a", "==", "b")]),
    ],
)
def test_clauses_that_leave_nothing_are_refused(hyperparameters, clauses):
    with pytest.raises(InvalidSpace, match="must leave something, 10,000 random draws were all forbidden: a "):
        Space(hyperparameters, forbidden=clauses)


# --- bad clauses ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Forbidden({}), "needs a mapping of names to values, got {}"),
        (lambda: Forbidden([("solver", ["lbfgs"])]), "needs a mapping"),
        (lambda: Forbidden({"solver": "lbfgs"}), "'solver': values are given as a list or tuple, got 'lbfgs'"),
        (lambda: Forbidden({"leaf": 3}), "'leaf': values are given as a list or tuple, got 3"),
        (lambda: Forbidden({"leaf": []}), "'leaf': at least one value is needed"),
        (lambda: Forbidden({"solvr": ["lbfgs"]}), "'solvr': no such hyperparameter; did you mean solver?"),
        (lambda: Forbidden({"leaf": [9]}), "forbidden clause leaf in [9]: hyperparameter 'leaf' must be an integer"),
        (lambda: Forbidden({"leaf": [True]}), "'leaf' must be an integer in 1..4, got True"),
        (lambda: ForbiddenRelation("leaf", "<=", "split"), "must be <, > or ==, got '<='"),
        (lambda: ForbiddenRelation("leaf", "<", "splt"), "'splt': no such hyperparameter; did you mean split"),
        (lambda: ForbiddenRelation("leaf", "<", "leaf"), "needs two hyperparameters, got 'leaf' twice"),
        (lambda: ForbiddenRelation("leaf", "<", "solver"), "only numbers are < or >, and 'solver' is one of 'lbfgs'"),
        (lambda: ("leaf", "<", "split"), "Forbidden or ForbiddenRelation, got ('leaf', '<', 'split')"),
    ],
)
def test_clauses_that_cannot_be_are_refused(make, words):
    with pytest.raises(InvalidSpace) as caught:
        Space(HYPERPARAMETERS, forbidden=[make()])
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        (Condition("solver", "leaf", (1,)), "its parent 'leaf' must come before it"),
        (Condition("leaf", "solvr", ("saga",)), "its parent 'solvr' must come before it"),
        (Condition("leaf", "solver", ("sag",)), "condition on 'leaf': hyperparameter 'solver' must be one of"),
        (Condition("leaf", "solver", "saga"), "condition on 'leaf': values are given as a list or tuple, got 'saga'"),
        (Condition("leaf", "solver", ()), "condition on 'leaf': at least one value is needed"),
        (("leaf", "solver"), "Condition(child, parent, values), got ('leaf', 'solver')"),
    ],
)
def test_conditions_that_cannot_be_are_refused(condition, words):
    with pytest.raises(InvalidSpace) as caught:
        Space(HYPERPARAMETERS, [condition])
    assert words in str(caught.value)


# --- files and comparisons -----------------------------------------------------------------------------------------


def test_clauses_take_the_types_and_the_order_of_the_space():
    given = Forbidden({"leaf": np.array([3, 1, 3]), "solver": {"saga"}})
    space = Space(HYPERPARAMETERS, [Condition("ratio", "leaf", (np.float32(2), 1.0))], forbidden=[given])
    assert space.forbidden == (Forbidden({"solver": ("saga",), "leaf": (1, 3)}),)
    assert [type(value) for value in space.conditions[0].values] == [int, int]
    assert json.loads(json.dumps(space_to_json(space))) == space_to_json(space)
    assert space == Space(HYPERPARAMETERS, [("ratio", "leaf", [2, 1])], forbidden=[space.forbidden[0]])


def test_spaces_with_clauses_compare_by_content():
    again = space_from_json(json.loads(json.dumps(space_to_json(SPACE))))
    for other in (again, copy.deepcopy(SPACE), pickle.loads(pickle.dumps(SPACE))):
        assert (other, hash(other)) == (SPACE, hash(SPACE))
        assert other.sample(np.random.default_rng(3), 9) == SPACE.sample(np.random.default_rng(3), 9)
    assert Space(HYPERPARAMETERS, SPACE.conditions) != SPACE
    assert Space(HYPERPARAMETERS, SPACE.conditions, forbidden=CLAUSES[:1]) != SPACE


@pytest.mark.parametrize("clause", [3, ["leaf", "<"], {"leaf": 3}, {}, [1, 2, 3, 4]])
def test_a_damaged_description_of_a_clause_is_refused(clause):
    described = {**space_to_json(SPACE), "forbidden": [clause]}
    with pytest.raises(InvalidSpace):
        space_from_json(described)


# --- tables --------------------------------------------------------------------------------------------------------


def test_empty_cells_of_a_table_are_what_is_switched_off():
    pandas = pytest.importorskip("pandas")
    space = Space(
        [Categorical("k", "ab"), Int("n", 1, 5), Categorical("m", ["x", None]), Float("f", 0, 1)],
        [Condition("n", "k", ("a",)), Condition("m", "k", ("a",)), Condition("f", "m", ("x",))],
    )
    configs = [{"k": "b"}, {"k": "a", "n": 3, "m": "x", "f": 0.5}, {"k": "a", "n": 2, "m": None}]
    codes = space.encode(configs)
    assert space.decode(codes) == configs
    cells = {"k": ["b", "a", "a"], "n": [None, 3, 2], "m": pandas.Series([np.nan, "x", None], dtype=object)}
    frame = pandas.DataFrame({**cells, "f": [None, 0.5, None]})
    assert np.array_equal(space.encode(frame), codes, equal_nan=True)
    integers = frame.astype({"n": "Int64"})  # with pandas.NA
    assert np.array_equal(space.encode(integers), codes, equal_nan=True)
    with pytest.raises(InvalidConfig, match="'n' is missing"):
        space.encode(frame.assign(k="a"))
    plain = Space([Int("n", 1, 5)])
    with pytest.raises(InvalidConfig, match=r"'n' must be an integer in 1\.\.5, got nan"):
        plain.encode(frame[["n"]])


def test_choices_of_numpy_values_are_pythons_own():
    space = Space([Ordinal("o", np.array([1, 2])), Categorical("c", np.array(["x", "y"]))])
    assert [type(v) for v in (*space["o"].values, *space["c"].values)] == [int, int, str, str]
    json.dumps(space_to_json(space))
