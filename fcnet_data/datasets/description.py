"""What was understood of a dataset, in words, so that a wrong target or task is seen before hours of training."""

from __future__ import annotations

import numpy as np

from fcnet_data.datasets.dataset import Dataset
from fcnet_data.datasets.splits import SPLIT_ROWS, scarce_classes

N_SHOWN = 8  # names in a list


def described(dataset: Dataset) -> list[str]:
    """Lines about the rows, the features and the target.

    Examples
    --------
    >>> from fcnet_data.datasets import open_dataset
    >>> from fcnet_data.datasets.description import described
    >>> for line in described(open_dataset("wine")):
    ...     print(line)
    data: wine, 178 rows, 13 features
    target: last column 'target', classification into 3 classes: class_0 (59 rows), class_1 (71), class_2 (48)
    """
    features = "1 feature" if dataset.n_features == 1 else f"{dataset.n_features} features"
    lines = [f"data: {dataset.name}, {dataset.n_rows:,} rows, {features}{_categories(dataset)}"]
    if dataset.dropped:
        lines.append(f"left out, one value in all rows: {_some(dataset.dropped)}")
    lines.append(f"target: {_place(dataset)} {dataset.target_name!r}, {_task(dataset)}")
    scarce = scarce_classes(dataset)
    if scarce:
        lines.append(
            f"classes with fewer than {SPLIT_ROWS} rows, too few to be in each of the three parts of the split: "
            f"{_some(scarce)}"
        )
    return lines


def _place(dataset: Dataset) -> str:
    """Where the target stands among the columns."""
    at = dataset.columns.index(dataset.target_name) if dataset.target_name in dataset.columns else -1
    if at in (-1, len(dataset.columns) - 1):
        return "column" if at == -1 else "last column"
    return "first column" if at == 0 else f"column {at + 1} of {len(dataset.columns)}"


def _task(dataset: Dataset) -> str:
    why = f" since {dataset.task_reason}" if dataset.task_reason else ""
    if dataset.task == "regression":
        return f"regression{why}: {dataset.target.min():g} to {dataset.target.max():g}"
    counts = np.bincount(dataset.target).tolist()
    shown = [
        f"{name} ({count:,}{' rows' if k == 0 else ''})"
        for k, (name, count) in enumerate(zip(dataset.class_names, counts, strict=True))
    ]
    return f"classification into {dataset.n_classes} classes{why}: {_some(shown)}"


def _categories(dataset: Dataset) -> str:
    """Columns of texts, with the number of their values, as a clause to append."""
    encoded: dict[str, int] = {}
    for feature in dataset.feature_names:
        column, equals, _ = feature.partition("=")
        if equals and feature not in dataset.columns and column in dataset.columns:
            encoded[column] = encoded.get(column, 0) + 1
    if not encoded:
        return ""
    shown = [f"{column} ({count if count > 1 else 2} values)" for column, count in encoded.items()]
    return f"; categories: {_some(shown)}"


def _some(names: tuple[str, ...] | list[str]) -> str:
    more = len(names) - N_SHOWN
    return ", ".join(names[:N_SHOWN]) + (f" and {more} more" if more > 0 else "")
