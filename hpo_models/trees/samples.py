"""`Samples`, what the trees of an ensemble are grown from, and `Trees`, what comes of it.

A node takes the split with the highest

    gain  = S_left^2 / W_left + S_right^2 / W_right          (what is left of the squared error does not depend on it)

W the number of a side's bootstrap observations and S the sum of their values. Columns are looked at in an order that is
random for each node, up to `n_drawn` of them, and further ones only until one is not constant in the node; of equal
gains the first counts. So does scikit-learn (`DecisionTreeRegressor`), whose trees these are but for ties.

Values are rounded to a grid so fine that it uses all digits of float64, and so coarse that every sum of them is exact.
So a sum does not depend on the order of its terms: any way of growing the trees gives the same bits.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hpo_models.trees.draws import random_key

ROUNDED = 9  # digits by which the numbers of a column are told apart, as `baselines.parts.history` does
DIGITS = 52  # binary, of the sums


class Samples(NamedTuple):
    """Observations of n rows, with the bootstrap samples of T trees.

    columns     (width, n) inputs, rounded
    order       (width, n) rows in ascending order of a column
    ranks       (width, n) which of its column's different numbers an input is, in ascending order
    grid        (n,) values as whole numbers
    counts      (T, n) how often a row is in a tree's sample
    keys        (T,) of the random order of columns
    min_leaf    smallest number of different rows in a leaf; a node with less than twice as many is not split
    n_drawn     columns that a split may use
    """

    columns: np.ndarray
    order: np.ndarray
    ranks: np.ndarray
    grid: np.ndarray
    counts: np.ndarray
    keys: np.ndarray
    min_leaf: int
    n_drawn: int


class Trees(NamedTuple):
    """Nodes of T trees, of which the first T are the roots.

    column, threshold   (N,) a row goes to the left child unless its number in the column is above the threshold
    left                (N,) the left child, the right one is the next node; a leaf is its own, its threshold infinite
    leaves              (T, n) leaf of each row of a tree's sample, 0 for rows that are not in it
    """

    column: np.ndarray
    threshold: np.ndarray
    left: np.ndarray
    leaves: np.ndarray


def bootstrap(
    rows: np.ndarray, values: np.ndarray, rng: np.random.Generator, n_trees: int, min_leaf: int, max_features: float
) -> Samples:
    """Samples with a bootstrap sample for each tree.

    Parameters
    ----------
    rows
        (n, width) inputs.
    values
        (n,) observations.
    rng
        Source of randomness.
    n_trees, min_leaf, max_features
        As in `hpo_models.forest.fit_forest`.

    Returns
    -------
    Samples
        For `by_level.grow` and `compiled.grow`.
    """
    n, width = rows.shape
    drawn = rng.integers(n, size=(n_trees, n)) + n * np.arange(n_trees)[:, None]
    counts = np.bincount(drawn.ravel(), minlength=n_trees * n).reshape(n_trees, n).astype(float)
    keys = np.array([random_key(rng) for _ in range(n_trees)])
    columns = np.ascontiguousarray(rows.T, np.float64).round(ROUNDED)
    order = np.argsort(columns, axis=1)
    ranks = np.zeros(columns.shape, np.intp)
    steps = np.diff(np.take_along_axis(columns, order, axis=1), axis=1) > 0.0
    np.put_along_axis(ranks, order[:, 1:], np.cumsum(steps, axis=1), axis=1)
    n_drawn = max(1, int(max_features * width))
    return Samples(columns, order, ranks, on_grid(values, n_trees * n), counts, keys, min_leaf, n_drawn)


def on_grid(values: np.ndarray, n_terms: int) -> np.ndarray:
    """(n,) values, shifted and scaled, as whole numbers of which any sum of `n_terms` is exact."""
    middle = 0.5 * (values.max() + values.min())
    largest = float(np.abs(values - middle).max())
    digits = DIGITS - n_terms.bit_length()
    return np.rint(np.ldexp(values - middle, digits - np.frexp(largest)[1]))
