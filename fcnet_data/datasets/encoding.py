"""From a table of columns to the arrays of a `Dataset`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fcnet_data.datasets.dataset import Dataset, InvalidDataset, TaskKind
from hpo_core.errors import InvalidOption, nearest

if TYPE_CHECKING:
    import pandas

MOST_VALUES = 200  # of a text column; a column with more holds names or sentences, not categories


def encode(name: str, table: pandas.DataFrame, target: str, task: TaskKind | None, **about: Any) -> Dataset:
    """Dataset made of a table's columns.

    Parameters
    ----------
    name
        Of the dataset.
    table
        Its columns; those of texts or booleans are categories.
    target
        Name of the column to predict.
    task
        None: classification if the target holds texts or booleans, else regression.
    **about
        Licence and source.

    Returns
    -------
    Dataset
        Checked, with categories as 0/1 columns and without constant columns.
    """
    _check_columns(name, table, target)
    column = table[target]
    if task is None:
        task = "classification" if _nominal(column) else "regression"
    if task == "regression" and _nominal(column):
        raise InvalidDataset(f"target {target!r} of {name!r} is not a number; use task='classification'")
    class_names: tuple[str, ...] = ()
    values = column.to_numpy(dtype=float) if task == "regression" else None
    if values is None:
        labels = _levels(column)
        class_names = tuple(_text(label) for label in labels)
        values = column.map({label: code for code, label in enumerate(labels)}).to_numpy(dtype=np.int64)
    columns = {key: array for feature in table.columns if feature != target for key, array in _columns(table[feature])}
    varying = {key: array for key, array in columns.items() if (array != array[0]).any()}
    features = np.stack(list(varying.values()), axis=1) if varying else np.empty((len(table), 0))
    dropped = tuple(key for key in columns if key not in varying)
    return Dataset(name, task, features, values, tuple(varying), target, class_names, dropped, **about)


def _check_columns(name: str, table: pandas.DataFrame, target: str) -> None:
    if len(set(table.columns)) != len(table.columns):
        raise InvalidDataset(f"columns of {name!r} must have different names, got {list(table.columns)}")
    if target not in table.columns:
        raise InvalidOption(f"target must be a column of {name!r}, got {target!r}{nearest(target, table.columns)}")
    missing = table.isna()
    if missing.to_numpy().any():
        where = ", ".join(str(c) for c in table.columns[missing.any()][:5])
        raise InvalidDataset(
            f"{name!r} has missing values in {int(missing.any(axis=1).sum())} of {len(table)} rows (columns {where}); "
            "remove or fill them first"
        )
    for column in table.columns:
        if column != target and _nominal(table[column]) and table[column].nunique() > MOST_VALUES:
            raise InvalidDataset(
                f"column {column!r} of {name!r} holds {table[column].nunique()} different texts, "
                "too many for a category; remove it or turn it into numbers"
            )


def _nominal(column: pandas.Series) -> bool:
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    return bool(is_bool_dtype(column) or not is_numeric_dtype(column))


def _levels(column: pandas.Series) -> list[Any]:
    """Values that occur: in declared order for a declared category, else sorted, numbers by size."""
    if column.dtype == "category":
        present = set(column)
        return [level for level in column.cat.categories if level in present]
    values = column.unique().tolist()
    return sorted(values) if all(not isinstance(v, str) for v in values) else sorted(values, key=str)


def _text(label: Any) -> str:
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)


def _columns(column: pandas.Series) -> list[tuple[str, np.ndarray]]:
    """Name and values of the number columns that one column becomes."""
    if not _nominal(column):
        return [(str(column.name), column.to_numpy(dtype=float))]
    levels = _levels(column)
    kept = levels[1:] if len(levels) == 2 else levels
    return [(f"{column.name}={level}", (column == level).to_numpy(dtype=float)) for level in kept]
