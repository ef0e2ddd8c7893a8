"""Random forest with a mean and a variance (Klein, 2020, section 2.3.2), on scikit-learn's trees.

Every tree is grown on a bootstrap sample; a leaf predicts the mean and the variance of its observations. By the law of
total variance the forest's prediction has

    mean      = average of the leaves' means mu_t
    variance  = average of (variance_t + mu_t^2) - mean^2                                            eq. 2.7

Categoricals come as 0/1 columns (`hpo_models.features`), so a split separates one value from the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class Forest:
    """Trees with the mean and the variance of each of their nodes."""

    trees: list[Any]
    means: list[np.ndarray]
    variances: list[np.ndarray]

    def predict(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance (n,) at rows (n, width)."""
        rows = np.ascontiguousarray(rows, np.float32)
        leaves = [tree.apply(rows) for tree in self.trees]
        means = np.stack([mean[leaf] for mean, leaf in zip(self.means, leaves, strict=True)])
        second = np.stack([v[leaf] for v, leaf in zip(self.variances, leaves, strict=True)]) + means**2
        mean = means.mean(axis=0)
        return mean, np.maximum(second.mean(axis=0) - mean**2, 0.0)


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
    from sklearn import config_context
    from sklearn.tree import DecisionTreeRegressor

    rows = np.ascontiguousarray(rows, np.float32)
    values = np.ascontiguousarray(values, np.float64)
    n = len(rows)
    state = np.random.RandomState(rng.integers(2**32))  # what scikit-learn takes
    grown = []
    with config_context(skip_parameter_validation=True, assume_finite=True):  # a quarter of the time otherwise
        for _ in range(n_trees):
            counts = np.bincount(rng.integers(n, size=n), minlength=n).astype(float)
            tree = DecisionTreeRegressor(
                min_samples_leaf=min_leaf, min_samples_split=2 * min_leaf, max_features=max_features, random_state=state
            )
            grown.append(tree.fit(rows, values, sample_weight=counts, check_input=False).tree_)
    return Forest(grown, [tree.value[:, 0, 0] for tree in grown], [tree.impurity for tree in grown])
