import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import any_spaces

from hpo_core import Categorical, Condition, Constant, Float, Int, Ordinal, Space
from hpo_core.errors import InvalidConfig, InvalidSpace, UnsupportedSpace
from hpo_core.space.plain_data import space_from_json, space_to_json

CONDITIONAL = Space(
    [
        Categorical("kernel", ["rbf", "linear"]),
        Float("gamma", 1e-3, 1e1, log=True),
        Int("degree", 1, 5),
    ],
    [Condition("gamma", "kernel", ("rbf",)), Condition("degree", "kernel", ("linear",))],
)


@given(any_spaces(), st.integers(0, 2**32))
def test_codes_and_configurations_are_inverse(space, seed):
    configs = space.sample(np.random.default_rng(seed), 5)
    codes = space.encode(configs)
    assert codes.shape == (5, len(space))
    assert space.decode(codes) == configs
    assert np.array_equal(space.encode(space.decode(codes)), codes, equal_nan=True)
    for config in configs:
        assert space.check(dict(reversed(config.items()))) == config


def test_a_frame_has_nan_where_a_hyperparameter_is_switched_off():
    configs = [{"kernel": "rbf", "gamma": 0.5}, {"kernel": "linear", "degree": 3}]
    frame = pd.DataFrame(configs)
    assert np.array_equal(CONDITIONAL.encode(frame), [[0, 0.5, np.nan], [1, np.nan, 2]], equal_nan=True)
    with pytest.raises(InvalidConfig, match="'gamma' is missing"):
        CONDITIONAL.encode(frame.assign(gamma=np.nan))
    with pytest.raises(InvalidConfig, match="'degree' is switched off here"):
        CONDITIONAL.encode(frame.assign(degree=3))


@given(any_spaces(), st.integers(0, 2**32))
def test_unit_cube_and_codes_are_inverse(space, seed):
    unit = np.random.default_rng(seed).random((20, len(space)))
    codes = space.from_unit(unit)
    back = space.to_unit(codes)
    assert ((back >= 0) & (back <= 1) | np.isnan(codes)).all()
    assert np.array_equal(np.isnan(codes), ~space.active(codes))
    again = space.from_unit(back)
    for i, h in enumerate(space):
        if isinstance(h, Float):
            np.testing.assert_allclose(again[:, i], codes[:, i], rtol=1e-9, atol=1e-9)
        else:
            assert np.array_equal(again[:, i], codes[:, i], equal_nan=True)
    corners = space.from_unit(np.array([[0.0] * len(space), [1.0] * len(space)]))
    space.decode(corners[space.allowed(corners)])


@given(any_spaces(), st.integers(0, 2**32), st.integers(1, 6))
def test_n_samples_are_n_single_samples(space, seed, n):
    one_by_one = np.random.default_rng(seed)
    assert space.sample(np.random.default_rng(seed), n) == [space.sample(one_by_one) for _ in range(n)]


@given(any_spaces())
def test_plain_data_gives_the_space_back(space):
    assert space_from_json(space_to_json(space)) == space


@settings(max_examples=40)
@given(st.lists(st.integers(1, 5), min_size=1, max_size=4))
def test_enumeration_follows_the_index(sizes):
    space = Space([Ordinal(f"x{i}", list(range(10, 10 + size))) for i, size in enumerate(sizes)])
    configs = list(space.configs())
    assert len(configs) == space.size == math.prod(sizes)
    assert [space.grid.index(config) for config in configs] == list(range(len(configs)))
    assert [space.grid.config(i) for i in range(len(configs))] == configs
    assert np.array_equal(space.grid.indices(space.encode(configs)), np.arange(len(configs)))
    assert np.array_equal(space.grid.codes(np.arange(len(configs))), space.encode(configs))


def test_sampling_is_uniform_or_follows_the_weights():
    space = Space([Int("i", 0, 3), Categorical("c", ["x", "y"], weights=[3, 1]), Float("f", 1e-4, 1, log=True)])
    configs = space.sample(np.random.default_rng(1), 20_000)
    counts = np.bincount([c["i"] for c in configs])
    assert np.abs(counts / 20_000 - 0.25).max() < 0.016  # more than five standard errors of .0031
    assert abs(np.mean([c["c"] == "x" for c in configs]) - 0.75) < 0.016
    assert abs(np.median(np.log10([c["f"] for c in configs])) + 2) < 0.07


def test_log_integers_share_the_scale_by_ratio():
    h = Int("n", 1, 1023, log=True)
    draws = np.array([h.draw(u) for u in np.random.default_rng(0).random(20_000)])
    low, high = math.log(0.5), math.log(1023.5)
    for n in (1, 10, 100):
        expected = (math.log(n + 0.5) - low) / (high - low)
        assert abs(np.mean(draws <= n) - expected) < 0.018


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"units": 32}, ["'lr'", "missing", "[0.0001, 0.1]"]),
        ({"units": 32, "lr": 0.01, "unit": 1}, ["no hyperparameter 'unit'", "units"]),
        ({"units": 33, "lr": 0.01}, ["'units'", "16, 32, 64", "33"]),
        ({"units": "32", "lr": 0.01}, ["'units'", "'32'"]),
        ({"units": True, "lr": 0.01}, ["'units'", "True"]),
        ({"units": [32], "lr": 0.01}, ["'units'", "[32]"]),
        ({"units": 32, "lr": float("nan")}, ["'lr'", "nan"]),
        ({"units": 32, "lr": float("inf")}, ["'lr'", "inf"]),
        ({"units": 32, "lr": 0.2}, ["'lr'", "[0.0001, 0.1]", "0.2"]),
        ({"units": 32, "lr": "0.01"}, ["'lr'", "'0.01'"]),
        ({"units": 32, "lr": None}, ["'lr'", "None"]),
        ({"units": 32, "lr": True}, ["'lr'", "True"]),
        ([32, 0.01], ["mapping", "list"]),
        (None, ["mapping", "NoneType"]),
    ],
)
def test_a_bad_configuration_is_named(config, words):
    space = Space([Ordinal("units", [16, 32, 64]), Float("lr", 1e-4, 1e-1, log=True)])
    with pytest.raises(InvalidConfig) as caught:
        space.check(config)
    assert all(word in str(caught.value) for word in words), caught.value


def test_equal_values_of_other_types_are_accepted():
    space = Space([Ordinal("u", [16, 32]), Ordinal("p", [0.0, 0.3]), Int("n", 1, 9), Float("f", 0, 1)])
    expected = {"u": 16, "p": 0.0, "n": 3, "f": 1.0}
    for config in (
        {"f": 1, "n": 3.0, "p": 0, "u": 16.0},
        {"u": np.int32(16), "p": np.float32(0), "n": np.uint8(3), "f": np.float32(1)},
        {"u": np.array(16), "p": np.array(0.0), "n": np.array(3), "f": np.array(1.0)},
    ):
        checked = space.check(config)
        assert checked == expected
        assert list(checked) == ["u", "p", "n", "f"]
        assert [type(v) for v in checked.values()] == [int, float, int, float]
    assert space["p"].code(np.float32(0.3)) == 1


def test_index_refuses_what_check_refuses():
    space = Space([Ordinal("p", [0.0, 1.0]), Categorical("c", ["x", "y"])])
    assert space.grid.index({"c": "y", "p": 1}) == 3
    assert space.grid.index({"c": np.str_("y"), "p": np.float32(1)}) == 3
    wrong = [{"c": "y", "p": True}, {"c": "y"}, {"c": "y", "p": 1, "q": 0}, {"c": "z", "p": 1}, {"c": [], "p": 1}]
    for config in wrong:
        with pytest.raises(InvalidConfig):
            space.grid.index(config)
    flags = Space([Categorical("flag", [True, False])])
    assert flags.grid.index({"flag": False}) == 1
    with pytest.raises(InvalidConfig):
        flags.grid.index({"flag": 0})


@pytest.mark.parametrize("codes", [[[0, 2]], [[-1, 0]], [[0.5, 0]], [[np.nan, 0]], [[0]], [0, 0], [["a", "b"]]])
def test_codes_out_of_range_are_refused(codes):
    space = Space([Ordinal("p", [0.0, 1.0]), Categorical("c", ["x", "y"])])
    with pytest.raises(InvalidConfig, match="code"):
        space.decode(np.array(codes))


def test_neighbours_change_one_hyperparameter():
    space = Space([Ordinal("u", [16, 32, 64]), Categorical("c", ["x", "y", "z"]), Int("n", 1, 3), Constant("k", 1)])
    found = space.neighbours({"u": 16, "c": "y", "n": 2, "k": 1})
    assert [(n["u"], n["c"], n["n"]) for n in found] == [
        (32, "y", 2),
        (16, "x", 2),
        (16, "z", 2),
        (16, "y", 1),
        (16, "y", 3),
    ]


def test_neighbours_of_floats_are_drawn():
    space = Space([Float("f", 0, 1)])
    with pytest.raises(UnsupportedSpace, match="rng"):
        space.neighbours({"f": 0.5})
    found = space.neighbours({"f": 0.5}, np.random.default_rng(0))
    assert len(found) == 4
    assert len({n["f"] for n in found}) == 4
    assert found == space.neighbours({"f": 0.5}, np.random.default_rng(0))


def test_conditions_switch_hyperparameters_off():
    for config in CONDITIONAL.sample(np.random.default_rng(0), 50):
        assert set(config) == {"kernel", "gamma" if config["kernel"] == "rbf" else "degree"}
        assert CONDITIONAL.decode(CONDITIONAL.encode(config)) == [config]
    assert np.isnan(CONDITIONAL.encode({"kernel": "linear", "degree": 2})[0, 1])
    for config, word in (
        ({"kernel": "rbf"}, "missing"),
        ({"kernel": "rbf", "gamma": 1.0, "degree": 2}, "switched off"),
        ({"kernel": "rbf", "gamma": 1.0, "other": 2}, "no hyperparameter"),
    ):
        with pytest.raises(InvalidConfig, match=word):
            CONDITIONAL.check(config)
    switched = CONDITIONAL.neighbours({"kernel": "linear", "degree": 2}, np.random.default_rng(0))[0]
    assert switched == {"kernel": "rbf", "gamma": pytest.approx(0.1)}
    with pytest.raises(UnsupportedSpace):
        _ = CONDITIONAL.grid


def test_size_of_a_finite_conditional_space():
    space = Space(
        [Categorical("a", [0, 1]), Ordinal("b", [1, 2, 3])],
        [Condition("b", "a", (1,))],
    )
    assert space.size == 4
    assert [c.get("b") for c in space.configs()] == [None, 1, 2, 3]


@pytest.mark.parametrize(
    "make",
    [
        lambda: Float("x", 1, 1),
        lambda: Float("x", 0, 1, log=True),
        lambda: Float("x", 0, math.inf),
        lambda: Float("x", 0, 1, default=2),
        lambda: Int("x", 3, 1),
        lambda: Int("x", 0.5, 3),
        lambda: Ordinal("x", []),
        lambda: Ordinal("x", [1, 1.0]),
        lambda: Categorical("x", [[1]]),
        lambda: Categorical("x", ["a", "b"], weights=[1]),
        lambda: Categorical("x", ["a", "b"], weights=[0, 0]),
        lambda: Categorical("x", ["a", "b"], default="c"),
        lambda: Space([]),
        lambda: Space(["x"]),
        lambda: Space([Int("x", 0, 1), Int("x", 0, 2)]),
        lambda: Space([Int("", 0, 1)]),
        lambda: Space([Int("x", 0, 1), Int("y", 0, 1)], [Condition("x", "y", (1,))]),
    ],
)
def test_impossible_spaces_are_refused(make):
    with pytest.raises(InvalidSpace):
        make()


def test_spaces_compare_by_content():
    def make(high):
        return Space([Int("x", 0, high), Categorical("c", ["a", "b"])])

    assert make(3) == make(3)
    assert hash(make(3)) == hash(make(3))
    assert make(3) != make(4)
    assert make(3) != "space"
