"""A table of forward feature selections with boosted trees (Dai et al., 2019, section 5.3.2 and appendix D.4).

    learning rate           1e-3 to 0.5, log-spaced        share of features per tree    0.3 to 1
    depth of a tree         2 to 15                        L1 penalty                    0 to 5
    budgets                 number of selected features, 1..50

A selection starts with no feature. Each step adds the one of the candidates with which an XGBoost model of the
configuration has the lowest validation error. The loss after n steps is that error with n features, and the cost the
seconds of all steps so far; asking for more features continues a selection.

Departures from the paper, which does not say how many trees there are: the candidates of a step are `N_CANDIDATES`
features drawn from those left (Mirzasoleiman et al., 2015, "lazier than lazy greedy"), not all of them; there are
`N_TREES` trees on features in `N_BINS` bins; the split is 60/20/20 and the space a grid. With all candidates and 100
trees one selection takes minutes.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from fcnet_data.collection.card import classifier_card
from fcnet_data.collection.environment import environment
from fcnet_data.collection.table import training_seed
from fcnet_data.datasets.chosen import ChosenDataset
from fcnet_data.datasets.dataset import Dataset, InvalidDataset
from fcnet_data.datasets.splits import Split, split
from hpo_core.errors import InvalidOption, MissingExtra
from hpo_core.space import Config, Space
from hpo_core.space.hyperparameters import Ordinal
from hpo_core.space.plain_data import space_to_json
from tabular.hdf5 import read_table, write_table
from tabular.table import WRONG_CLASSES, Table

N_FEATURES = 50
N_CANDIDATES, N_TREES, N_BINS = 4, 30, 24
NUMBERS = ("loss", "test_loss", "cost")
CARD = {
    "after": "selected feature",
    "cost": "measured, all models of the selection so far",
    "limits": f"one split, one repetition, {N_CANDIDATES} random candidates in a step; the validation set also selects",
}
RATES: list[float] = np.geomspace(1e-3, 0.5, 6).tolist()
SPACE = Space(
    [
        Ordinal("learning_rate", RATES),
        Ordinal("max_depth", [2, 5, 9, 15]),
        Ordinal("colsample_bytree", [0.3, 0.65, 1.0]),
        Ordinal("reg_alpha", [0.0, 2.5, 5.0]),
    ],
    name="feature-selection",
)


@dataclass(frozen=True)
class SelectionTable:
    """Forward selections of every configuration of a grid.

    name          of the table, and of the benchmark that it becomes
    dataset       name or path for `open_dataset`, with two classes
    space         `SPACE` or a part of it; a selection is the same in both
    n_features    to select
    target        column of a file with the classes; None for the last one
    """

    name: str
    dataset: str
    space: Space = SPACE
    n_repetitions: int = 1
    n_features: int = N_FEATURES
    seed: int = 0
    split_seed: int = 0
    target: str | None = None

    dtype = np.dtype(np.float64)

    def __post_init__(self) -> None:
        if self.n_features < 2 or self.n_repetitions < 1:
            raise InvalidOption(
                f"a table needs at least 2 features and 1 repetition, got {self.n_features} and {self.n_repetitions}"
            )

    @property
    def shape(self) -> tuple[int, ...]:
        return self.n_repetitions, len(NUMBERS), self.n_features

    @property
    def _chosen(self) -> ChosenDataset:
        return ChosenDataset(self.dataset, self.target, "classification")

    @cached_property
    def settings(self) -> Mapping[str, Any]:
        return {
            "table": self.name,
            **self._chosen.settings,
            "space": space_to_json(self.space),
            "repetitions": self.n_repetitions,
            "features": self.n_features,
            "candidates": N_CANDIDATES,
            "trees": N_TREES,
            "bins": N_BINS,
            "seed": self.seed,
            "split_seed": self.split_seed,
        }

    def expected_costs(self) -> np.ndarray:
        """(configs,) numbers that grow with the depth of the trees."""
        return np.array([5.0 + config["max_depth"] for config in self.space.configs()])

    def measure(self, item: int) -> np.ndarray:
        """(repetitions, 3, features) validation errors, test errors and seconds so far."""
        dataset = self._chosen.open_unchanged(self.settings["data"])
        check_selectable(dataset, self.n_features)
        parts, config = split(dataset, self.split_seed), self.space.grid.config(item)
        index = SPACE.grid.index(config)
        seeds = [training_seed(self.seed, index, repetition) for repetition in range(self.n_repetitions)]
        return np.stack([forward_selection(config, parts, self.n_features, seed) for seed in seeds])

    def table(self, numbers: np.ndarray) -> Table:
        """The numbers (config, repetition, number, features) as a table."""
        dataset = self._chosen.open()
        parts = split(dataset, self.split_seed)
        columns = {name: np.ascontiguousarray(numbers[:, :, k], np.float32) for k, name in enumerate(NUMBERS)}
        return Table(
            name=self.name,
            space=self.space,
            columns=columns,
            units={"loss": WRONG_CLASSES, "test_loss": WRONG_CLASSES, "cost": "seconds of processor time"},
            budgets=range(1, self.n_features + 1),
            budget_unit="features",
            provenance={**classifier_card(dataset, parts, **CARD), "collection": self.settings, **environment()},
        )

    def save(self, numbers: np.ndarray, path: Path) -> None:
        write_table(self.table(numbers), path, compress=True)

    def is_saved(self, path: Path) -> bool:
        saved = read_table(path).provenance.get("collection")
        return saved == json.loads(json.dumps(self.settings))


def check_selectable(dataset: Dataset, n_features: int) -> None:
    """Raise `InvalidDataset` unless there are two classes and enough features to choose from."""
    if dataset.n_classes != 2 or dataset.n_features < n_features:
        raise InvalidDataset(
            f"a selection of {n_features} features needs 2 classes and as many features, {dataset.name!r} has "
            f"{dataset.n_classes} and {dataset.n_features}; take spambase, or fewer features"
        )


def forward_selection(config: Config, parts: Split, n_features: int, seed: int) -> np.ndarray:
    """(3, n_features) validation error, test error and seconds so far after each step.

    Parameters
    ----------
    config
        Hyperparameters of `SPACE`.
    parts
        Features and classes 0 and 1.
    n_features
        Number of steps.
    seed
        Of the candidates and of the trees.
    """
    rng = np.random.default_rng(seed)
    chosen: list[int] = []
    left = list(range(parts.train_features.shape[1]))
    numbers, seconds = np.empty((len(NUMBERS), n_features)), 0.0
    for step in range(n_features):
        start = time.thread_time()
        candidates = rng.choice(left, min(N_CANDIDATES, len(left)), replace=False).tolist()
        errors = [_errors(config, parts, [*chosen, feature], seed) for feature in candidates]
        best = int(np.argmin([valid for valid, _ in errors]))
        chosen.append(candidates[best])
        left.remove(candidates[best])
        seconds += time.thread_time() - start
        numbers[:, step] = *errors[best], seconds
    return numbers


def _errors(config: Config, parts: Split, columns: list[int], seed: int) -> tuple[float, float]:
    """Validation and test error of a model of some columns."""
    try:
        import xgboost
    except ImportError:
        raise MissingExtra("xgboost", "collect") from None
    options = {"objective": "binary:logistic", "base_score": 0.5, "tree_method": "hist", "max_bin": N_BINS}
    options |= {"nthread": 1, "seed": seed % 2**31, "verbosity": 0, **config}
    matrices = [xgboost.DMatrix(features[:, columns], nthread=1) for features in parts[::2]]
    matrices[0].set_label(parts.train_target)
    model = xgboost.train(options, matrices[0], N_TREES)
    valid, test = (
        float(np.mean((model.predict(matrix) > 0.5) != target))
        for matrix, target in zip(matrices[1:], (parts.valid_target, parts.test_target), strict=True)
    )
    return valid, test
