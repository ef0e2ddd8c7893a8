"""Spaces that have only listed configurations."""

import copy
import json
import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare
from strategies import listed_spaces

from hpo_core import Benchmark, Categorical, Condition, Constant, Float, Forbidden, Int, Ordinal, Result, Space
from hpo_core import SimpleProblem as Problem
from hpo_core.errors import InvalidConfig, InvalidSpace, UnsupportedSpace
from hpo_core.space.plain_data import space_from_json, space_to_json

HYPERPARAMETERS = [
    Categorical("optimizer", ["adam", "sgd"]),
    Float("lr", 1e-5, 1e-1, log=True),
    Float("momentum", 0.0, 1.0),
    Ordinal("batch", [8, 16, 32]),
    Constant("epochs", 50),
]
ONLY_SGD = [Condition("momentum", "optimizer", ("sgd",))]
CONFIGS = [
    {"optimizer": "adam", "lr": 1e-4, "batch": 8, "epochs": 50},
    {"optimizer": "sgd", "lr": 1e-2, "momentum": 0.9, "batch": 32, "epochs": 50},
    {"optimizer": "sgd", "lr": 1e-2, "momentum": 0.0, "batch": 16, "epochs": 50},
    {"optimizer": "adam", "lr": 3e-3, "batch": 16, "epochs": 50},
]
LISTED = Space(HYPERPARAMETERS, ONLY_SGD, listed=CONFIGS)


def distance(space, a, b):
    """Between two configurations, from the definition."""
    total = 0.0
    for h in space:
        if h.name not in a and h.name not in b:
            continue
        if isinstance(h, (Categorical, Constant)):
            total += a.get(h.name, "off") != b.get(h.name, "off")
        elif h.name in a and h.name in b:
            u, v = (float(h.to_unit(np.array(h.code(config[h.name])))) for config in (a, b))
            total += (u - v) ** 2
        else:  # at least 1, and more the farther the value is from the middle
            u = float(h.to_unit(np.array(h.code((a if h.name in a else b)[h.name]))))
            total += 1 + (u - 0.5) ** 2
    return math.sqrt(total)


def test_only_the_listed_configurations_are_in():
    assert LISTED.finite
    assert (LISTED.size, LISTED.numbering.size) == (4, 4)
    assert repr(LISTED) == "Space(optimizer, lr, momentum, batch, epochs; 4 configurations)"
    assert list(LISTED.configs()) == CONFIGS
    for config in CONFIGS:
        assert LISTED.check(dict(reversed(config.items()))) == config
    with pytest.raises(InvalidConfig, match="only 4 listed configurations are in this space, and this is none of them"):
        LISTED.check({**CONFIGS[0], "lr": 1.0001e-4})
    with pytest.raises(InvalidConfig, match="'lr' is missing"):
        LISTED.check({"optimizer": "adam", "batch": 8, "epochs": 50})
    with pytest.raises(UnsupportedSpace, match="a list"):
        _ = LISTED.grid


def test_the_numbers_are_those_of_the_list():
    numbering = LISTED.numbering
    codes = LISTED.encode(CONFIGS)
    assert LISTED.code_type is np.float64
    assert np.array_equal(codes, LISTED.listed, equal_nan=True)
    assert [numbering.index(config) for config in CONFIGS] == [0, 1, 2, 3]
    assert numbering.indices(codes[[2, 0, 2]]).tolist() == [2, 0, 2]
    assert [numbering.config(i) for i in range(4)] == CONFIGS
    assert np.array_equal(numbering.codes(np.array([3, 1])), codes[[3, 1]], equal_nan=True)
    assert numbering.missing(np.vstack([codes[:1], codes[1:2] * [1, 2, 1, 1, 1]])).tolist() == [False, True]
    for index in (-1, 4):
        with pytest.raises(InvalidConfig, match=r"index must be in 0\.\.3"):
            numbering.config(index)


def test_codes_that_are_not_listed_are_named_by_row():
    codes = LISTED.encode(CONFIGS)
    codes[2, 1] = 0.05
    for ask in (LISTED.check_codes, LISTED.decode, LISTED.numbering.indices):
        with pytest.raises(InvalidConfig, match="row 2 of the codes: only 4 listed"):
            ask(codes)


def test_the_list_cannot_be_changed():
    codes = LISTED.encode(CONFIGS)
    space = Space(HYPERPARAMETERS, ONLY_SGD, listed=codes)
    codes[0] = 7
    assert space == LISTED
    with pytest.raises(ValueError, match="read-only"):
        space.listed[0, 0] = 1


def test_zeros_of_both_signs_and_all_nans_are_one_value():
    other_nan = np.array([0xFFF8000000000001], dtype=np.uint64).view(float)[0]
    space = Space(
        [Categorical("k", "ab"), Float("x", -1, 1)], [Condition("x", "k", ("b",))], listed=[{"k": "b", "x": -0.0}]
    )
    assert space.numbering.index({"k": "b", "x": 0.0}) == space.numbering.index({"k": "b", "x": -0.0}) == 0
    with pytest.raises(InvalidSpace, match="must differ, got 1 repeated"):
        Space(space.hyperparameters, space.conditions, listed=[{"k": "b", "x": 0.0}, {"k": "b", "x": -0.0}])
    off = Space(space.hyperparameters, space.conditions, listed=np.array([[0.0, other_nan]]))
    assert off.numbering.index({"k": "a"}) == 0
    assert off.numbering.indices(np.array([[0.0, np.nan], [0.0, other_nan]])).tolist() == [0, 0]


@pytest.mark.parametrize(
    ("listed", "words"),
    [
        ([], "must not be empty"),
        (np.empty((0, 5)), "must not be empty"),
        ([*CONFIGS[::3], CONFIGS[2], *CONFIGS[2:]], "must differ, got 2 repeated ones"),
        ([{**CONFIGS[0], "lr": 1.0}], "listed configuration: hyperparameter 'lr' must be a number in"),
        ([{**CONFIGS[0], "momentum": 0.5}], "listed configuration: hyperparameter 'momentum' is switched off"),
        (np.zeros((2, 3)), "listed configuration: codes must be a number array of shape"),
        ([CONFIGS[1]], "listed configuration: a configuration must not have batch in [32]"),
    ],
)
def test_lists_that_cannot_be_are_refused(listed, words):
    with pytest.raises(InvalidSpace) as caught:
        Space(HYPERPARAMETERS, ONLY_SGD, forbidden=[Forbidden({"batch": [32]})], listed=listed)
    assert words in str(caught.value)


def test_a_random_configuration_is_any_of_the_list():
    """Wrong once in a thousand seeds, and the seed is fixed. Weights of a categorical have no say."""
    weighted = Space(
        [Categorical("c", "xy", weights=[9, 1]), Int("i", 0, 9)],
        listed=[{"c": c, "i": i} for i in range(5) for c in "xy"],
    )
    drawn = [weighted.numbering.index(config) for config in weighted.sample(np.random.default_rng(0), 4000)]
    assert chisquare(np.bincount(drawn, minlength=10)).pvalue > 0.001


# --- the nearest ---------------------------------------------------------------------------------------------------


@settings(max_examples=50)
@given(listed_spaces(), st.integers(0, 2**32))
def test_the_nearest_is_that_of_the_definition(space, seed):
    box = Space(space.hyperparameters, space.conditions)
    points = box.sample(np.random.default_rng(seed), 6)
    codes = space.from_unit(box.to_unit(box.encode(points)))
    for point, row in zip(points, space.decode(codes), strict=True):
        distances = [distance(space, point, config) for config in space.configs()]
        assert distance(space, point, row) <= min(distances) + 1e-9
        assert distance(space, point, space.nearest(point)) <= min(distances) + 1e-9


@settings(max_examples=50)
@given(listed_spaces())
def test_a_listed_configuration_is_nearest_to_itself(space):
    configs = list(space.configs())
    assert [space.nearest(config) for config in configs] == configs
    assert np.array_equal(space.from_unit(space.to_unit(space.listed)), space.listed, equal_nan=True)


def test_configurations_that_nearly_agree_are_kept_apart():
    rates = 0.5 + 1e-9 * np.arange(50)
    space = Space([Float("x", 0.0, 1.0), Categorical("c", "ab")], listed=[{"x": x, "c": "a"} for x in rates])
    assert np.array_equal(space.from_unit(space.to_unit(space.listed)), space.listed)
    assert space.nearest({"x": 0.5 + 20.4e-9, "c": "a"})["x"] == rates[20]


def test_of_several_that_are_as_near_it_is_the_first():
    space = Space([Int("x", 0, 3), Categorical("c", "ab")], listed=[{"x": 2, "c": "a"}, {"x": 0, "c": "a"}])
    assert space.nearest({"x": 1, "c": "b"}) == {"x": 2, "c": "a"}


def test_points_are_snapped_alike_one_by_one_and_in_blocks(monkeypatch):
    unit = np.random.default_rng(0).random((40, len(LISTED)))
    together = LISTED.from_unit(unit)
    monkeypatch.setattr("hpo_core.space.listing.BLOCK", 10)
    assert np.array_equal(LISTED.from_unit(unit), together, equal_nan=True)
    for row, codes in zip(unit, together, strict=True):
        assert np.array_equal(LISTED.from_unit(row[None])[0], codes, equal_nan=True)
    assert LISTED.from_unit(np.empty((0, 5))).shape == (0, 5)


def test_neighbours_are_the_nearest_others():
    rng = np.random.default_rng(0)
    space = Space(HYPERPARAMETERS[:3], listed=Space(HYPERPARAMETERS[:3]).sample(rng, 30))
    configs = list(space.configs())
    for config in configs[:5]:
        found = space.neighbours(config)
        others = sorted((distance(space, config, other), i) for i, other in enumerate(configs) if other != config)
        assert found == [configs[i] for _, i in others[:6]]  # two for each hyperparameter
    assert Space(HYPERPARAMETERS, ONLY_SGD, listed=CONFIGS[:1]).neighbours(CONFIGS[0]) == []


def test_the_order_of_a_point_is_that_of_the_distances():
    box = Space(HYPERPARAMETERS, ONLY_SGD)
    point = {"optimizer": "sgd", "lr": 1e-3, "momentum": 0.4, "batch": 16, "epochs": 50}
    order = LISTED.numbering.order(box.to_unit(box.encode(point))[0])
    assert order.tolist() == sorted(range(4), key=lambda i: distance(LISTED, point, CONFIGS[i]))


# --- files, comparisons, problems ----------------------------------------------------------------------------------


def test_a_list_survives_files():
    for again in (
        space_from_json(json.loads(json.dumps(space_to_json(LISTED)))),
        copy.deepcopy(LISTED),
        pickle.loads(pickle.dumps(LISTED)),
        Space(LISTED.to_configspace()),
        Space(HYPERPARAMETERS, ONLY_SGD, listed=LISTED.listed),
        Space(Space(HYPERPARAMETERS, ONLY_SGD).to_configspace(), listed=CONFIGS),
    ):
        assert (again, hash(again)) == (LISTED, hash(LISTED))
        assert list(again.configs()) == CONFIGS
    assert Space(HYPERPARAMETERS, ONLY_SGD) != LISTED
    assert Space(HYPERPARAMETERS, ONLY_SGD, listed=CONFIGS[:3]) != LISTED
    assert Space(HYPERPARAMETERS, ONLY_SGD, listed=CONFIGS[::-1]) != LISTED


@pytest.mark.parametrize("listed", [3, [[1, 2], [3]], [["a"] * 5], []])
def test_a_damaged_list_in_a_file_is_refused(listed):
    with pytest.raises(InvalidSpace):
        space_from_json({**space_to_json(LISTED), "listed": listed})


def test_discrete_lists_keep_integer_codes():
    space = Space([Int("x", 0, 9), Categorical("c", "ab")], listed=[{"x": 3, "c": "b"}, {"x": 7, "c": "a"}])
    assert space.code_type is np.int64
    assert space.listed.tolist() == [[3, 1], [7, 0]]
    assert space.from_unit(np.array([[0.9, 0.1]])).dtype == np.int64


def test_a_benchmark_takes_the_list_and_nothing_else():
    def evaluate(config, budget, seed):
        return Result(config["lr"], 1.0, budget, {})

    b = Benchmark(Problem("listed", LISTED, evaluate))
    assert b.objective_batch(LISTED.listed)[0].tolist() == [config["lr"] for config in CONFIGS]
    assert b.objective(LISTED.nearest({**CONFIGS[0], "lr": 2e-4})).loss == 1e-4
    with pytest.raises(InvalidConfig, match="none of them"):
        b.objective({**CONFIGS[0], "lr": 2e-4})
