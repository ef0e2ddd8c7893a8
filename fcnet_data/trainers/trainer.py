"""`Trainer`: a learning algorithm with the hyperparameters that a paper tunes, and their space."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fcnet_data.datasets.dataset import TaskKind
from hpo_core.space import Config, Space

Predict = Callable[[np.ndarray], np.ndarray]  # (n, d) features -> (n,) predictions


@dataclass(frozen=True)
class Trainer:
    """A learning algorithm.

    name    as in `TRAINERS`
    space   its hyperparameters
    tasks   what it can learn
    fit     (config, features (n, d), target (n,), task, seed) -> predictor, a function of these alone. Features are not
            scaled: an algorithm that needs scaled ones scales them by the training rows.
    """

    name: str
    space: Space
    tasks: tuple[TaskKind, ...]
    fit: Callable[[Config, np.ndarray, np.ndarray, TaskKind, int], Predict]
