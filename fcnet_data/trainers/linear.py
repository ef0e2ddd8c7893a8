"""Linear model trained by SGD; its three hyperparameters as in Makarova et al. (2021), appendix, Table 1.

The paper names scikit-learn's SGDClassifier (log loss) and SGDRegressor and tunes l1_ratio, alpha and eta0, so the
penalty is the elastic net. There are two readings of the learning rate:

    linear           eta0 / t^(1/4), the regressor's default, for both: all three hyperparameters matter
    linear-optimal   the classifier's own default, "optimal", which ignores eta0: with a small alpha its steps are so
                     long that the result depends on the seed of the training more than on the hyperparameters,
                     which is what the paper shows of its linear model. Regression is as in `linear`

Features and a regression's target are standardised by the training rows; the paper does not say so, but
otherwise SGD diverges on most datasets. It still diverges for the largest eta0: scikit-learn clips gradients, so
weights grow to about 1e14 and stay finite.
"""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

import numpy as np

from fcnet_data.datasets.dataset import TaskKind
from fcnet_data.datasets.splits import moments
from fcnet_data.trainers.trainer import Predict, Trainer
from hpo_core.space import Config, Space
from hpo_core.space.hyperparameters import Float

SPACE = Space(
    [
        Float("l1_ratio", 1e-7, 1, log=True),
        Float("alpha", 1e-7, 1, log=True),
        Float("eta0", 1e-5, 1, log=True),
    ],
    name="linear",
)


SCALED: dict[str, Any] = {"learning_rate": "invscaling", "power_t": 0.25}
OPTIMAL: dict[str, Any] = {"learning_rate": "optimal"}


def fit(
    config: Config, features: np.ndarray, target: np.ndarray, task: TaskKind, seed: int, *, rate: dict[str, Any]
) -> Predict:
    """Predictor of classes or numbers.

    Parameters
    ----------
    config, features, target, task, seed
        As for `Trainer.fit`.
    rate
        The classifier's learning rate, as options of scikit-learn.

    Returns
    -------
    Predict
        From features (n, d) to predictions (n,).
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import SGDClassifier, SGDRegressor

    shared = {"penalty": "elasticnet", "random_state": seed, **(SCALED if task == "regression" else rate)}
    center, scale = moments(features)
    mean, std = moments(target) if task == "regression" else (0, 1)
    model = SGDRegressor(**config, **shared) if task == "regression" else SGDClassifier("log_loss", **config, **shared)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", ConvergenceWarning)  # 1000 epochs are the model that the paper tunes
        model.fit((features - center) / scale, (target - mean) / std if task == "regression" else target)

    def predict(rows: np.ndarray) -> np.ndarray:
        predictions = model.predict((rows - center) / scale)
        return predictions * std + mean if task == "regression" else predictions

    return predict


LINEAR = Trainer("linear", SPACE, ("regression", "classification"), partial(fit, rate=SCALED))
LINEAR_OPTIMAL = Trainer("linear-optimal", SPACE, ("regression", "classification"), partial(fit, rate=OPTIMAL))
