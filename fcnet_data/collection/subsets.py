"""A table of SVMs trained on subsets of the training set (Klein, 2020, section 4.2), configuration by configuration.

    grid          C and gamma, both log-spaced from e^-10 to e^10 (Table 4.1)
    budgets       shares of the training rows: 1/128, 1/64, ..., 1
    repetitions   new draws of the subsets; those of one repetition are nested: a smaller one is a prefix of a larger

At the full budget there is one subset, so all repetitions have the same numbers there and it is trained once. The
validation and the test set are complete at every budget. Departures from the paper: Klein (2020) has MNIST, 20 x 20
configurations, ten repetitions and subsets down to 1/512; here the smallest subset still has every class.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from fcnet_data.collection.environment import environment
from fcnet_data.collection.table import training_seed
from fcnet_data.datasets import subsample
from fcnet_data.datasets.chosen import ChosenDataset
from fcnet_data.datasets.dataset import Dataset
from fcnet_data.datasets.splits import Split, split
from fcnet_data.trainers import trainer
from hpo_core.errors import InvalidOption
from hpo_core.space import Config, Space
from hpo_core.space.hyperparameters import Float, Ordinal
from hpo_core.space.plain_data import space_to_json
from tabular.hdf5 import read_table, write_table
from tabular.table import WRONG_CLASSES, Table

SHARES = tuple(2.0**k for k in range(-7, 1))
NUMBERS = ("loss", "test_loss", "cost")


@dataclass(frozen=True)
class SvmSubsets:
    """SVMs of every configuration of a grid, on every subset.

    name          of the table, and of the benchmark that it becomes
    dataset       name or path for `open_dataset`, for classification
    n_values      number of values of each of the two hyperparameters
    target        column of a file with the classes; None for the last one
    """

    name: str
    dataset: str
    n_values: int = 13
    n_repetitions: int = 3
    seed: int = 0
    split_seed: int = 0
    target: str | None = None

    dtype = np.dtype(np.float64)

    def __post_init__(self) -> None:
        if self.n_values < 2 or self.n_repetitions < 1:
            raise InvalidOption(
                f"a table needs at least 2 values per hyperparameter and 1 repetition, got {self.n_values} and "
                f"{self.n_repetitions}"
            )

    @property
    def shape(self) -> tuple[int, ...]:
        return self.n_repetitions, len(NUMBERS), len(SHARES)

    @property
    def _chosen(self) -> ChosenDataset:
        return ChosenDataset(self.dataset, self.target, "classification")

    @property
    def data(self) -> Dataset:
        """The rows to train, validate and test on."""
        return self._chosen.open()

    @cached_property
    def space(self) -> Space:
        """The grid, both hyperparameters as ordinals."""
        unit = np.linspace(0.0, 1.0, self.n_values)
        floats = [h for h in trainer("svm").space if isinstance(h, Float)]
        return Space([Ordinal(h.name, h.from_unit(unit).tolist()) for h in floats], name="svm")

    @cached_property
    def settings(self) -> Mapping[str, Any]:
        return {
            "table": self.name,
            **self._chosen.settings,
            "space": space_to_json(self.space),
            "shares": SHARES,
            "repetitions": self.n_repetitions,
            "seed": self.seed,
            "split_seed": self.split_seed,
        }

    def expected_costs(self) -> np.ndarray:
        return np.ones(self.space.grid.size)

    def measure(self, item: int) -> np.ndarray:
        import sklearn.svm  # noqa: F401  so that its import is in no training's cost

        config = self.space.grid.config(item)
        rows, parts = _training_rows(self._chosen.open_unchanged(self.settings["data"]), self.split_seed)
        numbers = np.empty(self.shape)
        for repetition in range(self.n_repetitions):
            order = training_seed(self.seed, item, repetition)
            for k, share in enumerate(SHARES):
                if share == 1.0 and repetition > 0:
                    numbers[repetition, :, k] = numbers[0, :, k]
                else:
                    subset = subsample(rows, max(round(share * rows.n_rows), rows.n_classes), order)
                    numbers[repetition, :, k] = _evaluate(config, subset, parts)
        return numbers

    def table(self, numbers: np.ndarray) -> Table:
        """The numbers (config, repetition, number, share) as a table."""
        columns = {name: np.ascontiguousarray(numbers[:, :, k], np.float32) for k, name in enumerate(NUMBERS)}
        dataset = self.data
        rows, parts = _training_rows(dataset, self.split_seed)
        return Table(
            name=self.name,
            space=self.space,
            columns=columns,
            units={"loss": WRONG_CLASSES, "test_loss": WRONG_CLASSES, "cost": "seconds of processor time"},
            budgets=SHARES,
            budget_unit="of the training set",
            provenance={
                "made by": "HPO Foundry, `hpo table subsets`",
                "dataset": f"{dataset.name}, {dataset.n_rows} rows x {dataset.n_features} features, "
                f"{dataset.n_classes} classes",
                "source": dataset.source,
                "licence": dataset.licence,
                "split": f"{rows.n_rows} rows to train on, {len(parts.valid_target)} to validate, "
                f"{len(parts.test_target)} to test",
                "loss": "on the validation set, of an SVM trained on a share of the training rows",
                "cost": "measured, training and prediction of the validation set; a larger subset trains anew",
                "intended use": "comparing hyperparameter optimizers; it says nothing about the dataset's own question",
                "limits": "one dataset, one split, two hyperparameters; no noise at the full budget",
                "collection": self.settings,
                **environment(),
            },
            resumable=False,
        )

    def save(self, numbers: np.ndarray, path: Path) -> None:
        write_table(self.table(numbers), path, compress=True)

    def is_saved(self, path: Path) -> bool:
        saved = read_table(path).provenance.get("collection")
        return saved == json.loads(json.dumps(self.settings))


def _evaluate(config: Config, subset: Dataset, parts: Split) -> tuple[float, float, float]:
    """Validation error, test error and seconds."""
    start = time.thread_time()
    predict = trainer("svm").fit(config, subset.features, subset.target, "classification", 0)
    predictions = predict(parts.valid_features)
    cost = time.thread_time() - start
    test_error = np.mean(predict(parts.test_features) != parts.test_target)
    return float(np.mean(predictions != parts.valid_target)), float(test_error), cost


@lru_cache(maxsize=4)
def _training_rows(dataset: Dataset, split_seed: int) -> tuple[Dataset, Split]:
    """The training rows as a separate dataset, and the split that they are part of."""
    parts = split(dataset, split_seed)
    return replace(dataset, features=parts.train_features, target=parts.train_target), parts
