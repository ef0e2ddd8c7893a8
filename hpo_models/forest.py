"""Random forest with a mean and a variance (Klein, 2020, section 2.3.2).

Every tree is grown on a bootstrap sample; a leaf predicts the mean and the variance of its observations. By the law of
total variance the forest's prediction has

    mean      = average of the leaves' means mu_t
    variance  = average of (variance_t + mu_t^2) - mean^2                                            eq. 2.7

Categoricals come as 0/1 columns (`hpo_models.features`), so a split separates one value from the others.

The trees are grown with numpy, or by numba where it is installed (`pip install "hpo-foundry[fast]"`), which is several
times quicker and gives the same bits. A process loads numba once it has grown so many trees that this may pay.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from types import ModuleType

import numpy as np

from hpo_models.trees import by_level
from hpo_models.trees.samples import Trees, bootstrap

LOADING = 200_000  # rows times trees that numpy takes about as long for as numba takes to load


@dataclass(frozen=True, eq=False)
class Forest:
    """Trees with the moments (N, 2) of their nodes: mean, and variance plus its square; zeros unless a leaf."""

    trees: Trees
    moments: np.ndarray

    def predict(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance (n,) at rows (n, width)."""
        rows, n_trees = np.ascontiguousarray(rows, np.float64), len(self.trees.leaves)
        mean, second = _grower(0).sums_of_leaves(self.trees, self.moments, n_trees, rows).T / n_trees
        return mean, np.maximum(second - mean**2, 0.0)


def fit_forest(
    rows: np.ndarray,
    values: np.ndarray,
    rng: np.random.Generator,
    *,
    n_trees: int = 10,
    min_leaf: int = 3,
    max_features: float = 5 / 6,
) -> Forest:
    """The forest grown on observations.

    Parameters
    ----------
    rows
        (n, width) inputs.
    values
        (n,) observations.
    rng
        For the bootstrap samples and for the columns of each split.
    n_trees
        Ten by default, as in Klein (2020).
    min_leaf
        Smallest number of observations in a leaf; a node needs twice as many to be split.
    max_features
        Share of the columns, drawn at random, that a split may use.

    Returns
    -------
    Forest
        Predicts means and variances in the units of `values`.

    Examples
    --------
    >>> import numpy as np
    >>> from hpo_models.forest import fit_forest
    >>> x = np.linspace(0.0, 1.0, 200)[:, None]
    >>> mean, variance = fit_forest(x, x[:, 0] > 0.5, np.random.default_rng(0)).predict(np.array([[0.1], [0.9]]))
    >>> mean.round().tolist()
    [0.0, 1.0]
    """
    rows, values = np.asarray(rows, np.float64), np.asarray(values, np.float64)
    samples = bootstrap(rows, values, rng, n_trees, min_leaf, max_features)
    trees = _grower(samples.counts.size).grow(samples)
    return Forest(trees, _moments(trees, samples.counts, values))


def _moments(trees: Trees, counts: np.ndarray, values: np.ndarray) -> np.ndarray:
    """(N, 2) mean, and variance plus its square, of the observations (T, n) in each leaf; zeros for other nodes."""
    leaves, counts, n_nodes = trees.leaves.ravel(), counts.ravel(), len(trees.left)
    weights = np.maximum(np.bincount(leaves, counts, n_nodes), 1.0)
    every = np.broadcast_to(values, trees.leaves.shape).ravel()
    mean = np.bincount(leaves, counts * every, n_nodes) / weights
    variance = np.bincount(leaves, counts * (every - mean[leaves]) ** 2, n_nodes) / weights
    return np.stack([mean, variance + mean**2], axis=1)


# --- numpy or numba --------------------------------------------------------------------------------------------------

_n_grown = 0  # rows times trees in this process; it decides about time alone


def _grower(n: int) -> ModuleType:
    """The module that grows n more rows times trees: the compiled one if it pays and can be had."""
    global _n_grown
    _n_grown += n
    return _compiled() if _n_grown > LOADING else by_level


@cache
def _compiled() -> ModuleType:
    try:
        from hpo_models.trees import compiled
    except Exception:  # no numba, no directory in which it can keep what it compiled, or a damaged file there
        return by_level
    return compiled
