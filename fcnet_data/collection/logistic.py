"""A table of learning curves of logistic regression, as tuned by Dai et al. (2019), section 5.1 and appendix D.1.

    batch size       20 to 500         L2 penalty    1e-6 to 1         learning rate    1e-3 to 0.1
    budgets          epochs 1..50
    spacing          "linear" as in the authors' code, where most penalties are far too large, or "log"

Softmax regression by minibatch gradient descent from weights of 0, on standardised features:

    minimise over W, b     mean cross-entropy of a batch + l2 ||W||^2 / 2

All configurations of one batch size are trained at once: their weights are the columns of one matrix. So those of one
repetition see the same batches in the same order, and differ by learning rate and penalty alone.

The cost of an epoch is measured on one configuration trained by itself, for each batch size and repetition.

Departures from the paper: it has MNIST in one fixed order, an 80/20 split and a continuous space; here the data are
smaller and standardised, the split is 60/20/20 and the space a grid.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Literal

import numpy as np

from fcnet_data.collection.card import classifier_card
from fcnet_data.collection.environment import environment
from fcnet_data.datasets.chosen import ChosenDataset
from fcnet_data.datasets.dataset import Dataset
from fcnet_data.datasets.splits import Split, split, standardised
from hpo_core.errors import InvalidOption
from hpo_core.space import Space
from hpo_core.space.hyperparameters import Ordinal
from hpo_core.space.plain_data import space_to_json
from tabular.hdf5 import read_table, write_table
from tabular.table import WRONG_CLASSES, Table

EPOCHS = 50
N_VALUES = (8, 12, 20)  # of batch size, learning rate and penalty
NUMBERS = ("loss", "test_loss", "cost")
TIMED_EPOCHS = 3
CARD = {
    "after": "epoch",
    "cost": "measured on one configuration trained by itself, for each batch size and repetition",
    "limits": "one split; configurations of one batch size and repetition see their batches in the same order",
}


@dataclass(frozen=True)
class LogisticTable:
    """Logistic regressions of every configuration of the grid.

    name          of the table, and of the benchmark that it becomes
    dataset       name or path for `open_dataset`, for classification
    spacing       "linear" or "log", of the values of each hyperparameter
    n_values      number of values of batch size, learning rate and penalty
    target        column of a file with the classes; None for the last one
    """

    name: str
    dataset: str
    spacing: Literal["linear", "log"] = "linear"
    n_values: tuple[int, int, int] = N_VALUES
    n_repetitions: int = 3
    epochs: int = EPOCHS
    seed: int = 0
    split_seed: int = 0
    target: str | None = None

    dtype = np.dtype(np.float32)

    def __post_init__(self) -> None:
        if self.spacing not in ("linear", "log"):
            raise InvalidOption(f"spacing must be 'linear' or 'log', got {self.spacing!r}")
        if min(self.n_values) < 2 or self.n_repetitions < 1 or self.epochs < 2:
            raise InvalidOption(
                f"a table needs at least 2 values per hyperparameter, 1 repetition and 2 epochs, got {self.n_values}, "
                f"{self.n_repetitions} and {self.epochs}"
            )

    @property
    def shape(self) -> tuple[int, ...]:
        return len(NUMBERS), self.n_values[1] * self.n_values[2], self.epochs

    @property
    def _chosen(self) -> ChosenDataset:
        return ChosenDataset(self.dataset, self.target, "classification")

    @cached_property
    def _values(self) -> tuple[list[int], list[float], list[float]]:
        """Batch sizes, learning rates and penalties."""
        between = np.linspace if self.spacing == "linear" else np.geomspace
        n_sizes, n_rates, n_penalties = self.n_values
        sizes = [int(size) for size in between(20, 500, n_sizes).round()]
        return sizes, between(1e-3, 0.1, n_rates).tolist(), between(1e-6, 1.0, n_penalties).tolist()

    @cached_property
    def space(self) -> Space:
        """The grid, all hyperparameters as ordinals."""
        sizes, rates, penalties = self._values
        columns = [Ordinal("batch_size", sizes), Ordinal("learning_rate", rates), Ordinal("l2", penalties)]
        return Space(columns, name="logistic")

    @cached_property
    def settings(self) -> Mapping[str, Any]:
        return {
            "table": self.name,
            **self._chosen.settings,
            "space": space_to_json(self.space),
            "repetitions": self.n_repetitions,
            "epochs": self.epochs,
            "seed": self.seed,
            "split_seed": self.split_seed,
        }

    def expected_costs(self) -> np.ndarray:
        """(batch sizes x repetitions,), the repetitions of one batch size side by side."""
        sizes = np.array(self._values[0], dtype=float)
        return np.repeat(1.0 + 20.0 / sizes, self.n_repetitions)

    def measure(self, item: int) -> np.ndarray:
        """(3, configs of one batch size, epochs) validation errors, test errors and seconds."""
        sizes, rates, penalties = self._values
        batch_size = sizes[item // self.n_repetitions]
        parts = _parts(self._chosen.open_unchanged(self.settings["data"]), self.split_seed)
        both = np.array([(rate, penalty) for rate in rates for penalty in penalties], dtype=np.float32)
        rng = np.random.default_rng(np.random.SeedSequence([self.seed, item]))
        numbers = np.empty(self.shape, self.dtype)
        for epoch, errors in enumerate(training(parts, batch_size, both, rng, self.epochs)):
            numbers[:2, :, epoch] = errors
        numbers[2] = _epoch_cost(parts, batch_size) * np.arange(1, self.epochs + 1)
        return numbers

    def table(self, numbers: np.ndarray) -> Table:
        """The numbers (item, number, config of a batch size, epoch) as a table."""
        n, n_epochs = self.space.grid.size, self.epochs
        by_size = numbers.reshape(self.n_values[0], self.n_repetitions, *numbers.shape[1:])
        arrays = by_size.transpose(2, 0, 3, 1, 4).reshape(len(NUMBERS), n, self.n_repetitions, n_epochs)
        dataset = self._chosen.open()
        parts = _parts(dataset, self.split_seed)
        columns = {name: np.ascontiguousarray(array, np.float32) for name, array in zip(NUMBERS, arrays, strict=True)}
        columns["cost"] = np.ascontiguousarray(columns["cost"][:, :, -1])
        return Table(
            name=self.name,
            space=self.space,
            columns=columns,
            units={"loss": WRONG_CLASSES, "test_loss": WRONG_CLASSES, "cost": "seconds of processor time"},
            budgets=range(1, n_epochs + 1),
            budget_unit="epochs",
            provenance={**classifier_card(dataset, parts, **CARD), "collection": self.settings, **environment()},
        )

    def save(self, numbers: np.ndarray, path: Path) -> None:
        write_table(self.table(numbers), path, compress=True)

    def is_saved(self, path: Path) -> bool:
        saved = read_table(path).provenance.get("collection")
        return saved == json.loads(json.dumps(self.settings))


def training(
    parts: Split, batch_size: int, rates_and_penalties: np.ndarray, rng: np.random.Generator, epochs: int
) -> Iterator[np.ndarray]:
    """Validation and test errors (2, g) after each epoch, of g configurations that are trained at once.

    Parameters
    ----------
    parts
        Standardised features, and classes 0, 1...
    batch_size
        Rows of a batch; the last one of an epoch may be smaller.
    rates_and_penalties
        (g, 2) learning rates and L2 penalties.
    rng
        Orders the rows anew for each epoch.
    epochs
        Number of epochs.
    """
    x, target = _with_ones(parts.train_features), parts.train_target
    n_classes, n_configs = int(target.max()) + 1, len(rates_and_penalties)
    weights = np.zeros((x.shape[1], n_configs * n_classes), dtype=np.float32)
    rate, penalty = (np.repeat(column, n_classes).astype(np.float32) for column in rates_and_penalties.T)
    decay = 1 - rate * penalty
    truth = np.eye(n_classes, dtype=np.float32)[target]
    pairs = ((parts.valid_features, parts.valid_target), (parts.test_features, parts.test_target))
    evaluated = [(_with_ones(features), classes) for features, classes in pairs]
    for _ in range(epochs):
        order = rng.permutation(len(x))
        for start in range(0, len(x), batch_size):
            rows = order[start : start + batch_size]
            slope = x[rows].T @ _excess(x[rows] @ weights, truth[rows], n_configs)
            weights[:-1] *= decay  # the last row is the intercept, which is not penalised
            weights -= slope * (rate / len(rows))
        yield np.stack([_errors(rows @ weights, classes, n_configs) for rows, classes in evaluated])


def _excess(scores: np.ndarray, truth: np.ndarray, n_configs: int) -> np.ndarray:
    """Softmax probabilities minus the truth, (rows, configs x classes); `scores` are overwritten."""
    by_config = scores.reshape(len(scores), n_configs, -1)
    by_config -= by_config.max(axis=2, keepdims=True)
    np.exp(by_config, out=by_config)
    by_config /= by_config.sum(axis=2, keepdims=True)
    by_config -= truth[:, None]
    return scores


def _errors(scores: np.ndarray, classes: np.ndarray, n_configs: int) -> np.ndarray:
    """(configs,) shares of wrong classes."""
    found = scores.reshape(len(scores), n_configs, -1).argmax(axis=2)
    return (found != classes[:, None]).mean(axis=0)


def _with_ones(features: np.ndarray) -> np.ndarray:
    return np.column_stack([features, np.ones(len(features))]).astype(np.float32)


def _epoch_cost(parts: Split, batch_size: int) -> float:
    """Seconds of one epoch of one configuration trained by itself, evaluations included."""
    start = time.thread_time()
    for _ in training(parts, batch_size, np.array([[0.01, 1e-3]]), np.random.default_rng(0), TIMED_EPOCHS):
        pass
    return (time.thread_time() - start) / TIMED_EPOCHS


@lru_cache(maxsize=4)
def _parts(dataset: Dataset, split_seed: int) -> Split:
    return standardised(split(dataset, split_seed), target=False)
