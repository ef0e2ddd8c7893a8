"""Spaces from the values that hyperparameters took."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpo_core import Categorical, Constant, Int, Ordinal
from hpo_core.errors import InvalidOption
from tabular.frames.inference import inferred_hyperparameter, inferred_space, unevenness


def of(values, **options):
    return inferred_hyperparameter(
        "h", np.array(values, dtype=None if type(values[0]) is not str else object), **options
    )


RNG = np.random.default_rng(0)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([True, False, True], Categorical("h", [False, True])),
        (["relu", "tanh", "relu"], Categorical("h", ["relu", "tanh"])),
        (["x", "x"], Constant("h", "x")),
        ([100, 100, 100], Constant("h", 100)),
        ([3, 1, 2, 5, 4], Int("h", 1, 5)),
        ([3.0, 1.0, 2.0], Int("h", 1, 3)),  # whole numbers that were written as floats
        ([16, 32, 64, 128] * 3, Ordinal("h", [16, 32, 64, 128])),
        ([0.1, 0.001, 0.01] * 4, Ordinal("h", [0.001, 0.01, 0.1])),
        ([16, 32, 64, 128], Int("h", 16, 128)),  # too few to tell: each value was used once
        ((10 ** RNG.uniform(-5, -1, 200)), "float log"),
        (RNG.uniform(0.1, 0.9, 200), "float"),
        (RNG.uniform(-5, -1, 200), "float"),
        (np.rint(10 ** RNG.uniform(1, 4, 200)).astype(int), "int log"),
        (RNG.integers(1, 1000, 200), "int"),
    ],
    ids=str,
)
def test_rules(values, expected):
    found = of(values)
    if isinstance(expected, str):
        assert found.kind + " log" * found.log == expected
        assert (found.low, found.high) == (min(values), max(values))
    else:
        assert found == expected
        assert type(found) is type(expected)


def test_numbers_of_a_grid_are_ordinals():
    assert of([1, 2, 3], grid=True) == Ordinal("h", [1, 2, 3])
    assert of([0.5, 0.25], grid=True) == Ordinal("h", [0.25, 0.5])


@given(st.lists(st.floats(-1e6, 1e6).map(lambda x: round(x, 6)), min_size=2, max_size=60))
def test_every_value_is_in_the_space_that_was_inferred_from_it(values):
    h = of([float(v) for v in values])
    for value in values:
        assert h.value(h.code(value)) == value


def test_unevenness_by_hand():
    assert unevenness(np.array([0.0, 0.5, 1.0])) == pytest.approx(1 / 3)
    # of four numbers three lie at or below a tenth of the range: 3/4 - 1/10
    assert unevenness(np.array([0.0, 0.05, 0.1, 1.0])) == pytest.approx(0.65)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([0.1, np.nan, 0.2], "'h' has none in 1 of 3, first in row 2"),
        ([0.1, np.inf], "first in row 2"),
        (np.array(["a", None], dtype=object), "first in row 2"),
        (["0.1", "0.2", "auto"], "'auto' in row 3"),
        (["auto", "sqrt", "0.5"], "'0.5' in row 3"),
    ],
)
def test_values_that_are_none(values, words):
    with pytest.raises(InvalidOption, match=words):
        of(values)


def test_something_must_vary_and_be_there():
    frame = pd.DataFrame({"a": [1, 1], "b": ["x", "x"], "lr": [0.1, 0.2]})
    with pytest.raises(InvalidOption, match="a, b are constant"):
        inferred_space(frame, ["a", "b"])
    with pytest.raises(InvalidOption, match="no column 'lrr'; did you mean lr"):
        inferred_space(frame, ["lrr"])
    assert inferred_space(frame, ["a", "b", "lr"]).names == ("a", "b", "lr")
