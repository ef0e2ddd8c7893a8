"""Evolutionary optimizers on spaces with conditions, forbidden clauses and lists."""

import math

import numpy as np
import pytest
from scipy.stats import chisquare

from baselines import optimizer
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
        Categorical("kernel", ["linear", "rbf", "poly"]),
        Int("degree", 2, 6),
        Categorical("shift", ["none", "some"], weights=[1, 3]),
        Float("size", 0.0, 1.0),
        Float("c", 0.0, 1.0),
        Constant("version", 3),
    ],
    [
        Condition("degree", "kernel", ("poly",)),
        Condition("shift", "kernel", ("poly",)),
        Condition("size", "shift", ("some",)),
        Condition("version", "kernel", ("poly", "rbf")),
    ],
)
FORBIDDEN = Space([Int("leaf", 1, 9), Int("split", 1, 9)], forbidden=[ForbiddenRelation("leaf", ">", "split")])
NEARLY = Space([Int(f"x{i}", 0, 9) for i in range(3)], forbidden=[Forbidden({"x0": range(1, 10)})])


def listed(n=60):
    box = Space([Float("x", 0, 1), Float("y", 0, 1), Categorical("c", "ab")])
    return Space(box, listed=box.sample(np.random.default_rng(7), n))


def tell_all(o, n, loss=lambda config: 1.0):
    """n proposals, each told at once."""
    proposals = []
    for _ in range(n):
        proposals.append(o.ask())
        o.tell(proposals[-1], loss(proposals[-1].config), 1.0)
    return [p.config for p in proposals]


def children_of(space, parent, n, seed=0):
    """Children of a parent, the only member of a population."""
    o = optimizer("re", space, seed=seed, population=1)
    proposal = o.ask()
    codes = space.encode(parent)[0].tolist()
    o._pending._entries[id(proposal)] = (proposal, codes)
    o.tell(proposal, 0.0, 1.0)
    return [o.ask().config for _ in range(n)]


# --- regularized evolution -----------------------------------------------------------------------------------------


def test_only_what_is_active_mutates():
    """Wrong once in a thousand seeds, and the seed is fixed."""
    parent = {"kernel": "rbf", "c": 0.5, "version": 3}
    children = children_of(CONDITIONAL, parent, 1000)
    kernel = [child for child in children if child["kernel"] != "rbf"]
    others = [child for child in children if child["kernel"] == "rbf"]
    assert chisquare([len(kernel), len(others)]).pvalue > 0.001  # kernel or c, never the constant
    assert all(list(child) == ["kernel", "c", "version"] and child["c"] != 0.5 for child in others)
    assert all(child["c"] == 0.5 for child in kernel)


def test_what_becomes_active_is_random_and_what_becomes_inactive_is_gone():
    """Wrong once in a thousand seeds each, and the seed is fixed."""
    children = children_of(CONDITIONAL, {"kernel": "linear", "c": 0.5}, 3000)
    assert {tuple(c) for c in children if c["kernel"] == "rbf"} == {("kernel", "c", "version")}
    poly = [child for child in children if child["kernel"] == "poly"]
    assert chisquare(np.bincount([c["degree"] for c in poly], minlength=7)[2:]).pvalue > 0.001
    some = [child["size"] for child in poly if child["shift"] == "some"]  # a grandchild becomes active too
    assert chisquare([len(some), len(poly) - len(some)], [0.75 * len(poly), 0.25 * len(poly)]).pvalue > 0.001
    assert chisquare(np.histogram(some, bins=5, range=(0, 1))[0]).pvalue > 0.001
    parent = {"kernel": "poly", "degree": 4, "shift": "some", "size": 0.25, "c": 0.5, "version": 3}
    for child in children_of(CONDITIONAL, parent, 300):
        if child["kernel"] == "linear":
            assert list(child) == ["kernel", "c"]
        elif child["kernel"] == "poly" and child["shift"] == "none":
            assert child == {"kernel": "poly", "degree": 4, "shift": "none", "c": 0.5, "version": 3}


def test_forbidden_children_are_made_again_from_the_same_parent():
    for child in children_of(FORBIDDEN, {"leaf": 5, "split": 5}, 300):
        assert (child["leaf"] == 5) != (child["split"] == 5)
        assert child["leaf"] <= child["split"]


def test_a_parent_without_allowed_children_is_followed_by_a_random_configuration():
    space = Space([Categorical("a", "xy"), Categorical("b", "xy")], forbidden=[ForbiddenRelation("a", "==", "b")])
    o = optimizer("re", space, seed=0, population=1)
    configs = tell_all(o, 40)
    assert {tuple(config.values()) for config in configs} == {("x", "y"), ("y", "x")}
    assert o.n_random == 40


def test_a_child_is_the_nearest_listed_one_and_never_its_parent():
    space = listed()
    parent = space.numbering.config(11)
    children = children_of(space, parent, 200)
    assert parent not in children
    assert len({tuple(child.items()) for child in children}) > 10
    pair = Space(space, listed=[space.numbering.config(0), space.numbering.config(1)])
    assert children_of(pair, pair.numbering.config(0), 5) == [pair.numbering.config(1)] * 5
    alone = Space(space, listed=[space.numbering.config(0)])
    assert children_of(alone, alone.numbering.config(0), 3) == [alone.numbering.config(0)] * 3


# --- differential evolution and CMA-ES -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["de", "cmaes"])
def test_members_keep_coordinates_of_what_is_switched_off(name):
    """The losses are those of the same search in the whole cube, of a loss that does not look at what is off."""
    if name == "cmaes":
        pytest.importorskip("cma")

    def loss(config):
        return config["c"] + {"linear": 0.3, "rbf": 0.2, "poly": 0.0}[config["kernel"]] + config.get("size", 0.4)

    box = Space(CONDITIONAL.hyperparameters)
    whole = tell_all(optimizer(name, box, seed=3), 120, lambda config: loss(CONDITIONAL.complete(config)))
    active = tell_all(optimizer(name, CONDITIONAL, seed=3), 120, loss)
    assert active == [CONDITIONAL.complete(config) for config in whole]


@pytest.mark.parametrize("name", ["de", "cmaes"])
def test_a_forbidden_point_is_drawn_again(name):
    if name == "cmaes":
        pytest.importorskip("cma")
    configs = tell_all(optimizer(name, FORBIDDEN, seed=0), 200, lambda c: (c["leaf"] - 6) ** 2 + (c["split"] - 6) ** 2)
    assert all(config["leaf"] <= config["split"] for config in configs)
    assert configs.count({"leaf": 6, "split": 6}) > 5  # found, at the edge of what is allowed


@pytest.mark.parametrize("name", ["de", "cmaes", "re"])
def test_in_vain_a_random_configuration_takes_its_place_and_is_learned_from(name, monkeypatch):
    if name == "cmaes":
        pytest.importorskip("cma")
    monkeypatch.setattr("baselines.parts.sampling.TRIES", 0)
    o = optimizer(name, NEARLY, seed=0)
    assert all(config["x0"] == 0 for config in tell_all(o, 150, lambda config: float(config["x1"])))
    assert o.n_random == 150
    if name == "de":
        assert all(loss == math.floor(point[1] * 10) for loss, point in o.members.values())


@pytest.mark.parametrize("name", ["de", "cmaes"])
def test_a_point_stands_for_the_nearest_listed_configuration(name):
    if name == "cmaes":
        pytest.importorskip("cma")
    space = listed()
    snapped = tell_all(optimizer(name, space, seed=5), 50, lambda config: config["x"])
    box = Space(space.hyperparameters)
    free = tell_all(optimizer(name, box, seed=5), 50, lambda config: space.nearest(config)["x"])
    assert snapped == [space.nearest(config) for config in free]


# --- that they search ----------------------------------------------------------------------------------------------


def problem():
    best = {"degree": (3, 0.05), "size": (0.2, 0.3)}

    def evaluate(config, budget, seed):
        loss = {"linear": 0.6, "rbf": 0.5, "poly": 0.0}[config["kernel"]] + abs(config["c"] - 0.7)
        loss += sum(slope * abs(config[name] - value) for name, (value, slope) in best.items() if name in config)
        return Result(loss + 0.2 * (config.get("shift") == "none"), 1.0, budget, {})

    return Benchmark(SimpleProblem("svm", CONDITIONAL, evaluate))


@pytest.mark.parametrize("name", ["re", "de", "cmaes"])
def test_evolution_beats_random_search_on_a_conditional_space(name):
    if name == "cmaes":
        pytest.importorskip("cma")
    options = {"re": {"population": 20}}.get(name, {})
    found = [run(problem(), name, n_trials=150, seed=seed, options=options).best.loss for seed in range(10)]
    random = [run(problem(), "rs", n_trials=150, seed=seed).best.loss for seed in range(10)]
    assert np.median(found) < 0.6 * np.median(random)


def test_a_finite_conditional_space_has_integer_values():
    space = Space([Ordinal("a", [1, 2]), Int("b", 0, 9)], [Condition("b", "a", (2,))])
    for name in ("re", "de", "rs"):
        for config in tell_all(optimizer(name, space, seed=0, **({"population": 5} if name != "rs" else {})), 60):
            assert space.check(config) == config
            assert all(type(value) is int for value in config.values())
