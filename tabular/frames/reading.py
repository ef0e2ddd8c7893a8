"""CSV files of recorded evaluations, read without loss: a number is what `float` or `int` makes of its text."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_core.errors import DamagedFile, InvalidOption
from hpo_core.storage.text_files import opened_text

if TYPE_CHECKING:
    import pandas

MISSING = frozenset({"", "nan", "na", "n/a", "null"})  # in lower case; "None" is a text
BOOLS = {"true": True, "false": False}
MOST_DIGITS = 300  # of an integer that a float holds
INTEGER = re.compile(r"[+-]?\d+")
SUFFIXES = (".csv", ".csv.gz", ".csv.bz2", ".csv.xz", ".csv.zip")


def is_csv(path: Path) -> bool:
    """Whether the name of a file says that it is a CSV file, compressed or not."""
    return path.name.lower().endswith(SUFFIXES)


def read_results(path: Path) -> pandas.DataFrame:
    """Rows of a CSV file with a header, columns as bools, integers, floats (NaN where missing) or text (None).

    A column is one of the first three only if all of its values are; any other text makes it a column of text. Raises
    `DamagedFile` for a file that is no such table.
    """
    import pandas as pd

    header, *rows = _read_rows(path) or [[]]
    if not header:
        raise DamagedFile(f"{path} is empty; it needs a header with the names of the columns, and a row per evaluation")
    names = [name.strip() for name in header]
    _check_names(path, names)
    if not rows:
        raise DamagedFile(f"{path} has a header and no rows; it needs a row per evaluation")
    for i, row in enumerate(rows):
        if len(row) != len(names):
            raise DamagedFile(f"{path}: row {i + 1} has {len(row)} values, and there are {len(names)} columns")
    columns = zip(*rows, strict=True)
    return pd.DataFrame({name: typed(column) for name, column in zip(names, columns, strict=True)})


def _read_rows(path: Path) -> list[list[str]]:
    """Rows of a file as text, the header among them; empty lines are left out."""
    if not path.is_file():
        raise FileNotFoundError(f"no file at {path}")
    try:
        with opened_text(path) as text:
            return [row for row in csv.reader(text) if row]
    except csv.Error as error:
        raise DamagedFile(f"{path} cannot be read as CSV ({error})") from None


def _check_names(path: Path, names: Sequence[str]) -> None:
    if len(names) == 1 and (";" in names[0] or "\t" in names[0]):
        raise DamagedFile(f"{path}: values must be separated by commas, got the header {names[0]!r}")
    for i, name in enumerate(names):
        if not name:
            raise DamagedFile(
                f"{path}: column {i + 1} has no name; give it one, or leave it out (pandas: to_csv(..., index=False))"
            )
        if name in names[:i]:
            raise DamagedFile(f"{path}: two columns are named {name!r}; rename one of them")


def typed(texts: Sequence[str]) -> np.ndarray:
    """(n,) values of a column of texts, all of one type."""
    stripped = [text.strip() for text in texts]
    missing = np.array([text.lower() in MISSING for text in stripped])
    if not missing.any():
        if all(text.lower() in BOOLS for text in stripped):
            return np.array([BOOLS[text.lower()] for text in stripped])
        if all(INTEGER.fullmatch(text) for text in stripped):
            return _integers(stripped)
    if not missing.all() and all(is_number(text) for text, gone in zip(stripped, missing, strict=True) if not gone):
        return np.array([np.nan if gone else float(text) for text, gone in zip(stripped, missing, strict=True)])
    return np.array([None if gone else text for text, gone in zip(stripped, missing, strict=True)], dtype=object)


def _integers(texts: Sequence[str]) -> np.ndarray:
    if any(len(text) > MOST_DIGITS for text in texts):
        return np.array([float(text) for text in texts])
    numbers = [int(text) for text in texts]
    small = all(abs(number) < 2**63 for number in numbers)
    return np.array(numbers, dtype=np.int64 if small else float)


def is_number(text: str) -> bool:
    """Whether a text is a number; 1_000 is none, although Python reads it as one."""
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text


def column_values(frame: pandas.DataFrame, name: str) -> np.ndarray:
    """(n,) values of a column of any frame: bools, integers, floats (NaN where missing), or text (None where missing).

    Raises `InvalidOption` for a column of anything else, numbers and text among them.
    """
    import pandas as pd

    column = frame[name]
    if isinstance(column, pd.DataFrame):
        raise InvalidOption(f"two columns are named {name!r}; rename one of them")
    values = [_plain(None if value is pd.NA else value) for value in column.tolist()]
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {str}:
        return np.array(values, dtype=object)
    if kinds == {bool} and None not in values:
        return np.array(values)
    if kinds == {int} and None not in values and all(abs(value) < 2**63 for value in values):
        return np.array(values, dtype=np.int64)
    if kinds <= {int, float}:
        return np.array([np.nan if value is None else value for value in values], dtype=float)
    row = max(i for kind in kinds for i in [next(i for i, value in enumerate(values) if type(value) is kind)])
    raise InvalidOption(
        f"a column holds numbers, text or bools, {name!r} holds {' and '.join(sorted(k.__name__ for k in kinds))}: "
        f"{values[row]!r} in row {row + 1}"
    )


def _plain(value: Any) -> Any:
    """A value as Python has it, None where it is missing."""
    value = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(value, float) and value != value else value
