"""Features: configurations as rows of numbers, and back."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare, kstest
from strategies import spaces

from hpo_core import Categorical, Constant, Float, Int, Ordinal, Space
from hpo_models.features import Features

KINDS = Space(
    [
        Categorical("c", ["x", "y", "z"]),
        Float("f", 0.0, 1.0),
        Constant("k", 1),
        Int("i", 1, 100, log=True),
        Categorical("b", [True, False], weights=[3, 1]),
        Ordinal("o", [1, 2, 5, 9]),
    ]
)


@given(spaces(), st.integers(0, 2**31))
def test_features_keep_what_a_configuration_is(space, seed):
    features = Features(space)
    codes = space.encode(space.sample(np.random.default_rng(seed), 5))
    rows = features.from_unit(space.to_unit(codes))
    assert rows.shape == (5, features.width)
    back = space.from_unit(np.array([features.to_unit(row) for row in rows]))
    np.testing.assert_allclose(back, codes, rtol=1e-9, atol=1e-9)


def test_features_of_one_configuration_by_hand():
    rows = Features(KINDS).from_unit(np.array([[0.5, 0.25, 0.5, 0.5, 0.9, 0.30]]))
    seven = math.log(7 / 0.5) / math.log(100.5 / 0.5)  # the integer closest to the middle of the log scale, sqrt(50)
    np.testing.assert_allclose(rows, [[0.25, seven, 0.375, 0, 1, 0, 0, 1]])


def test_the_upper_end_belongs_to_the_last_value():
    rows = Features(KINDS).from_unit(np.ones((1, 6)))
    hundred = math.log(100 / 0.5) / math.log(100.5 / 0.5)
    np.testing.assert_allclose(rows, [[1.0, hundred, 0.875, 0, 0, 1, 0, 1]])


def test_random_rows_follow_the_weights_and_the_cells():
    rows = Features(KINDS).sample_prior(np.random.default_rng(0), 8000)
    assert chisquare(rows[:, 3:6].sum(axis=0)).pvalue > 0.001
    assert chisquare(rows[:, 6:].sum(axis=0), [6000, 2000]).pvalue > 0.001
    assert chisquare(np.unique(rows[:, 2], return_counts=True)[1]).pvalue > 0.001
    assert kstest(rows[:, 0], "uniform").pvalue > 0.001
