"""Deterministic splits: train/validation/test, cross-validation folds and subsamples.

Rows are ordered by raw 64-bit numbers of PCG64, whose stream numpy promises to keep, so that a split is the same in
every version of numpy. For classification every part is stratified by class, which the papers state for their
cross-validation only; without it a rare class can be missing from the training set.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fcnet_data.datasets.dataset import Dataset, InvalidDataset
from hpo_core.errors import InvalidOption

TRAIN, VALID = 0.6, 0.2  # shares of the rows; the rest is the test set
SPLIT_ROWS = 5  # of a class, so that 60/20/20 gives each part one


class Split(NamedTuple):
    """Features (n, d) and targets (n,) of the three parts."""

    train_features: np.ndarray
    train_target: np.ndarray
    valid_features: np.ndarray
    valid_target: np.ndarray
    test_features: np.ndarray
    test_target: np.ndarray


def split(dataset: Dataset, seed: int = 0) -> Split:
    """60 % of the rows to train on, 20 % to validate, 20 % to test, not scaled."""
    order = _order(dataset, seed)
    first, second = round(TRAIN * dataset.n_rows), round((TRAIN + VALID) * dataset.n_rows)
    if min(first, second - first, dataset.n_rows - second) < 2:
        raise InvalidDataset(f"{dataset.name!r} has {dataset.n_rows} rows; a split into three parts needs at least 10")
    if first < dataset.n_classes:
        raise InvalidDataset(f"{dataset.name!r} has {dataset.n_classes} classes and only {first} rows to train on")
    parts = order[:first], order[first:second], order[second:]
    return Split(*(array[part] for part in parts for array in (dataset.features, dataset.target)))


def check_classes(dataset: Dataset) -> None:
    """Raise `InvalidDataset` if a class has one row, which could be trained on or evaluated, but not both."""
    counts = np.bincount(dataset.target) if dataset.task == "classification" else np.empty(0, int)
    single = [dataset.class_names[code] for code in np.flatnonzero(counts == 1)]
    if single:
        shown = ", ".join(map(repr, single[:5])) + (" and others" if len(single) > 5 else "")
        raise InvalidDataset(
            f"every class needs 2 rows or more, one to train on and one to evaluate; values of {dataset.target_name!r} "
            f"in {dataset.name!r} with one row: {shown} ({len(single)} of {dataset.n_classes}). Remove those rows, "
            "join classes, or if the target is an amount use task='regression' (--task regression)"
        )


def scarce_classes(dataset: Dataset) -> tuple[str, ...]:
    """Names of classes with fewer than 5 rows: a 60/20/20 split has none of them left to validate or to test."""
    counts = np.bincount(dataset.target) if dataset.task == "classification" else np.empty(0, int)
    return tuple(dataset.class_names[code] for code in np.flatnonzero(counts < SPLIT_ROWS))


def standardised(parts: Split, *, target: bool) -> Split:
    """The same rows with features, and the target if `target`, standardised by mean and std of the training set.

    A feature that is constant in the training set is only centred, and so is such a target.
    """
    center, scale = moments(parts.train_features)
    features = [(array - center) / scale for array in parts[::2]]
    targets = list(parts[1::2])
    if target:
        center, scale = moments(parts.train_target)
        targets = [(array - center) / scale for array in targets]
    return Split(features[0], targets[0], features[1], targets[1], features[2], targets[2])


def moments(array: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation over the rows, the latter 1 where there is no variation."""
    scale = array.std(axis=0)
    constant = scale <= 1e-12 * np.abs(array).max(axis=0)  # equal numbers, up to rounding
    return array.mean(axis=0), np.where(constant, 1.0, scale)


def folds(dataset: Dataset, n_folds: int = 10, seed: int = 0) -> tuple[np.ndarray, list[np.ndarray]]:
    """Row indices of a test set of 20 %, and of `n_folds` disjoint folds of the other rows."""
    if n_folds < 2:
        raise InvalidOption(f"n_folds must be at least 2, got {n_folds}")
    order = _order(dataset, seed)
    rest, test = np.split(order, [round((TRAIN + VALID) * dataset.n_rows)])
    if len(rest) < 2 * n_folds:
        fewest = round(2 * n_folds / (TRAIN + VALID))
        raise InvalidDataset(f"{n_folds} folds need at least {fewest} rows, {dataset.name!r} has {dataset.n_rows}")
    by_class = rest[np.argsort(_classes(dataset)[rest], kind="stable")]
    return test, [np.sort(by_class[k::n_folds]) for k in range(n_folds)]


def subsample(dataset: Dataset, n_rows: int, seed: int = 0) -> Dataset:
    """`n_rows` of the rows, stratified by class; the dataset itself if it has no more than that.

    Every class keeps its code and at least one row.
    """
    fewest = max(2, dataset.n_classes)
    if n_rows < fewest:
        raise InvalidOption(f"a subsample of {dataset.name!r} needs at least {fewest} rows, got {n_rows}")
    if n_rows >= dataset.n_rows:
        return dataset
    rows = np.sort(_order(dataset, seed)[:n_rows])
    fields = {**vars(dataset), "features": dataset.features[rows], "target": dataset.target[rows]}
    fields.pop("digest", None)
    return Dataset(**fields)


def _classes(dataset: Dataset) -> np.ndarray:
    return dataset.target if dataset.task == "classification" else np.zeros(dataset.n_rows, dtype=np.int64)


def _order(dataset: Dataset, seed: int) -> np.ndarray:
    """Random order of the rows: one of each class first, then such that every section is stratified by class."""
    keys = np.random.PCG64(np.random.SeedSequence(seed)).random_raw(dataset.n_rows)
    shuffled = np.argsort(keys, kind="stable")
    classes = _classes(dataset)[shuffled]
    rank = np.empty(dataset.n_rows)
    for label in np.unique(classes):
        members = np.flatnonzero(classes == label)
        rank[members] = np.arange(len(members)) / len(members)
    return shuffled[np.argsort(rank, kind="stable")]
