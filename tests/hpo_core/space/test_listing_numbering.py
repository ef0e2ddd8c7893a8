"""Spaces with a list of configurations: their numbering, by value and by code."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpo_core import Categorical, Condition, Constant, Float, Int, Ordinal, Space
from hpo_core.errors import InvalidConfig, InvalidSpace

MIXED = [
    Float("f", 0.0, 1.0),
    Int("i", 0, 5),
    Categorical("c", ["a", "b"]),
    Categorical("flag", [True, False]),
    Ordinal("o", [1, 10]),
    Constant("k", None),
]


def listed(n=60, seed=0, conditions=()):
    base = Space(MIXED, conditions)
    configs = base.sample(np.random.default_rng(seed), n)
    return Space(MIXED, conditions, listed=configs), configs


@given(st.integers(0, 10_000))
def test_every_form_of_a_configuration_has_its_index(seed):
    space, configs = listed(12, seed)
    for i, config in enumerate(configs):
        assert space.numbering.index(config) == i
        assert space.numbering.index(dict(reversed(config.items()))) == i
        numpys = {k: v if isinstance(v, str) or v is None else np.array([v])[0] for k, v in config.items()}
        assert space.numbering.index(numpys) == i
        assert space.numbering.config(i) == config
    np.testing.assert_array_equal(space.numbering.indices(space.encode(configs)), np.arange(12))


def test_one_hyperparameter_is_found_by_its_value_too():
    space = Space([Float("x", -1.0, 1.0)], listed=[{"x": 0.5}, {"x": -0.25}, {"x": 0.0}])
    assert [space.numbering.index({"x": x}) for x in (0.5, -0.25, 0, -0.0)] == [0, 1, 2, 2]


def test_a_bool_is_not_a_number_and_a_number_no_bool():
    space = Space(
        [Categorical("flag", [True, False]), Int("n", 0, 3)],
        listed=[{"flag": True, "n": 1}, {"flag": False, "n": 0}],
    )
    assert space.numbering.index({"flag": np.bool_(True), "n": 1}) == 0
    for config in ({"flag": 1, "n": 1}, {"flag": True, "n": True}, {"flag": False, "n": False}):
        with pytest.raises(InvalidConfig):
            space.numbering.index(config)


def test_what_is_not_listed_is_refused():
    space, configs = listed()
    config = configs[3]
    wrong = [
        {**config, "f": config["f"] / 2},
        {**config, "surplus": 1},
        {k: v for k, v in config.items() if k != "f"},
        {**config, "c": ["a"]},
        "f",
        None,
    ]
    for bad in wrong:
        with pytest.raises(InvalidConfig):
            space.numbering.index(bad)
    with pytest.raises(InvalidConfig, match=r"space.nearest"):
        space.numbering.index(wrong[0])
    assert space.nearest(wrong[0]) in configs


def test_a_list_with_conditions():
    conditions = [Condition("o", "flag", (True,))]
    space, configs = listed(40, 1, conditions)
    assert any("o" not in config for config in configs) and any("o" in config for config in configs)
    assert [space.numbering.index(config) for config in configs] == list(range(40))
    off = next(config for config in configs if "o" not in config)
    with pytest.raises(InvalidConfig, match="switched off"):
        space.numbering.index({**off, "o": 1})


def test_a_configuration_is_listed_once():
    config = {"x": 0.5}
    with pytest.raises(InvalidSpace, match="repeated"):
        Space([Float("x", 0.0, 1.0)], listed=[config, config])
