"""A table of FC-Net learning curves on any dataset, collected configuration by configuration.

For classification space, schedule and optimizer are those of the regression tables (Klein, 2020, Table 7.2).
Departures, since no FC-Net table of a classification was published: a softmax with as many outputs as classes is
trained by cross-entropy, the loss is the share of wrong classes, and the split is stratified by class.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from fcnet_data.collection.environment import environment
from fcnet_data.collection.recorded_curves import RECORDED, columns_of, precision_of, recorded, units_of
from fcnet_data.datasets.chosen import ChosenDataset
from fcnet_data.datasets.dataset import Dataset, TaskKind
from fcnet_data.fcnet import EPOCHS, REGRESSION_SPACE, TrainingData, fcnet_recipe, train, training_data
from fcnet_data.fcnet.cost import epoch_cost
from hpo_core.errors import InvalidOption
from hpo_core.space import Space
from hpo_core.space.plain_data import space_to_json
from tabular.hdf5 import read_table, write_table
from tabular.table import WRONG_CLASSES, Table

KERNEL = 1  # raised when the training kernel gives other numbers


@dataclass(frozen=True)
class FcnetTable:
    """Trainings of every configuration of a grid.

    name          of the table, and of the benchmark that it becomes
    dataset       name or path for `open_dataset`
    space         the grid
    seed          of the collection; a training's seed comes from it, the configuration and the repetition
    n_rows        of a subsample to train on; None for all rows
    target        column of a file to predict; None for the last one
    task          for a file; None for what its target's values mean
    """

    name: str
    dataset: str
    space: Space
    seed: int = 0
    split_seed: int = 0
    n_repetitions: int = 4
    epochs: int = EPOCHS
    n_rows: int | None = None
    target: str | None = None
    task: TaskKind | None = None

    dtype = np.dtype(np.float32)

    def __post_init__(self) -> None:
        if self.n_repetitions < 1 or not 1 <= self.epochs <= EPOCHS:
            raise InvalidOption(
                f"a table needs at least 1 repetition and 1..{EPOCHS} epochs, got {self.n_repetitions} and "
                f"{self.epochs}"
            )

    @property
    def shape(self) -> tuple[int, ...]:
        return self.n_repetitions, len(RECORDED[self.data.task]), self.epochs

    @property
    def _chosen(self) -> ChosenDataset:
        return ChosenDataset(self.dataset, self.target, self.task, self.n_rows)

    @property
    def data(self) -> Dataset:
        """The rows to train on."""
        return self._chosen.open()

    @cached_property
    def settings(self) -> Mapping[str, Any]:
        return {
            "table": self.name,
            **self._chosen.settings,
            "space": space_to_json(self.space),
            "seed": self.seed,
            "split_seed": self.split_seed,
            "repetitions": self.n_repetitions,
            "epochs": self.epochs,
            "kernel": KERNEL,
        }

    def _training_data(self) -> TrainingData:
        return _training_data(self.data, self.split_seed)

    def expected_costs(self) -> np.ndarray:
        """(n_configs,) seconds that one repetition of each takes by the cost model."""
        data = self._training_data()
        return np.array([epoch_cost(fcnet_recipe(c), data) for c in self.space.configs()]) * self.epochs

    def measure(self, item: int) -> np.ndarray:
        config = self.space.grid.config(item)
        data = _training_data(self._chosen.open_unchanged(self.settings["data"]), self.split_seed)
        numbers = np.empty(self.shape, self.dtype)
        for repetition in range(self.n_repetitions):
            seed = training_seed(self.seed, REGRESSION_SPACE.grid.index(config), repetition)
            numbers[repetition] = recorded(train(fcnet_recipe(config), data, seed, self.epochs), data.task)
        return numbers

    def table(self, numbers: np.ndarray) -> Table:
        """The numbers (config, repetition, curve, epoch) as a table."""
        data = self._training_data()
        n_outputs = max(1, data.n_classes)
        recipes = [fcnet_recipe(config) for config in self.space.configs()]
        costs = self.expected_costs()
        columns = columns_of(numbers, data.task)
        columns["cost"] = np.repeat(costs[:, None], self.n_repetitions, axis=1).astype(np.float32)
        columns["n_params"] = np.array([r.n_params(data.n_features, n_outputs) for r in recipes], dtype=np.int32)
        return Table(
            name=self.name,
            space=self.space,
            columns=columns,
            units={**units_of(data.task), "cost": "seconds, modelled", "n_params": "weights and biases"},
            budgets=range(1, self.epochs + 1),
            budget_unit="epochs",
            provenance={**_card(self.data, data), "collection": self.settings, **environment()},
        )

    def save(self, numbers: np.ndarray, path: Path) -> None:
        write_table(self.table(numbers), path, compress=True)

    def is_saved(self, path: Path) -> bool:
        saved = read_table(path).provenance.get("collection")
        return saved == json.loads(json.dumps(self.settings))


def _card(dataset: Dataset, data: TrainingData) -> dict[str, Any]:
    """Provenance of the table: how it was made, and what it is for."""
    classes = f", {dataset.n_classes} classes" if dataset.n_classes else ""
    measured = WRONG_CLASSES if dataset.n_classes else "mean squared error"
    return {
        "made by": "HPO Foundry, `hpo table train`",
        "dataset": f"{dataset.name}, {dataset.n_rows} rows x {dataset.n_features} features{classes}",
        "target": f"{dataset.target_name}, {dataset.task}",
        "source": dataset.source,
        "licence": dataset.licence,
        "split": f"{len(data.features)} rows to train on, {data.valid.n_samples} to validate, "
        f"{data.test.n_samples} to test" + (", stratified by class" if classes else ""),
        "loss": f"{measured} on the validation set, after each epoch",
        "cost": "seconds on one core by the cost model of fcnet_data.fcnet.cost, evaluations included",
        "precision": precision_of(dataset.task),
        "intended use": "comparing hyperparameter optimizers; it says nothing about the dataset's own question",
        "limits": "one split, one architecture family, part of the hyperparameter grid of the FC-Net tables",
    }


def training_seed(seed: int, config: int, repetition: int) -> int:
    """Seed of one training, from the configuration's index in the whole grid of Table 7.2."""
    return int(np.random.SeedSequence([seed, config, repetition]).generate_state(1, np.uint64)[0] >> np.uint64(1))


@lru_cache(maxsize=4)
def _training_data(dataset: Dataset, split_seed: int) -> TrainingData:
    return training_data(dataset, split_seed)
