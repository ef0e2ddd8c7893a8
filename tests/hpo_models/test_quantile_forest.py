"""Quantiles of a forest and their conformal correction."""

import numpy as np
import pytest

from hpo_models.quantile_forest import conformal_correction, fit_quantile_forest

LEVELS = np.arange(1, 6) / 6


def noisy(rng, n):
    x = rng.random((n, 2))
    return x, np.sin(4 * x[:, 0]) + (0.2 + x[:, 1]) * rng.standard_normal(n)


def test_quantiles_are_those_of_the_weights_tree_by_tree():
    rng = np.random.default_rng(0)
    (x, y), (rows, _) = noisy(rng, 40), noisy(rng, 9)
    forest = fit_quantile_forest(x, y, rng, n_trees=7, min_leaf=3)
    trees = forest.trees

    def leaf(tree, row):
        node = tree
        while trees.left[node] != node:
            node = trees.left[node] + (row[trees.column[node]] > trees.threshold[node])
        return node

    for row, found in zip(rows, forest.quantiles(rows, LEVELS), strict=True):
        weights = np.zeros(len(y))
        for tree in range(7):
            same = np.array([leaf(tree, other) == leaf(tree, row) for other in x])
            weights += same / same.sum() / 7
        order = np.argsort(y)
        added = np.cumsum(weights[order])
        expected = [y[order][np.flatnonzero(added >= level - 1e-9)[0]] for level in LEVELS]
        assert found.tolist() == expected


def test_one_leaf_has_the_quantiles_of_all_observations():
    y = np.array([3.0, 1.0, 4.0, 2.0])
    forest = fit_quantile_forest(np.zeros((4, 1)), y, np.random.default_rng(0), n_trees=5, min_leaf=1)
    found = forest.quantiles(np.array([[0.3]]), np.array([0.25, 0.26, 0.5, 1.0]))
    assert found.tolist() == [[1.0, 2.0, 2.0, 4.0]]


def test_the_correction_by_hand():
    levels = np.array([0.25, 0.5, 0.75])
    quantiles = np.tile([0.0, 1.0, 2.0], (3, 1))
    # distances outside of [0, 2]: -1, 0.5, 3; half of four is the second
    assert conformal_correction(quantiles, np.array([1.0, 2.5, 5.0]), levels).tolist() == [-0.5, 0.0, 0.5]
    # too wide: all are inside, the second of -1, -1, -0.8
    assert conformal_correction(quantiles, np.array([1.0, 1.0, 1.2]), levels).tolist() == [1.0, 0.0, -1.0]
    few = conformal_correction(quantiles[:1], np.array([7.0]), np.array([0.01, 0.5, 0.99]))
    assert few.tolist() == [-5.0, 0.0, 5.0]


@pytest.mark.parametrize("bias", [0.0, 2.0])  # however wrong the model is
def test_corrected_intervals_hold_what_they_should(bias):
    rng, m = np.random.default_rng(1), 15
    inside = []
    for _ in range(60):
        (x, y), (seen, kept), (new, truth) = noisy(rng, 45), noisy(rng, m), noisy(rng, 50)
        forest = fit_quantile_forest(x, y + bias, rng, n_trees=5, min_leaf=3)
        found = forest.quantiles(new, LEVELS) + conformal_correction(forest.quantiles(seen, LEVELS), kept, LEVELS)
        inside.append([(truth >= found[:, k]) & (truth <= found[:, -1 - k]) for k in range(2)])
    expected = np.ceil(np.array([4, 2]) / 6 * (m + 1)) / (m + 1)  # with m observations: 11/16 and 6/16
    np.testing.assert_allclose(np.mean(inside, axis=(0, 2)), expected, atol=0.05)
