"""From a table of columns to the arrays of a `Dataset`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fcnet_data.datasets.dataset import Dataset, InvalidDataset, TaskKind
from hpo_core.errors import InvalidOption, nearest

if TYPE_CHECKING:
    import pandas

MOST_VALUES = 200  # of a text column; a column with more holds names or sentences, not categories
MOST_CODES = 10  # different whole numbers of a target that are taken for classes
ROWS_PER_CODE = 10  # on average, so that a short column of measurements is not taken for classes


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
        None: what `understood_task` makes of the target.
    **about
        Licence and source.

    Returns
    -------
    Dataset
        Checked, with categories as 0/1 columns and without constant columns.
    """
    _check_columns(name, table, target)
    reason = ""
    if task is None:
        task, reason = understood_task(table[target])
    values, class_names = _target(name, table[target], task)
    columns = [pair for feature in table.columns if feature != target for pair in _columns(table[feature])]
    varying = [(key, array) for key, array in columns if (array != array[0]).any()]
    features = np.stack([array for _, array in varying], axis=1) if varying else np.empty((len(table), 0))
    return Dataset(
        name=name,
        task=task,
        features=features,
        target=values,
        feature_names=tuple(key for key, _ in varying),
        target_name=target,
        class_names=class_names,
        dropped=tuple(key for key, array in columns if not (array != array[0]).any()),
        columns=tuple(table.columns),
        task_reason=reason,
        **about,
    )


def _target(name: str, column: pandas.Series, task: TaskKind) -> tuple[np.ndarray, tuple[str, ...]]:
    """Numbers of a regression's target, or codes of classes with the names of those."""
    if task == "classification":
        labels = _levels(column)
        codes = column.map({label: code for code, label in enumerate(labels)}).to_numpy(dtype=np.int64)
        return codes, tuple(_text(label) for label in labels)
    if _nominal(column):
        raise InvalidDataset(
            f"target {column.name!r} of {name!r} is not a number, {str(column.iloc[0])!r} for example; use "
            "task='classification' (--task classification), or choose another column as target"
        )
    return column.to_numpy(dtype=float), ()


def understood_task(column: pandas.Series) -> tuple[TaskKind, str]:
    """Task that a target's values mean, and why.

    Classification if it holds texts or booleans, or at most 10 different whole numbers in at least 10 times as many
    rows; else regression.

    Examples
    --------
    >>> import pandas
    >>> from fcnet_data.datasets.encoding import understood_task
    >>> understood_task(pandas.Series([0.0, 1.0] * 50))
    ('classification', 'it holds 2 different whole numbers')
    >>> understood_task(pandas.Series([0.5, 1.0] * 50))[0]
    'regression'
    """
    if _nominal(column):
        return "classification", "it holds texts"
    values = column.to_numpy(dtype=float)
    distinct = len(np.unique(values))
    if (values != np.rint(values)).any():
        return "regression", "it holds numbers that are not whole"
    few = distinct <= MOST_CODES and distinct * ROWS_PER_CODE <= len(values)
    return "classification" if few else "regression", f"it holds {distinct} different whole numbers"


def _check_columns(name: str, table: pandas.DataFrame, target: str) -> None:
    repeated = table.columns[table.columns.duplicated()].unique()
    if len(repeated):
        raise InvalidDataset(f"columns of {name!r} must have different names, twice there are {_some(repeated)}")
    if target not in table.columns:
        hint = nearest(target, table.columns) or f"; it has {len(table.columns)}, from {_some(table.columns)}"
        raise InvalidOption(f"target must be a column of {name!r}, got {target!r}{hint}")
    if len(table.columns) == 1:
        raise InvalidDataset(f"{name!r} has one column, {target!r}; a dataset needs a feature besides the target")
    _check_missing(name, table)
    for column in table.columns:
        if column != target and _nominal(table[column]) and table[column].nunique() > MOST_VALUES:
            raise InvalidDataset(
                f"column {column!r} of {name!r} holds {table[column].nunique()} different texts, more than "
                f"{MOST_VALUES} are no category; remove it or turn it into numbers"
            )


def _check_missing(name: str, table: pandas.DataFrame) -> None:
    missing = table.isna()
    if not missing.to_numpy().any():
        return
    empty = table.columns[missing.all()]
    if len(empty):
        raise InvalidDataset(f"{name!r} has columns without any value ({_some(empty)}); remove them first")
    raise InvalidDataset(
        f"{name!r} has missing values in {int(missing.any(axis=1).sum())} of {len(table)} rows (columns "
        f"{_some(table.columns[missing.any()])}); remove or fill them first"
    )


def _some(names: pandas.Index) -> str:
    shown = ", ".join(map(str, names[:5]))
    return f"{shown} and {len(names) - 5} more" if len(names) > 5 else shown


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
