"""Random forest; its three hyperparameters as in Makarova et al. (2021, 2022), appendix, Table 1."""

from __future__ import annotations

import numpy as np

from fcnet_data.datasets.dataset import TaskKind
from fcnet_data.trainers.trainer import Predict, Trainer
from hpo_core.space import Config, Space
from hpo_core.space.hyperparameters import Float, Int

# The recorded runs that the authors published stay below 2^6 estimators; the table says 2^8.
SPACE = Space(
    [
        Int("n_estimators", 1, 2**8, log=True),
        Float("min_samples_split", 0.01, 0.5, log=True),
        Int("max_depth", 1, 5, log=True),
    ],
    name="forest",
)


def fit(config: Config, features: np.ndarray, target: np.ndarray, task: TaskKind, seed: int) -> Predict:
    """Predictor of classes or numbers. `min_samples_split` is the share of the rows that a node needs to be split.

    Parameters
    ----------
    config, features, target, task, seed
        As for `Trainer.fit`.

    Returns
    -------
    Predict
        From features (n, d) to predictions (n,).
    """
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    kind = RandomForestClassifier if task == "classification" else RandomForestRegressor
    return kind(**config, n_jobs=1, random_state=seed).fit(features, target).predict


FOREST = Trainer("forest", SPACE, ("regression", "classification"), fit)
