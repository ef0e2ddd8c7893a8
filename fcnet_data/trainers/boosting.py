"""Gradient boosted trees (XGBoost): hyperparameters of Klein (2020; 8) and of Makarova et al. (2021; 9 and 3)."""

from __future__ import annotations

import numpy as np

from fcnet_data.datasets.dataset import TaskKind
from fcnet_data.trainers.trainer import Predict, Trainer
from hpo_core.errors import MissingExtra
from hpo_core.space import Config, Space
from hpo_core.space.hyperparameters import Float, Int

# Klein (2020), Table E.3, with XGBoost's names. The table does not say that min_child_weight is an integer, and XGBoost
# takes any number.
SPACE_8 = Space(
    [
        Float("learning_rate", 1e-6, 1e-1, log=True),
        Float("gamma", 0, 2),
        Float("reg_alpha", 1e-5, 1e3, log=True),
        Float("reg_lambda", 1e-5, 1e3, log=True),
        Int("n_estimators", 10, 500),
        Float("subsample", 0.1, 1),
        Int("max_depth", 1, 15),
        Float("min_child_weight", 0, 20),
    ],
    name="xgboost-8",
)

# Makarova et al. (2021, 2022), appendix, Table 1
SPACE_9 = Space(
    [
        Int("n_estimators", 2, 2**9, log=True),
        Float("learning_rate", 1e-6, 1, log=True),
        Float("gamma", 1e-6, 2**6, log=True),
        Float("min_child_weight", 1e-6, 2**5, log=True),
        Int("max_depth", 2, 2**5, log=True),
        Float("subsample", 0.5, 1),
        Float("colsample_bytree", 0.3, 1),
        Float("reg_lambda", 1e-6, 2, log=True),
        Float("reg_alpha", 1e-6, 2, log=True),
    ],
    name="xgboost-9",
)

# Makarova et al. (2021), section 5.3, "XGB (small)": the same ranges; what is left out keeps XGBoost's default
SPACE_3 = Space([SPACE_9[name] for name in ("n_estimators", "learning_rate", "max_depth")], name="xgboost-3")


def fit(config: Config, features: np.ndarray, target: np.ndarray, task: TaskKind, seed: int) -> Predict:
    """Predictor of classes or numbers, trained by one thread, because sums over several have no fixed order.

    Boosting starts at 0.5, as in every XGBoost of the papers' time. Newer versions start at the mean of the target,
    which makes all configurations with a small learning rate alike: such a classifier predicts the most frequent class.

    Parameters
    ----------
    config, features, target, task, seed
        As for `Trainer.fit`.

    Returns
    -------
    Predict
        From features (n, d) to predictions (n,).
    """
    try:
        from xgboost import XGBClassifier, XGBRegressor
    except ImportError:
        raise MissingExtra("xgboost", "collect") from None

    fixed = {"base_score": 0.5, "tree_method": "hist", "n_jobs": 1, "random_state": seed, "verbosity": 0}
    options = {**config, **fixed}
    if task == "regression":
        regressor = XGBRegressor(**options).fit(features, target)
        return lambda rows: regressor.predict(rows).astype(float)
    # XGBoost wants codes without gaps, and a fold may lack a rare class
    classes, codes = np.unique(target, return_inverse=True)
    classifier = XGBClassifier(**options).fit(features, codes)
    return lambda rows: classes[classifier.predict(rows)]


XGBOOST_8 = Trainer("xgboost-8", SPACE_8, ("regression", "classification"), fit)
XGBOOST_9 = Trainer("xgboost-9", SPACE_9, ("regression", "classification"), fit)
XGBOOST_3 = Trainer("xgboost-3", SPACE_3, ("regression", "classification"), fit)
