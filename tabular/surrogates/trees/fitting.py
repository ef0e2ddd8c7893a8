"""Fitting of tree ensembles by scikit-learn, which is needed for nothing else here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_core.errors import HpoError
from tabular.surrogates.trees.ensemble import MAX_LEAVES, BinaryTree, TreeEnsemble, gather

if TYPE_CHECKING:
    from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor


class UnknownTrees(HpoError, RuntimeError):
    """A release of scikit-learn whose trees cannot be read."""


@dataclass(frozen=True)
class Boosting:
    """Gradient boosting on histograms.

    leaves       of each tree, at most
    min_rows     of a leaf, at least
    n_trees      at most; fewer where held-out rows say so
    rate         learning rate
    share        of the columns that each split may choose from
    """

    leaves: int = 32
    min_rows: int = 5
    n_trees: int = 400
    rate: float = 0.05
    share: float = 0.6

    def __str__(self) -> str:
        return f"gradient boosting, {self.n_trees} trees of up to {self.leaves} leaves"


@dataclass(frozen=True)
class RandomForest:
    """Random forest, of trees with up to 64 leaves.

    min_rows     of a leaf, at least
    n_trees      of them
    share        of the columns that each split may choose from
    """

    min_rows: int = 2
    n_trees: int = 300
    share: float = 0.6

    def __str__(self) -> str:
        return f"random forest, {self.n_trees} trees of up to {MAX_LEAVES} leaves"


Setting = Boosting | RandomForest


def fit(
    setting: Setting,
    inputs: np.ndarray,
    target: np.ndarray,
    seed: int,
    *,
    rising: int | None = None,
    weights: np.ndarray | None = None,
) -> HistGradientBoostingRegressor | RandomForestRegressor:
    """Fitted model of scikit-learn.

    Parameters
    ----------
    setting
        Kind and size.
    inputs
        (n, n_columns), see `tabular.surrogates.trees.bins`.
    target
        (n,) what is predicted.
    seed
        Of the choice of rows and columns.
    rising
        Index of a column in which the predictions of boosted trees must not fall, None for none.
    weights
        (n,) of the rows, equal if None.
    """
    from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
    from threadpoolctl import threadpool_limits

    model: Any
    if isinstance(setting, RandomForest):
        model = RandomForestRegressor(
            setting.n_trees,
            max_leaf_nodes=MAX_LEAVES,
            min_samples_leaf=setting.min_rows,
            max_features=setting.share,
            random_state=seed,
        )
    else:
        model = HistGradientBoostingRegressor(
            max_iter=setting.n_trees,
            learning_rate=setting.rate,
            max_leaf_nodes=setting.leaves,
            min_samples_leaf=setting.min_rows,
            max_features=setting.share,
            monotonic_cst=None if rising is None else [int(j == rising) for j in range(inputs.shape[1])],
            early_stopping=False,
            random_state=seed,
        )
    with threadpool_limits(1):
        return model.fit(inputs, target, sample_weight=weights)


def ensemble_of(model: HistGradientBoostingRegressor | RandomForestRegressor) -> TreeEnsemble:
    """The trees of a fitted model, whose predictions are those of the model."""
    try:
        if hasattr(model, "estimators_"):
            return gather(_forest_trees(model), 0.0)
        return gather(_boosted_trees(model), float(np.ravel(model._baseline_prediction)[0]))
    except (AttributeError, IndexError, KeyError) as error:
        import sklearn

        raise UnknownTrees(
            f"the trees of scikit-learn {sklearn.__version__} cannot be read ({error!r}); this release was tested with "
            "1.4 to 1.9"
        ) from error


def _boosted_trees(model: Any) -> Iterator[BinaryTree]:
    for (predictor,) in model._predictors:
        nodes = predictor.nodes
        leaf = nodes["is_leaf"].astype(bool)
        # with all numbers on the left the threshold is infinite
        bins = np.minimum(np.floor(nodes["num_threshold"]), 255).astype(int)
        yield BinaryTree(
            left=np.where(leaf, -1, nodes["left"].astype(int)).tolist(),
            right=nodes["right"].tolist(),
            column=nodes["feature_idx"].tolist(),
            bin=bins.tolist(),
            missing_left=nodes["missing_go_to_left"].astype(bool).tolist(),
            value=nodes["value"].tolist(),
        )


def _forest_trees(model: Any) -> Iterator[BinaryTree]:
    for estimator in model.estimators_:
        tree = estimator.tree_
        yield BinaryTree(
            left=tree.children_left.tolist(),
            right=tree.children_right.tolist(),
            column=tree.feature.tolist(),
            bin=np.clip(np.floor(tree.threshold), 0, 255).astype(int).tolist(),
            missing_left=np.asarray(tree.missing_go_to_left).astype(bool).tolist(),
            value=(tree.value[:, 0, 0] / len(model.estimators_)).tolist(),
        )
