"""Quantiles of a random forest (Meinshausen, 2006), and their conformal correction (Romano et al., 2019).

A tree gives an observation the weight 1 / (size of the leaf) if it is in the leaf of the input, else 0; the forest's
weights are the average over the trees. The quantile at level q is the lowest observation up to which the weights add up
to q.

Correction: with levels q and 1 - q, and observations y_i that the forest has not seen,

    e_i = max(quantile_q(x_i) - y_i, y_i - quantile_(1-q)(x_i))                                 eq. 6 of Romano et al.
    c   = the ceil((1 - 2 q) (m + 1))-th lowest of the m numbers e_i

the interval [quantile_q(x) - c, quantile_(1-q)(x) + c] holds a new observation with probability 1 - 2 q at least, if
observations can be exchanged (theorem 1). c is negative where the intervals were too wide.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from hpo_models.forest import fit_forest
from hpo_models.trees.samples import Trees

ROUNDING = 1e-9  # by which a sum of weights may miss a level that it reaches


class QuantileForest(NamedTuple):
    """Trees, the weights (N, n) that their N nodes give to the n observations, and these in ascending order."""

    trees: Trees
    weights: csr_array
    observations: np.ndarray

    def quantiles(self, rows: np.ndarray, levels: np.ndarray) -> np.ndarray:
        """(m, k) quantiles at levels (k,) for rows (m, width)."""
        n_trees = len(self.trees.leaves)
        added = np.cumsum((_membership(self.trees, rows) @ self.weights).toarray(), axis=1)
        places = [(added < n_trees * (level - ROUNDING)).sum(axis=1) for level in levels]
        return self.observations[np.stack(places, axis=1)]


def fit_quantile_forest(
    rows: np.ndarray, values: np.ndarray, rng: np.random.Generator, *, n_trees: int, min_leaf: int
) -> QuantileForest:
    """The forest grown on observations.

    Parameters
    ----------
    rows, values
        (n, width) inputs and (n,) observations.
    rng
        For the bootstrap samples and for the columns of each split.
    n_trees, min_leaf
        Number of trees, and of different observations of its bootstrap sample in a leaf, at least.

    Returns
    -------
    QuantileForest
        All observations, not only those of the bootstrap sample, have weights in each tree.

    Examples
    --------
    >>> import numpy as np
    >>> from hpo_models.quantile_forest import fit_quantile_forest
    >>> rng = np.random.default_rng(0)
    >>> x = rng.random((400, 1))
    >>> forest = fit_quantile_forest(x, x[:, 0] * rng.standard_normal(400), rng, n_trees=20, min_leaf=10)
    >>> low, high = forest.quantiles(np.array([[0.05], [0.95]]), np.array([0.1, 0.9])).T
    >>> bool(high[0] - low[0] < high[1] - low[1])
    True
    """
    order = np.argsort(values, kind="stable")
    trees = fit_forest(rows[order], values[order], rng, n_trees=n_trees, min_leaf=min_leaf).trees
    members = _membership(trees, rows[order])
    sizes = np.bincount(members.indices, minlength=members.shape[1])
    members.data /= sizes[members.indices]
    return QuantileForest(trees, members.T.tocsr(), values[order])


def _membership(trees: Trees, rows: np.ndarray) -> csr_array:
    """(m, N) matrix with a 1 for each of the leaves that rows (m, width) end in."""
    n_trees, nodes = len(trees.leaves), np.tile(np.arange(len(trees.leaves)), (len(rows), 1))
    each = np.arange(len(rows))[:, None]
    while True:
        after = trees.left[nodes] + (rows[each, trees.column[nodes]] > trees.threshold[nodes])
        if np.array_equal(after, nodes):
            break
        nodes = after
    starts = np.arange(0, nodes.size + 1, n_trees)
    return csr_array((np.ones(nodes.size), nodes.ravel(), starts), shape=(len(rows), len(trees.left)))


def conformal_correction(quantiles: np.ndarray, observations: np.ndarray, levels: np.ndarray) -> np.ndarray:
    """(k,) numbers to be added to quantiles, so that the intervals between q and 1 - q hold what they should.

    Parameters
    ----------
    quantiles
        (m, k) predictions for observations that the model has not seen.
    observations
        (m,) of them.
    levels
        (k,) ascending and symmetric around 1/2; 1/2 itself is not corrected.

    Returns
    -------
    ndarray
        Minus c for the lower levels, c for the upper ones. Where so few observations cannot tell the c of a level it is
        that of the largest e_i.
    """
    m, k = quantiles.shape
    correction = np.zeros(k)
    for low in range(k // 2):
        high = k - 1 - low
        errors = np.sort(np.maximum(quantiles[:, low] - observations, observations - quantiles[:, high]))
        place = math.ceil((levels[high] - levels[low]) * (m + 1) - 1e-9)
        c = errors[min(place, m) - 1]
        correction[low], correction[high] = -c, c
    return correction
