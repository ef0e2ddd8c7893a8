"""Problems that train when they are evaluated: `cv-rf-DATASET`, `cv-xgb-DATASET`, `cv-xgb3-DATASET`, `cv-lm-DATASET`.

Cross-validation as in Makarova et al. (2021, 2022): ten folds, stratified for classification, on 80 % of the rows; the
other 20 % are the test set; spaces of their Table 1, `xgb3` with three of its nine hyperparameters (2021, section 5.3).
The losses of the folds are in `info["folds"]`, that of the test set in `info["test_loss"]`. DATASET is a name of
`fcnet_data.datasets.names()`, or the path of a file, whose last column is predicted unless the options `target` and
`task` say otherwise: Benchmark("cv-rf-own.csv", target="price").

    folds   number of folds, 10; 1 is without cross-validation: one of ten folds validates, the others train
    split   seed of the test set and the folds, 0, which all runs share; "seed" takes the seed of the evaluation

Losses are functions of configuration and seed. The cost is measured once, when a configuration is first trained on
this machine, and kept on disk with the rest. `seed=None` is the training with seed 0: the mean over all seeds, which
other benchmarks give, cannot be computed here.
"""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from fcnet_data.datasets import Dataset, names
from fcnet_data.datasets.catalogue import CATALOGUE
from fcnet_data.datasets.chosen import ChosenDataset
from fcnet_data.datasets.loading import is_file
from fcnet_data.evaluation_cache import EvaluationCache
from fcnet_data.trainers import Trainer, cross_validate, trainer
from hpo_core.errors import InvalidOption
from hpo_core.facts import BenchmarkFacts
from hpo_core.problems.problem import Result
from hpo_core.space import Config, Space
from hpo_core.storage.files import cache_directory

TRAINERS = {"rf": "forest", "xgb": "xgboost-9", "xgb3": "xgboost-3", "lm": "linear"}
WORDS = {
    "rf": "random forest",
    "xgb": "XGBoost",
    "xgb3": "XGBoost, 3 hyperparameters",
    "lm": "linear model by SGD",
}
NAME = re.compile(r"cv-(rf|xgb|xgb3|lm)-(.+)")
OPTIONS = ("folds", "split")
OPTIONS_OF_FILES = ("target", "task")
SPLIT = 0
N_FOLDS = 10
VERSION = 1  # raised when a release trains differently, so that no evaluation of an older release is used


@dataclass(frozen=True)
class CrossValidation:
    """A trainer on a dataset, evaluated by cross-validation."""

    name: str
    trainer: Trainer
    dataset: Dataset
    n_folds: int = N_FOLDS
    split: int | Literal["seed"] = SPLIT

    budgets = (1,)
    optimum = None

    @property
    def space(self) -> Space:
        return self.trainer.space

    @property
    def provenance(self) -> Mapping[str, Any]:
        data = self.dataset
        return {
            "source": f"trained on demand: {self.trainer.name}, {self._validation}, 20 % of rows to test",
            "dataset": f"{data.name}, {data.n_rows} rows x {data.n_features} features, {data.source}",
            "target": f"{data.target_name}, {data.task}",
            "licence": data.licence,
            "data": data.digest,
            "cost": "seconds of processor time of the folds, measured at the first evaluation on this machine",
        }

    @property
    def _validation(self) -> str:
        how = "one fold of ten" if self.n_folds == 1 else f"{self.n_folds}-fold cross-validation"
        return how if self.split == SPLIT else f"{how}, split {self.split}"

    @property
    def contents(self) -> str:
        """Digest of the data, so that a store tells two contents of one file, or of one package, apart."""
        return self.dataset.digest

    @cached_property
    def cache(self) -> EvaluationCache:
        part = re.sub(r"[^A-Za-z0-9._+-]", "_", self.name)[-100:]  # the name may hold a path, and the file lies here
        return EvaluationCache(cache_directory() / f"trained-{VERSION}" / f"{part}-{self.dataset.digest}.sqlite")

    def evaluate(self, config: Config, budget: float, seed: int | None) -> Result:
        training_seed = 0 if seed is None else seed
        split_seed = training_seed if self.split == "seed" else self.split
        usual = self.n_folds == N_FOLDS and split_seed == SPLIT
        key = [dict(sorted(config.items())), training_seed, *(() if usual else (self.n_folds, split_seed))]
        found = self.cache.get(
            json.dumps(key),
            lambda: cross_validate(
                self.trainer, config, self.dataset, seed=training_seed, split_seed=split_seed, n_folds=self.n_folds
            ),
        )
        return Result(found.valid_loss, found.cost, budget, {"folds": found.folds, "test_loss": found.test_loss})


def listing() -> dict[str, str]:
    """Names with the datasets that are installed."""
    locations = {entry.location for entry in CATALOGUE.values()}
    installed = {location: importlib.util.find_spec(location) is not None for location in locations}
    shown = [name for name in names() if installed[CATALOGUE[name].location]]
    return {f"cv-{key}-{name}": f"{words} on {name}, 10-fold" for key, words in WORDS.items() for name in shown}


def facts(name: str) -> BenchmarkFacts:
    """Facts about a name, which a list shows together with the others of its trainer."""
    key, dataset = NAME.fullmatch(name).groups()  # type: ignore[union-attr]
    extra = "" if not key.startswith("xgb") and CATALOGUE[dataset].location == "sklearn" else "collect"
    return BenchmarkFacts((1, 1), optimum=False, curves=False, extra=extra, group=f"cv-{key}-*")


def make(name: str, **options: Any) -> CrossValidation | None:
    """Problem of a name `cv-TRAINER-DATASET`, None for another name.

    Options are `folds` and `split`, see the module's head; a file has `target` and `task` too.
    """
    match = NAME.fullmatch(name)
    if match is None:
        return None
    key, dataset = match.groups()
    known = (*OPTIONS, *OPTIONS_OF_FILES) if is_file(dataset) else OPTIONS
    for option in options:
        if option not in known:
            more = "" if is_file(dataset) else "; target and task are options of files"
            raise InvalidOption(f"{name!r} has no option {option!r}, it has {', '.join(known)}{more}")
    n_folds, split = options.get("folds", N_FOLDS), options.get("split", SPLIT)
    if not _whole(n_folds, 1):
        raise InvalidOption(f"folds must be a whole number, 1 for no cross-validation or more; got {n_folds!r}")
    if split != "seed" and not _whole(split, 0):
        raise InvalidOption(f"split must be a whole number >= 0, or 'seed' for the evaluation's; got {split!r}")
    chosen = ChosenDataset(dataset, options.get("target"), options.get("task"))
    return CrossValidation(name, trainer(TRAINERS[key]), chosen.open(), n_folds, split)


def _whole(value: Any, lowest: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= lowest
