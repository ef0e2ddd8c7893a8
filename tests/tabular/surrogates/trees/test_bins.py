"""Bins of codes."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hpo_core import Categorical, Constant, Float, Int, Ordinal, Space
from tabular.surrogates.trees.bins import MAX_EDGES, bins_of


def edges_of(h, codes):
    return bins_of(Space([h]), np.array(codes, dtype=float)[:, None], None, log_budget=False).edges[0]


def test_edges_lie_in_the_middle_on_the_scale_of_the_hyperparameter():
    np.testing.assert_allclose(edges_of(Float("x", 0, 1), [0.0, 0.5, 1.0, 0.5]), [0.25, 0.75])
    np.testing.assert_allclose(edges_of(Float("x", 1e-4, 1, log=True), [1e-4, 1e-2, 1.0]), [1e-3, 1e-1])
    np.testing.assert_allclose(edges_of(Int("n", 1, 100, log=True), [0, 3, 99]), [1.0, 19.0])  # values 1, 4, 100
    np.testing.assert_allclose(edges_of(Ordinal("o", [1, 10, 100]), [0, 1, 2, 2]), [0.5, 1.5])


def test_budgets_are_one_more_code():
    space = Space([Float("x", 0, 1)])
    bins = bins_of(space, np.array([[0.0], [1.0]]), np.array([1.0, 100.0]), log_budget=True)
    np.testing.assert_allclose(bins.edges[1], [10.0])
    assert len(bins.columns) == 2


def test_many_values_are_parted_into_groups_of_equal_size():
    values = np.random.default_rng(0).random(10_000) ** 3
    edges = edges_of(Float("x", 0, 1), values)
    assert len(edges) == MAX_EDGES
    counts = np.bincount(np.searchsorted(edges, values))
    assert counts.min() >= 35 and counts.max() <= 45  # 10,000 / 255 = 39.2
    np.testing.assert_array_equal(edges_of(Float("x", 0, 1), np.repeat(values, 51)), edges)  # a curve of 51 budgets
    assert len(edges_of(Float("x", 0, 1), np.append(np.zeros(9000), values[:1000]))) == MAX_EDGES


def test_inputs_of_categories_and_of_what_is_inactive():
    space = Space([Categorical("c", ["a", "b", "c"]), Constant("k", 1), Float("x", 0, 1)])
    codes = np.array([[0, 0, 0.0], [2, 0, 1.0], [np.nan, 0, np.nan]])
    found = bins_of(space, codes, None, log_budget=False).inputs(codes)
    np.testing.assert_array_equal(found, [[1, 0, 0, 0], [0, 0, 1, 1], [0, 0, 0, np.nan]])


@given(st.lists(st.floats(1e-300, 1e300), min_size=2, max_size=300), st.booleans())
def test_every_recorded_value_lies_between_its_own_edges(values, log):
    codes = np.array(values)
    if len(np.unique(codes)) < 2:
        return
    edges = edges_of(Float("x", codes.min(), codes.max(), log=log), codes)
    assert (np.diff(edges) > 0).all()
    different = np.unique(codes)
    if len(different) <= MAX_EDGES:
        assert np.array_equal(np.searchsorted(edges, different, side="left"), np.arange(len(different)))
