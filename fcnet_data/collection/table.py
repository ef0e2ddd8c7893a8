"""A table of FC-Net learning curves on any regression dataset, collected configuration by configuration."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from fcnet_data.collection.environment import environment
from fcnet_data.datasets import InvalidDataset, open_dataset, subsample
from fcnet_data.datasets.dataset import Dataset
from fcnet_data.fcnet import EPOCHS, REGRESSION_SPACE, TrainingData, recipe, train, training_data
from fcnet_data.fcnet.cost import epoch_cost
from hpo_core.errors import InvalidOption
from hpo_core.space import Space
from hpo_core.space.plain_data import space_to_json
from tabular.hdf5 import read_table, write_table
from tabular.table import Table

CURVES = ("train_loss", "loss", "test_loss")
KEPT_BITS = 14  # of a loss's mantissa: a relative error of 3e-5, far below the noise, and a third of the size
KERNEL = 1  # raised when the training kernel gives other numbers
UNIT = "mean squared error, in variances of the training target"


@dataclass(frozen=True)
class FcnetTable:
    """Trainings of every configuration of a grid.

    name          of the table, and of the benchmark that it becomes
    dataset       name or path for `open_dataset`
    space         the grid
    seed          of the collection; a training's seed comes from it, the configuration and the repetition
    n_rows        of a subsample to train on; None for all rows
    """

    name: str
    dataset: str
    space: Space
    seed: int = 0
    split_seed: int = 0
    n_repetitions: int = 4
    epochs: int = EPOCHS
    n_rows: int | None = None

    dtype = np.dtype(np.float32)

    def __post_init__(self) -> None:
        if self.n_repetitions < 1 or not 1 <= self.epochs <= EPOCHS:
            raise InvalidOption(
                f"a table needs at least 1 repetition and 1..{EPOCHS} epochs, got {self.n_repetitions} and "
                f"{self.epochs}"
            )

    @property
    def shape(self) -> tuple[int, ...]:
        return self.n_repetitions, len(CURVES), self.epochs

    @cached_property
    def settings(self) -> Mapping[str, Any]:
        return {
            "table": self.name,
            "dataset": self.dataset,
            "data": _dataset(self.dataset, self.n_rows).digest,
            "space": space_to_json(self.space),
            "seed": self.seed,
            "split_seed": self.split_seed,
            "repetitions": self.n_repetitions,
            "epochs": self.epochs,
            "kernel": KERNEL,
        }

    def _data(self) -> TrainingData:
        return _training_data(self.dataset, self.n_rows, self.split_seed)

    def expected_costs(self) -> np.ndarray:
        data = self._data()
        return np.array([epoch_cost(recipe(c, data.task), data) for c in self.space.configs()]) * self.epochs

    def measure(self, item: int) -> np.ndarray:
        config = self.space.grid.config(item)
        data = self._data()
        numbers = np.empty(self.shape, self.dtype)
        for repetition in range(self.n_repetitions):
            seed = training_seed(self.seed, REGRESSION_SPACE.grid.index(config), repetition)
            run = train(recipe(config, data.task), data, seed, self.epochs)
            numbers[repetition] = run.train_loss, run.valid_loss, run.test_loss
        return numbers

    def table(self, numbers: np.ndarray) -> Table:
        """The numbers (config, repetition, curve, epoch) as a table."""
        rounded = rounded_mantissa(numbers)
        data, dataset = self._data(), _dataset(self.dataset, self.n_rows)
        recipes = [recipe(config, data.task) for config in self.space.configs()]
        costs = self.expected_costs()
        columns = {name: np.ascontiguousarray(rounded[:, :, k]) for k, name in enumerate(CURVES)}
        columns["cost"] = np.repeat(costs[:, None], self.n_repetitions, axis=1).astype(np.float32)
        columns["n_params"] = np.array([r.n_params(data.n_features, 1) for r in recipes], dtype=np.int32)
        return Table(
            name=self.name,
            space=self.space,
            columns=columns,
            units={**dict.fromkeys(CURVES, UNIT), "cost": "seconds, modelled", "n_params": "weights and biases"},
            budgets=range(1, self.epochs + 1),
            budget_unit="epochs",
            provenance={**_card(dataset, data), "collection": self.settings, **environment()},
        )

    def save(self, numbers: np.ndarray, path: Path) -> None:
        write_table(self.table(numbers), path, compress=True)

    def is_saved(self, path: Path) -> bool:
        saved = read_table(path).provenance.get("collection")
        return saved == json.loads(json.dumps(self.settings))


def _card(dataset: Dataset, data: TrainingData) -> dict[str, Any]:
    """Provenance of the table: how it was made, and what it is for."""
    return {
        "made by": "HPO Foundry, `hpo table train`",
        "dataset": f"{dataset.name}, {dataset.n_rows} rows x {dataset.n_features} features",
        "source": dataset.source,
        "licence": dataset.licence,
        "split": f"{len(data.features)} rows to train on, {data.valid.n_samples} to validate, "
        f"{data.test.n_samples} to test",
        "loss": "on the validation set, after each epoch",
        "cost": "seconds on one core by the cost model of fcnet_data.fcnet.cost, evaluations included",
        "precision": f"float32, losses rounded to {KEPT_BITS} bits of mantissa",
        "intended use": "comparing hyperparameter optimizers; it says nothing about the dataset's own question",
        "limits": "one split, one architecture family, part of the hyperparameter grid of the FC-Net tables",
    }


def training_seed(seed: int, config: int, repetition: int) -> int:
    """Seed of one training, from the configuration's index in the whole grid of Table 7.2."""
    return int(np.random.SeedSequence([seed, config, repetition]).generate_state(1, np.uint64)[0] >> np.uint64(1))


def rounded_mantissa(numbers: np.ndarray, bits: int = KEPT_BITS) -> np.ndarray:
    """float32 numbers rounded to `bits` bits of mantissa; the remaining zero bits compress well.

    Examples
    --------
    >>> import numpy as np
    >>> from fcnet_data.collection.table import rounded_mantissa
    >>> rounded_mantissa(np.array([0.1, 1.0], dtype=np.float32)).tolist()
    [0.09999847412109375, 1.0]
    """
    dropped = 23 - bits
    raw = np.ascontiguousarray(numbers, np.float32).view(np.uint32)
    half = np.uint32(1 << (dropped - 1))
    return ((raw + half) & np.uint32(0xFFFFFFFF << dropped & 0xFFFFFFFF)).view(np.float32)


@lru_cache(maxsize=4)
def _dataset(name: str, n_rows: int | None) -> Dataset:
    dataset = open_dataset(name)
    if dataset.task != "regression":
        raise InvalidDataset(f"FC-Net tables are for regression, {name!r} is {dataset.task}; see `hpo collect fcnet`")
    return dataset if n_rows is None else subsample(dataset, n_rows)


@lru_cache(maxsize=4)
def _training_data(name: str, n_rows: int | None, split_seed: int) -> TrainingData:
    return training_data(_dataset(name, n_rows), split_seed)
