"""Meta-data for PROFET (Klein, 2020, section 8.3.1 and appendix E.1): the same configurations on many datasets.

The configurations are a scrambled Sobol sequence in the unit cube of the family's space, the same for every dataset.
Large datasets are reduced to `n_rows` rows, stratified by class, then split 60/20/20. Departure from the paper: Klein
(2020) uses up to 50,000 rows; see `docs/collection.md` for the consequences.

    /columns/unit        (config, hyperparameter) points of the unit cube
    /columns/loss        (task, config) on the validation set: share of wrong classes, or root mean squared error in
                         standard deviations of the training target
    /columns/test_loss   (task, config)
    /columns/cost        (task, config) seconds; measured, or modelled for networks (`fcnet_data.fcnet.cost`)
    header               family, space, tasks (name, data, rows, licence, source of each), provenance
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from fcnet_data.collection.environment import environment
from fcnet_data.collection.table import KERNEL, training_seed
from fcnet_data.datasets.chosen import ChosenDataset
from fcnet_data.datasets.dataset import Dataset, InvalidDataset, TaskKind
from fcnet_data.datasets.loading import is_file
from fcnet_data.fcnet import CLASSIFICATION_SPACE, EPOCHS, recipe, train, training_data
from fcnet_data.fcnet.cost import epoch_cost
from fcnet_data.fcnet.training import TrainingData
from fcnet_data.trainers import holdout, trainer
from hpo_core.errors import InvalidOption, UnknownName, nearest
from hpo_core.space import Config, Space
from hpo_core.space.plain_data import space_to_json
from hpo_core.space.sobol import sobol
from hpo_core.storage.sealed_hdf5 import Kind, read_sealed, write_sealed

META_DATA = Kind("hpo-foundry meta-data", 1, "meta-data file")

# The datasets of Klein (2020) that the packages have (first line), and others of the same size and kind.
CLASSIFICATION = (
    *("kr-vs-kp", "letter", "optdigits", "magic", "car", "vehicle", "splice"),
    *("penbased", "satimage", "segment", "spambase", "vowel", "phoneme", "texture", "nursery", "german"),
)
REGRESSION = (
    *("protein", "concrete", "yacht", "ccpp", "energy", "parkinsons"),
    *("wine-red", "wine-white", "airfoil", "abalone", "compactiv"),
)


class MeasuredFamily(NamedTuple):
    """A class of problems: an algorithm, its space, the number of configurations, and the datasets."""

    trainer: str
    space: Space
    n_configs: int
    datasets: tuple[str, ...]
    task: TaskKind


FAMILIES = {
    "svm": MeasuredFamily("svm", trainer("svm").space, 200, CLASSIFICATION, "classification"),
    "fcnet": MeasuredFamily("fcnet", CLASSIFICATION_SPACE, 600, CLASSIFICATION, "classification"),
    "xgboost": MeasuredFamily("xgboost-8", trainer("xgboost-8").space, 800, REGRESSION, "regression"),
}


def family(name: str) -> MeasuredFamily:
    """Family by name: svm, fcnet or xgboost."""
    if name not in FAMILIES:
        raise UnknownName(f"no family is called {name!r}{nearest(name, FAMILIES)}")
    return FAMILIES[name]


@dataclass(frozen=True)
class MetaDataWork:
    """Evaluations of Sobol configurations of a family on several datasets.

    An item is one configuration on one dataset; its numbers are validation loss, test loss and cost. A dataset may be a
    file: `target` is then its column to predict, None for the last one.
    """

    family: str
    datasets: tuple[str, ...]
    n_configs: int
    n_rows: int = 2000
    seed: int = 0
    target: str | None = None

    dtype = np.dtype(np.float64)
    shape = (3,)

    def __post_init__(self) -> None:
        if self.n_configs < 1 or not self.datasets:
            raise InvalidOption(
                f"meta-data need at least one configuration and one dataset, got {self.n_configs} and "
                f"{len(self.datasets)}"
            )

    @cached_property
    def settings(self) -> Mapping[str, Any]:
        tasks = [self._dataset(name) for name in self.datasets]
        return {
            "family": self.family,
            "tasks": [[task.name, task.digest] for task in tasks],
            "space": space_to_json(family(self.family).space),
            "configs": self.n_configs,
            "rows": self.n_rows,
            "seed": self.seed,
            "kernel": KERNEL,
        }

    @cached_property
    def unit(self) -> np.ndarray:
        """(config, hyperparameter) the Sobol points."""
        return sobol(len(family(self.family).space), self.n_configs, self.seed)

    @cached_property
    def _configs(self) -> list[Config]:
        space = family(self.family).space
        return list(space.decode(space.from_unit(self.unit)))

    def _dataset(self, name: str) -> Dataset:
        target = self.target if is_file(name) else None
        return ChosenDataset(name, target, family(self.family).task, self.n_rows).open()

    def expected_costs(self) -> np.ndarray:
        n_tasks = len(self.datasets)
        if self.family != "fcnet":
            return np.ones(n_tasks * self.n_configs)
        data = [_network_data(self._dataset(name)) for name in self.datasets]
        return np.array([epoch_cost(recipe(c, d.task), d) for d in data for c in self._configs])

    def measure(self, item: int) -> np.ndarray:
        task, index = divmod(item, self.n_configs)
        name, config = self.datasets[task], self._configs[index]
        seed = training_seed(self.seed, index, 0)
        if self.family == "fcnet":
            return _train_network(config, _network_data(self._dataset(name)), seed)
        found = holdout(trainer(family(self.family).trainer), config, self._dataset(name), seed=seed)
        return np.array([found.valid_loss, found.test_loss, found.cost])

    def save(self, numbers: np.ndarray, path: Path) -> None:
        loss, test_loss, cost = np.moveaxis(numbers.reshape(len(self.datasets), self.n_configs, 3), 2, 0)
        header = {
            "family": self.family,
            "space": self.settings["space"],
            "tasks": [_task_card(self._dataset(name)) for name in self.datasets],
            "provenance": {
                "made by": "HPO Foundry, `hpo collect`",
                "configurations": f"{self.n_configs} points of a scrambled Sobol sequence",
                "rows": f"at most {self.n_rows} of each dataset, split 60/20/20",
                "collection": self.settings,
                **environment(),
            },
        }
        arrays = {"unit": self.unit, "loss": loss, "test_loss": test_loss, "cost": cost}
        write_sealed(path, META_DATA, header, arrays, compress=True)

    def is_saved(self, path: Path) -> bool:
        header, _ = read_sealed(path, META_DATA)
        return header["provenance"]["collection"] == json.loads(json.dumps(self.settings))


def _train_network(config: Config, data: TrainingData, seed: int) -> np.ndarray:
    made = recipe(config, data.task)
    run = train(made, data, seed)
    if run.valid_error is None or run.test_error is None:
        raise InvalidDataset("networks of this family are classifiers, got a regression dataset")
    return np.array([run.valid_error[-1], run.test_error[-1], epoch_cost(made, data) * EPOCHS])


def _task_card(dataset: Dataset) -> dict[str, Any]:
    shape = {"rows": dataset.n_rows, "features": dataset.n_features, "classes": dataset.n_classes}
    return {"name": dataset.name, "data": dataset.digest, **shape, "licence": dataset.licence, "source": dataset.source}


@lru_cache(maxsize=32)
def _network_data(dataset: Dataset) -> TrainingData:
    return training_data(dataset)
