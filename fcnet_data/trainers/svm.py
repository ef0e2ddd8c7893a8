"""Support vector machine with the Gaussian kernel; its two hyperparameters as in Klein (2020), Table E.3."""

from __future__ import annotations

import math

import numpy as np

from fcnet_data.datasets.dataset import TaskKind
from fcnet_data.datasets.splits import moments
from fcnet_data.trainers.trainer import Predict, Trainer
from hpo_core.space import Config, Space
from hpo_core.space.hyperparameters import Float

SPACE = Space(
    [
        Float("C", math.exp(-10), math.exp(10), log=True),
        Float("gamma", math.exp(-10), math.exp(10), log=True),
    ],
    name="svm",
)


def fit(config: Config, features: np.ndarray, target: np.ndarray, task: TaskKind, seed: int) -> Predict:
    """Predictor of classes. Features are standardised, which Klein (2020) does not mention; the seed has no effect.

    Parameters
    ----------
    config, features, target, task, seed
        As for `Trainer.fit`.

    Returns
    -------
    Predict
        From features (n, d) to predictions (n,).
    """
    from sklearn.svm import SVC

    center, scale = moments(features)
    model = SVC(C=config["C"], gamma=config["gamma"], kernel="rbf").fit((features - center) / scale, target)
    return lambda rows: model.predict((rows - center) / scale)


SVM = Trainer("svm", SPACE, ("classification",), fit)
