"""Configurations as inputs: by hand, by codes, and what is refused."""

import math

import numpy as np
import pytest
from surrogate_networks import SCENARIO, small_surrogate

from hpo_core.errors import InvalidConfig, InvalidSpace
from hpo_core.space import Condition, Space
from tabular.yahpo.inputs import InputLayout
from tabular.yahpo.measures import random_codes
from tabular.yahpo.problem import NetworkProblem

ACTIVE = {"x": 0.5, "kind": "c", "n": 4, "z": 1.0}


@pytest.fixture
def layout():
    return InputLayout(small_surrogate(), SCENARIO.fidelity, SCENARIO.fixed)


def test_an_input_by_hand(layout):
    """Budget, then the space's numbers in its order, the categories' values, and 1."""
    expected = [0.25 * math.log(2.0), 0.75, 0.1 * math.log(4.0) + 1.0, 1.5 * math.exp(-0.5) - 0.5, 0.0, 0.0, 1.0, 1.0]
    assert layout.numbers == ["epoch", "x", "n", "z"]
    assert layout.one(ACTIVE, 2) == pytest.approx(expected, rel=1e-11)


def test_what_is_switched_off_is_zero_before_its_transform(layout):
    x = layout.one({"x": 0.5, "kind": "b", "n": 4}, 2)
    assert x[3] == pytest.approx(1.5 - 0.5) and x[4:7] == [1.0, 0.0, 0.0]
    x = layout.one({"x": 0.5, "kind": "a", "z": 1.0}, 2)
    assert x[2] == pytest.approx(0.1 * math.log(1e-12) + 1.0) and x[4:7] == [0.0, 1.0, 0.0]


def test_codes_give_the_same_inputs_as_configurations():
    problem = NetworkProblem(SCENARIO, small_surrogate(), "3")
    codes = random_codes(problem, 100, np.random.default_rng(0))
    many = problem.layout.many(codes, 4)
    assert many.dtype == np.float32 and many.shape == (100, 8)
    one = [problem.layout.one(config, 4) for config in problem.space.decode(codes)]
    np.testing.assert_allclose(many, np.array(one, dtype=np.float32), rtol=1e-6)


def test_other_types_of_number_are_taken(layout):
    expected = layout.one(ACTIVE, 2)
    assert layout.one({"z": np.float64(1), "kind": np.str_("c"), "n": 4.0, "x": np.float32(0.5)}, 2) == expected
    assert layout.one({"x": 0.5, "kind": "c", "n": np.int64(4), "z": 1}, 2) == expected


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"x": 0.5, "kind": "c", "n": 4}, "'z' is missing"),
        ({"x": 0.5, "kind": "b", "n": 4, "z": 1.0}, "'z' is switched off here"),
        ({"x": 0.5, "kind": "a", "n": 4, "z": 1.0}, "'n' is switched off here"),
        ({**ACTIVE, "x": 1.5}, r"'x' must be a number in \[-1.0, 1.0\], got 1.5"),
        ({**ACTIVE, "n": 10}, "'n' must be an integer in 2..9, got 10"),
        ({**ACTIVE, "n": 3.5}, "'n' must be an integer"),
        ({**ACTIVE, "z": math.nan}, "'z' must be a number"),
        ({**ACTIVE, "x": True}, "'x' must be a number"),
        ({**ACTIVE, "kind": "d"}, "'kind' must be one of 'b', 'a', 'c', got 'd'"),
        ({**ACTIVE, "kind": ["c"]}, "'kind' must be one of"),
        ({**ACTIVE, "epoch": 3}, "no hyperparameter 'epoch'"),
        ("c", "a configuration is a mapping"),
        (None, "a configuration is a mapping"),
    ],
)
def test_configurations_outside_the_space_are_refused(layout, config, message):
    with pytest.raises(InvalidConfig, match=message):
        layout.one(config, 2)


def test_codes_must_be_nan_where_a_condition_switches_off(layout):
    given, absent = np.array([[0.5, 0.0, 2.0, 1.0]]), np.array([[0.5, 2.0, 2.0, np.nan]])
    with pytest.raises(InvalidConfig, match=r"code of 'z' is switched off and must be NaN, got 1\.0 in row 0"):
        layout.many(given, 2)
    with pytest.raises(InvalidConfig, match="code of 'z' is active and must have a value, got nan in row 0"):
        layout.many(absent, 2)


def test_spaces_that_the_network_cannot_take_are_refused():
    from dataclasses import replace

    surrogate = small_surrogate()
    kinds = list(surrogate.space)
    with pytest.raises(InvalidSpace, match="'y' is no input"):
        InputLayout(replace(surrogate, space=Space([*kinds, replace(kinds[0], name="y")])), "epoch", {})
    with pytest.raises(InvalidSpace, match="'z' by 'n'"):
        InputLayout(replace(surrogate, space=Space(kinds, [Condition("z", "n", (3,))])), "epoch", {})
