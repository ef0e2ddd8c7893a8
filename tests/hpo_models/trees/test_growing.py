"""Trees of an ensemble: both ways to grow them give the same bits, and without chance they are scikit-learn's."""

import importlib.util

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeRegressor

from hpo_models.trees import by_level
from hpo_models.trees.samples import bootstrap, on_grid

needs_numba = pytest.mark.skipif(importlib.util.find_spec("numba") is None, reason="needs the extra fast")
both_ways = pytest.mark.parametrize("way", ["by_level", pytest.param("compiled", marks=needs_numba)])


def grower(way):
    if way == "compiled":
        from hpo_models.trees import compiled

        return compiled
    return by_level


def shape(trees, node, leaf_of):
    """A node as nested tuples; a leaf as the rows of the sample that it holds."""
    if trees.left[node] == node:
        return tuple(np.flatnonzero(leaf_of == node))
    left, column, threshold = trees.left[node], int(trees.column[node]), float(trees.threshold[node])
    return column, threshold, shape(trees, left, leaf_of), shape(trees, left + 1, leaf_of)


def shapes(trees, counts):
    return [shape(trees, t, np.where(counts[t] > 0, trees.leaves[t], -1)) for t in range(len(counts))]


def rows_of(rng, n, width, n_different):
    """Rows with ties, and complementary columns, as categoricals have them; no ties with n_different = 0."""
    rows = rng.random((n, width))
    if n_different:
        rows = np.floor(rows * n_different) / n_different
        rows[:, -1] = 1.0 - rows[:, 0]
    return rows


@needs_numba
@given(
    st.integers(1, 70),
    st.integers(1, 6),
    st.sampled_from([0, 2, 5]),
    st.integers(1, 4),
    st.floats(0, 1),
    st.integers(0),
)
def test_numpy_and_numba_grow_the_same_trees(n, width, n_different, min_leaf, max_features, seed):
    from hpo_models.trees import compiled

    rng = np.random.default_rng(seed)
    rows = rows_of(rng, n, width, n_different)
    values = rng.choice([rng.normal(), 0.3, 1e6], n) + rng.normal(size=n) * (seed % 2)
    task = bootstrap(rows, values, rng, 5, min_leaf, max_features)
    ways = [way.grow(task) for way in (by_level, compiled)]
    assert shapes(ways[0], task.counts) == shapes(ways[1], task.counts)
    queries = rng.random((30, width))
    for trees in ways:
        moments = rng.random((len(trees.left), 2))
        sums = [way.sums_of_leaves(trees, moments, 5, queries) for way in (by_level, compiled)]
        np.testing.assert_array_equal(*sums)


@both_ways
@pytest.mark.parametrize("min_leaf", [1, 3])
def test_without_chance_a_tree_is_that_of_scikit_learn(way, min_leaf):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        rows = rng.random((60, 4)).astype(np.float32)
        values = np.sin(6 * rows[:, 0]) + rows[:, 1] * rows[:, 2] + 0.2 * rng.normal(size=60)
        task = bootstrap(rows, values, rng, 3, min_leaf, max_features=1.0)
        trees = grower(way).grow(task)
        for t, weights in enumerate(task.counts):
            peer = DecisionTreeRegressor(min_samples_leaf=min_leaf, min_samples_split=2 * min_leaf, random_state=0)
            peer.fit(rows, values, sample_weight=weights)
            assert trees.column[t] == peer.tree_.feature[0]
            assert trees.threshold[t] == pytest.approx(peer.tree_.threshold[0], abs=1e-6)
            # the sets of rows in nodes; some small ones can be had by splits of several columns
            inside = np.flatnonzero(weights)
            paths = peer.decision_path(rows[inside]).toarray().astype(bool)
            assert set(members(trees, t, rows, inside)) == {frozenset(inside[column]) for column in paths.T}


def members(trees, node, rows, inside):
    """Rows in each node below a node, and in itself."""
    yield frozenset(inside)
    if trees.left[node] != node:
        right = rows[inside, trees.column[node]] > trees.threshold[node]
        yield from members(trees, trees.left[node], rows, inside[~right])
        yield from members(trees, trees.left[node] + 1, rows, inside[right])


@both_ways
def test_a_split_uses_a_random_share_of_the_columns(way):
    rng = np.random.default_rng(0)
    rows = np.column_stack([np.arange(40.0), *rng.random((2, 40)), np.zeros(40)])
    task = bootstrap(rows, rows[:, 0], rng, 1000, 5, max_features=0.5)  # the first column is always the best
    trees = grower(way).grow(task)
    assert np.mean(trees.column[:1000] == 0) == pytest.approx(0.5, abs=0.08)  # five standard deviations
    assert (trees.column[:1000] < 3).all() and (trees.left[:1000] >= 1000).all()


@both_ways
def test_constant_columns_do_not_keep_a_node_from_being_split(way):
    rows = np.column_stack([np.zeros((30, 9)), np.arange(30.0)])
    task = bootstrap(rows, rows[:, 9], np.random.default_rng(0), 20, 1, max_features=0.1)
    trees = grower(way).grow(task)
    inner = trees.left != np.arange(len(trees.left))
    assert (trees.column[inner] == 9).all()
    assert len(trees.left) == sum(2 * (row > 0).sum() - 1 for row in task.counts)  # down to single rows


@both_ways
def test_numbers_that_differ_by_rounding_are_not_told_apart(way):
    rows = np.repeat([[0.3], [0.3 + 1e-12], [0.7]], 10, axis=0)
    task = bootstrap(rows, np.repeat([0.0, 1.0, 0.0], 10), np.random.default_rng(0), 5, 1, 1.0)
    trees = grower(way).grow(task)
    assert len(trees.left) == 15
    np.testing.assert_allclose(trees.threshold[:5], 0.5)


@given(st.lists(st.floats(-1e12, 1e12), min_size=2, max_size=200), st.integers(0))
def test_sums_on_the_grid_do_not_depend_on_their_order(values, seed):
    grid = on_grid(np.array(values), 1000)
    shuffled = np.random.default_rng(seed).permutation(np.tile(grid, 1000 // len(grid)))
    assert np.sum(shuffled) == np.cumsum(shuffled)[-1] == np.cumsum(np.sort(shuffled))[-1]
    exact = np.array(values) - 0.5 * (max(values) + min(values))
    if np.ptp(exact) > 1e-200:
        np.testing.assert_allclose(grid / np.ptp(grid), exact / np.ptp(exact), atol=1e-11)
    elif np.ptp(exact) == 0.0:
        np.testing.assert_array_equal(grid, 0.0)
