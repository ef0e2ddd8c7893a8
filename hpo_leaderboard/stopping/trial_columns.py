"""What the columns of a table of trials must hold; `checked` sees to it once, so that nobody else has to."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_core.errors import InvalidOption
from hpo_core.space.plain_data import config_from_json
from hpo_core.storage.plain_fields import json_object

if TYPE_CHECKING:
    import pandas

NUMBERS = ("loss", "cost", "test", "exact", "reference_bound")  # may be missing in a row
FINITE = ("budget", "start", "end")
WHOLE = ("seed", "step", "worker")
MOST_WHOLE = 2**62
MOST_COST = 1e300  # seconds; the sum of all costs of a run must be a number too


def checked(table: pandas.DataFrame) -> pandas.DataFrame:
    """The table with numbers in its columns of numbers; raises `InvalidOption` with the row that has something else."""
    changes: dict[str, Any] = {}
    for name in table.columns:
        if name in NUMBERS or str(name).startswith("fold_"):
            changes[name] = _numbers(table[name], name)
        elif name in FINITE or name in WHOLE:
            numbers = _numbers(table[name], name)
            _refuse(name, "a finite number", numbers, ~np.isfinite(numbers))
            changes[name] = _whole(name, numbers) if name in WHOLE else numbers
        elif name == "failed":
            changes[name] = _truths(table[name])
    for name in {"cost", "budget"} & changes.keys():
        _refuse(name, f"0 to {MOST_COST:g}", changes[name], (changes[name] < 0) | (changes[name] > MOST_COST))
    return table.assign(**changes)


def _numbers(column: pandas.Series, name: str) -> np.ndarray:
    """(n,) float64 of a column, NaN where nothing is written."""
    if column.dtype.kind in "iuf":
        return column.to_numpy(dtype=float)
    values = column.tolist()
    found = np.empty(len(values))
    for i, value in enumerate(values):
        try:
            found[i] = np.nan if value is None else float(value)
        except (TypeError, ValueError, OverflowError):
            raise InvalidOption(f"column {name!r} must hold numbers, got {value!r:.60} in row {i + 1}") from None
    return found


def _whole(name: str, numbers: np.ndarray) -> np.ndarray:
    _refuse(name, "a whole number >= 0", numbers, (numbers != np.rint(numbers)) | (numbers < 0))
    _refuse(name, f"at most {MOST_WHOLE}", numbers, numbers > MOST_WHOLE)
    return numbers.astype(np.int64)


def _truths(column: pandas.Series) -> np.ndarray:
    known = {True: True, False: False, "true": True, "false": False}
    values = [value.lower() if isinstance(value, str) else value for value in column.tolist()]
    for i, value in enumerate(values):
        if value.__class__ not in (bool, int, float, str) or value not in known:
            raise InvalidOption(f"column 'failed' must hold true or false, got {value!r:.60} in row {i + 1}")
    return np.array([known[value] for value in values], dtype=bool)


def _refuse(name: str, rule: str, numbers: np.ndarray, wrong: np.ndarray) -> None:
    if wrong.any():
        row = int(np.argmax(wrong))
        raise InvalidOption(f"column {name!r} must hold {rule}, got {numbers[row]:g} in row {row + 1}")


def configs_in(texts: Sequence[Any]) -> list[dict[str, Any]]:
    """Configurations of a column of JSON objects."""
    return [_config(text) for text in texts]


def _config(text: Any) -> dict[str, Any]:
    try:
        return config_from_json(json_object(text, "config"))
    except (TypeError, ValueError) as error:
        raise InvalidOption(f"the column config must hold JSON objects, got {text!r:.60}: {error}") from None


def folds_in(texts: Iterable[Any]) -> list[list[float]]:
    """Fold losses of a column of JSON lists."""
    return [_folds(text) for text in texts]


def _folds(text: Any) -> list[float]:
    try:
        found = json.loads(text)
        if not isinstance(found, list):
            raise ValueError("no list")
        return [float(loss) for loss in found]
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise InvalidOption(f"the column folds must hold JSON lists of numbers, got {text!r:.60}: {error}") from None
