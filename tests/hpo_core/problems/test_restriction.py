"""Parts of spaces: what `subset` leaves, with conditions, forbidden clauses and lists."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import shaped_spaces, small_hyperparameters, some_values

from hpo_core import (
    Benchmark,
    Categorical,
    Condition,
    Float,
    Forbidden,
    ForbiddenRelation,
    Int,
    Result,
    SimpleProblem,
    Space,
    shifted,
    subset,
)
from hpo_core.errors import InvalidOption
from hpo_core.problems.restriction import Restriction

SVM = Space(
    [
        Categorical("model", ["svm", "tree"]),
        Categorical("kernel", ["linear", "rbf", "poly"], weights=[1, 2, 5]),
        Float("gamma", 1e-3, 1e1, log=True),
        Int("degree", 2, 5),
        Int("leaf", 1, 4),
        Int("split", 1, 4),
    ],
    [
        Condition("kernel", "model", ("svm",)),
        Condition("gamma", "kernel", ("rbf", "poly")),
        Condition("degree", "kernel", ("poly",)),
        Condition("leaf", "model", ("tree",)),
        Condition("split", "model", ("tree",)),
    ],
    forbidden=[ForbiddenRelation("leaf", ">", "split"), Forbidden({"kernel": ["poly"], "degree": [5]})],
)


@st.composite
def restrictions(draw):
    """A small space, listed or not, and values to hold or restrict some of its hyperparameters to."""
    space = draw(shaped_spaces(small_hyperparameters, most=5))
    if draw(st.booleans()):
        configs = list(space.configs())
        listed = draw(st.lists(st.sampled_from(configs), min_size=1, max_size=8, unique_by=lambda c: tuple(c.items())))
        space = Space(space, space.conditions, forbidden=space.forbidden, listed=listed)
    chosen = draw(st.lists(st.sampled_from(space.names), unique=True, max_size=len(space) - 1))
    several = {name: draw(some_values(space[name])) for name in chosen}
    return space, {name: values if draw(st.booleans()) else values[0] for name, values in several.items()}


@pytest.mark.slow
@settings(max_examples=80)
@given(restrictions())
def test_what_is_left_is_what_agrees_with_the_values(restriction):
    space, values = restriction
    wanted = {name: v if isinstance(v, list) else [v] for name, v in values.items()}
    expected = [c for c in space.configs() if all(n not in c or c[n] in vs for n, vs in wanted.items())]
    try:
        left = Restriction(space, values)
    except InvalidOption as error:
        if "at least one hyperparameter free" not in str(error):
            assert expected == []
        return
    found = [left.full(config) for config in left.space.configs()]
    assert sorted(map(str, found)) == sorted(map(str, expected))
    for config in found:
        assert space.check(config) == config


def test_a_kernel_that_is_held_takes_what_belongs_to_others_away():
    linear = Restriction(SVM, {"model": "svm", "kernel": ["linear", "rbf"]})
    assert linear.space == Space(
        [Categorical("kernel", ["linear", "rbf"], weights=[1, 2]), Float("gamma", 1e-3, 1e1, log=True)],
        [Condition("gamma", "kernel", ("rbf",))],
    )
    assert linear.full({"kernel": "linear"}) == {"model": "svm", "kernel": "linear"}
    tree = Restriction(SVM, {"model": "tree", "leaf": 3})
    assert tree.space == Space([Int("split", 1, 4)], forbidden=[Forbidden({"split": [1, 2]})])
    poly = Restriction(SVM, {"kernel": "poly"})
    assert poly.space.conditions[:2] == (Condition("gamma", "model", ("svm",)), Condition("degree", "model", ("svm",)))
    assert Forbidden({"model": ["svm"], "degree": [5]}) in poly.space.forbidden
    assert poly.full({"model": "tree", "leaf": 1, "split": 2}) == {"model": "tree", "leaf": 1, "split": 2}


@pytest.mark.parametrize(
    ("space", "values", "words"),
    [
        (SVM, {"model": "svm", "kernel": "poly", "degree": 5}, "forbidden: kernel in ['poly'] and degree in [5]"),
        (SVM, {"model": "tree", "leaf": 4, "split": 1}, "at least one hyperparameter free"),
        (Space(SVM, SVM.conditions, listed=[{"model": "svm", "kernel": "linear"}]), {"model": "tree"}, "must leave"),
        (Space([Float("a", 0, 1), Int("b", 0, 1)], forbidden=[ForbiddenRelation("a", "<", "b")]), {"b": 1}, "a float"),
        (Space([Int("a", 0, 9), Int("b", 0, 1)], forbidden=[ForbiddenRelation("a", ">", "b")]), {"a": [8, 9]}, "leave"),
    ],
)
def test_subsets_that_cannot_be_are_refused(space, values, words):
    with pytest.raises(InvalidOption) as caught:
        Restriction(space, values)
    assert words in str(caught.value)


def problem(space):
    def evaluate(config, budget, seed):
        loss = config.get("gamma", 0.5) + config.get("leaf", 0) + {"linear": 1.0}.get(config.get("kernel"), 0.0)
        return Result(loss, 1.0, budget, {"config": dict(config)})

    return SimpleProblem("svm", space, evaluate)


def test_a_subset_of_a_conditional_problem_runs():
    b = Benchmark(subset(problem(SVM), {"model": "tree"}))
    assert b.space.names == ("leaf", "split")
    assert b.optimum == 1.5
    assert b.objective({"leaf": 2, "split": 2}).info["config"] == {"model": "tree", "leaf": 2, "split": 2}
    assert b.objective_batch([{"leaf": 2, "split": 2}])[0].tolist() == [2.5]
    held = Benchmark(subset(problem(SVM), {"gamma": 0.25, "kernel": ["linear", "rbf"]}))
    assert held.optimum == 0.25
    for config in held.space.sample(np.random.default_rng(0), 20):
        full = held.objective(config).info["config"]
        assert full.get("gamma") == (0.25 if full.get("kernel") == "rbf" else None)
    assert Benchmark(subset(problem(SVM), {"kernel": "poly"})).optimum is None


def test_what_is_no_box_cannot_be_shifted():
    conditional = Space(SVM.hyperparameters, SVM.conditions)
    forbidden = Space([Int("a", 0, 9)], forbidden=[Forbidden({"a": [1]})])
    listed = Space([Int("a", 0, 9)], listed=[{"a": 1}, {"a": 2}])
    for space in (conditional, forbidden, listed):
        with pytest.raises(InvalidOption, match="can be shifted, and that of 'svm' has conditions, forbidden clauses"):
            shifted(problem(space), {space.names[0]: 0.5})
