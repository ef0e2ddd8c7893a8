"""Reading a text file of rows into a table of columns: separator, header, numbers and texts.

Every row must have as many fields as the first line; nothing is shifted or renamed to make a file fit. Numbers are read
by Python and not by pandas, whose conversion can differ in the last digit between versions.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from fcnet_data.datasets.dataset import InvalidDataset
from hpo_core.errors import DamagedFile
from hpo_core.storage.text_files import opened_text

if TYPE_CHECKING:
    import pandas

MISSING = frozenset({"?", "", "NA", "NaN", "nan", "<null>", "N/A", "n/a", "#N/A", "NULL", "null"})
SEPARATORS = ";\t,|"
QUOTED = re.compile(r'"[^"]*"')
DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")
EXACT = 2.0**53  # from here on different whole numbers can be the same float64


def read_text(path: Path, header: bool | None) -> pandas.DataFrame:
    """Columns of a text file; those of texts have dtype object, the others float64.

    The separator is the first of ; tab , | that the first line contains outside of quotes, as often as the second line
    if one of them is; else blanks. Unless `header` says it, the first line is a header if none of its fields is a
    number, or if it has a text above a column of numbers. Without a header columns are x0, x1, and so on.
    """
    import pandas

    rows = _rows(path)
    if not rows:
        raise DamagedFile(f"{path} is empty; is it complete?")
    _check_widths(path, rows)
    if header is None:
        header = _has_header(rows)
    names = _names(rows[0]) if header else [f"x{i}" for i in range(len(rows[0]))]
    fields = list(zip(*rows[header:], strict=True))
    kept = {i: name for i, name in enumerate(names) if not (header and _is_filler(rows[0][i], fields, i))}
    columns = {i: numbers_of(fields[i] if fields else ()) for i in kept}
    for i, name in kept.items():
        _check_decimal_commas(path, name, columns[i])
    table = pandas.DataFrame({i: pandas.Series(column, dtype=column.dtype) for i, column in columns.items()})
    table.columns = pandas.Index(list(kept.values()), dtype=object)
    return table


def lines(path: Path) -> Iterator[str]:
    """Lines of a text file, with the characters that end them; also of a compressed one."""
    with opened_text(path) as file:
        yield from file


def _rows(path: Path) -> list[list[str]]:
    """Fields of the lines that are not blank, without blanks around them."""
    whole = [line for line in lines(path) if line.strip()]
    separator = _separator(whole[:2])
    if separator is None:
        return [line.split() for line in whole]
    reader = csv.reader(whole, delimiter=separator, skipinitialspace=True)
    return [[field.strip() for field in row] for row in reader]


def _separator(first: Sequence[str]) -> str | None:
    """Separator of a file that begins with these lines, None for blanks."""
    bare = [QUOTED.sub("", line) for line in first]
    present = [s for s in SEPARATORS if bare and s in bare[0]]
    regular = [s for s in present if len({line.count(s) for line in bare}) == 1]
    return next(iter([*regular, *present]), None)


def _check_widths(path: Path, rows: Sequence[Sequence[str]]) -> None:
    wrong = next((i for i, row in enumerate(rows) if len(row) != len(rows[0])), None)
    if wrong is not None:
        raise DamagedFile(
            f"every row of {path} must have as many fields as the first, which has {len(rows[0])}; row {wrong + 1} has "
            f"{len(rows[wrong])}. Is the separator ; tab , | or blanks, has the header a name for each column, and is "
            "the first line part of the table?"
        )


def _has_header(rows: Sequence[Sequence[str]]) -> bool:
    first, second = rows[0], rows[1] if len(rows) > 1 else ()
    if not any(_is_number(field) for field in first):
        return True
    texts = [i for i, field in enumerate(first) if field not in MISSING and not _is_number(field)]
    suspects = [i for i in texts if i < len(second) and _is_number(second[i])]  # most files are decided here
    return any(all(row[i] in MISSING or _is_number(row[i]) for row in rows[1:]) for i in suspects)


def _names(first: Sequence[str]) -> list[str]:
    return [field or f"x{i}" for i, field in enumerate(first)]


def _is_filler(name: str, fields: Sequence[Sequence[str]], i: int) -> bool:
    """Whether a column without a name is none: row numbers in the first place, or no value at all."""
    if name or not fields:
        return False
    column = fields[i]
    counted = i == 0 and any(list(column) == [str(k + start) for k in range(len(column))] for start in (0, 1))
    return counted or all(field in MISSING for field in column)


def numbers_of(texts: Sequence[str]) -> np.ndarray:
    """The texts as float64 with NaN for what is missing, or unchanged where one of them is not a number.

    Whole numbers that differ and are the same float64 stay texts: they are identifiers, not amounts.
    """
    column = np.array([np.nan if text in MISSING else text for text in texts], dtype=object)
    try:
        numbers = column.astype(float)
    except ValueError:
        return column
    if any("_" in text for text in texts):  # Python reads 1_2 as 12
        return column
    large = np.flatnonzero(np.isfinite(numbers) & (np.abs(numbers) >= EXACT))
    return column if len(set(numbers[large])) < len(set(column[large])) else numbers


def _check_decimal_commas(path: Path, name: str, column: np.ndarray) -> None:
    texts = [text for text in column if isinstance(text, str)] if column.dtype == object else []
    commas = next((text for text in texts if DECIMAL_COMMA.fullmatch(text)), None)
    if commas is not None and all(_is_number(text.replace(",", ".", 1)) for text in texts):
        raise InvalidDataset(
            f"column {name!r} of {path} has commas in its numbers ({commas}), which could mean decimals or thousands; "
            f"write {commas.replace(',', '.')} or {commas.replace(',', '')}"
        )


def _is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True
