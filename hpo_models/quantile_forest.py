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

from hpo_models.forest import fit_forest
from hpo_models.trees.by_level import sums_of_leaves
from hpo_models.trees.samples import Trees


class QuantileForest(NamedTuple):
    """Trees, the weights (N, n) that their N nodes give to the n observations, and these in ascending order."""

    trees: Trees
    weights: np.ndarray
    observations: np.ndarray

    def quantiles(self, rows: np.ndarray, levels: np.ndarray) -> np.ndarray:
        """(m, k) quantiles at levels (k,) for rows (m, width)."""
        n_trees, n = len(self.trees.leaves), len(self.observations)
        added = np.cumsum(sums_of_leaves(self.trees, self.weights, n_trees, np.ascontiguousarray(rows)), axis=1)
        places = np.stack([(added < n_trees * level * (1.0 - 1e-12)).sum(axis=1) for level in levels], axis=1)
        return self.observations[np.minimum(places, n - 1)]


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
    rows, values = np.ascontiguousarray(rows[order]), values[order]
    trees = fit_forest(rows, values, rng, n_trees=n_trees, min_leaf=min_leaf).trees
    members = sums_of_leaves(trees, np.eye(len(trees.left)), n_trees, rows).T  # (N, n), 1 where a row ends in a node
    return QuantileForest(trees, members / np.maximum(members.sum(axis=1, keepdims=True), 1.0), values)


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
