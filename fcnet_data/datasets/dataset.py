"""`Dataset`: arrays to train on, with their licence and source."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from hpo_core.errors import HpoError

TaskKind = Literal["regression", "classification"]
LARGEST = 1e150  # squares of larger numbers do not fit into float64


class InvalidDataset(HpoError, ValueError):
    """Data that cannot be trained on, or not in the requested way."""


@dataclass(frozen=True, eq=False)
class Dataset:
    """Rows of numbers with a target, checked and read-only.

    name            as in the catalogue, or the file's name
    task            "regression" or "classification"
    features        (n_rows, n_features) float64; a category is a 0/1 column per value, or one if it has two values
    target          (n_rows,) float64, or int64 codes 0..n_classes-1
    feature_names   of the columns of `features`; a category's are "column=value"
    target_name     of the column that is predicted
    class_names     (n_classes,) names of the codes; empty for regression
    dropped         names of columns that have one value in all rows and were left out
    columns         names of the source's columns in their order, the target among them
    task_reason     why the task is what it is, where the target's values decided it
    licence         of the data, "not stated" if the source does not state one
    source          of the data
    """

    name: str
    task: TaskKind
    features: np.ndarray
    target: np.ndarray
    feature_names: tuple[str, ...]
    target_name: str
    class_names: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    task_reason: str = ""
    licence: str = "not stated"
    source: str = "not stated"

    def __post_init__(self) -> None:
        kind = np.int64 if self.task == "classification" else np.float64
        object.__setattr__(self, "features", _read_only(self.features, np.float64))
        object.__setattr__(self, "target", _read_only(self.target, kind))
        _check_arrays(self)
        _check_target(self)

    @property
    def n_rows(self) -> int:
        return len(self.target)

    @property
    def n_features(self) -> int:
        return self.features.shape[1]

    @property
    def n_classes(self) -> int:
        return len(self.class_names)

    @cached_property
    def digest(self) -> str:
        """First 16 hexadecimal digits of the SHA-256 of features and target: equal data, equal digest."""
        content = hashlib.sha256(np.ascontiguousarray(self.features).tobytes())
        content.update(np.ascontiguousarray(self.target).tobytes())
        return content.hexdigest()[:16]

    def __repr__(self) -> str:
        classes = f", {self.n_classes} classes" if self.n_classes else ""
        return f"Dataset({self.name!r}, {self.task}, {self.n_rows} x {self.n_features}{classes})"


def _read_only(array: np.ndarray, kind: type) -> np.ndarray:
    copy: np.ndarray = np.array(array, dtype=kind)
    copy.flags.writeable = False
    return copy


def _check_arrays(dataset: Dataset) -> None:
    name, features, target = dataset.name, dataset.features, dataset.target
    if features.ndim != 2 or target.ndim != 1 or len(features) != len(target):
        raise InvalidDataset(
            f"{name!r} needs features (n_rows, n_features) and a target (n_rows,), "
            f"got {features.shape} and {target.shape}"
        )
    if len(target) < 2:
        raise InvalidDataset(f"{name!r} has {len(target)} rows; a dataset needs at least 2, and 10 to be split")
    if features.shape[1] == 0:
        raise InvalidDataset(f"{name!r} has no feature that varies; give a file with at least one besides the target")
    if len(dataset.feature_names) != features.shape[1]:
        raise InvalidDataset(
            f"{name!r} has {features.shape[1]} features and {len(dataset.feature_names)} names for them"
        )
    usable = [*(np.abs(features) <= LARGEST).all(axis=0), (np.abs(target) <= LARGEST).all()]  # NaN is not
    if not all(usable):
        named = zip((*dataset.feature_names, dataset.target_name), usable, strict=True)
        where = ", ".join([column for column, can_be_used in named if not can_be_used][:5])
        raise InvalidDataset(
            f"{name!r} holds NaN, infinite numbers or some above {LARGEST:g} (columns {where}); remove or fill those "
            "rows first"
        )


def _check_target(dataset: Dataset) -> None:
    name, target = dataset.name, dataset.target
    if dataset.task not in ("regression", "classification"):
        raise InvalidDataset(f"task must be 'regression' or 'classification', got {dataset.task!r}")
    if len(np.unique(target)) < 2:
        raise InvalidDataset(
            f"target {dataset.target_name!r} of {name!r} must take at least two values, "
            f"got {len(np.unique(target))} in {len(target)} rows; choose another column as target"
        )
    if dataset.task == "classification" and (target.min() < 0 or target.max() >= dataset.n_classes):
        raise InvalidDataset(f"classes of {name!r} must be coded 0..{dataset.n_classes - 1}, one name each")
