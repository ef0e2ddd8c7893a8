"""Reading CSV, Parquet, ARFF and Excel files into a table of columns: numbers, booleans, texts and categories."""

from __future__ import annotations

import importlib.util
import zipfile
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

from fcnet_data.datasets.arff import read_arff
from fcnet_data.datasets.dataset import InvalidDataset
from fcnet_data.datasets.text_files import EXACT, lines, numbers_of, read_text
from hpo_core.errors import DamagedFile, HpoError, MissingExtra
from hpo_core.storage.parquet import read_parquet
from hpo_core.storage.text_files import unpacked_limit

if TYPE_CHECKING:
    import pandas

TEXT_SUFFIXES = (".csv", ".tsv", ".txt", ".data", ".dat")
SUFFIXES = (*TEXT_SUFFIXES, ".arff", ".parquet", ".xlsx")


def is_file_name(name: str) -> bool:
    """Whether `name` is meant as a file: it has a known suffix, or contains a folder."""
    return _suffix(Path(name)) in SUFFIXES or "/" in name or "\\" in name


def read_table(path: Path, header: bool | None = None) -> pandas.DataFrame:
    """Columns of a file, by its suffix: .csv .tsv .txt .data .dat (also .gz), .arff, .parquet or .xlsx.

    `header` says whether the first line of a text file names the columns; by default the file decides, see
    `fcnet_data.datasets.text_files`. A text file that starts with "@" is ARFF.
    """
    suffix = _suffix(path)
    if suffix not in SUFFIXES:
        raise InvalidDataset(f"a dataset's file must end with one of {' '.join(SUFFIXES)}, got {path.name!r}")
    if not path.is_file():
        raise InvalidDataset(f"no such file: {path}")
    try:
        table = _read_rows(path, header) if suffix in TEXT_SUFFIXES else _READERS[suffix](path)
    except HpoError:
        raise
    except Exception as error:  # each reader raises its own types for a file of another format
        raise DamagedFile(
            f"{path} cannot be read as {suffix}: {str(error)[:300]}; does its suffix name its format?"
        ) from None
    if not len(table.columns) or not len(table):
        raise DamagedFile(f"{path} holds no rows; is it complete?")
    return table


def _suffix(path: Path) -> str:
    name = path.name.lower().removesuffix(".gz")
    return Path(name).suffix


def _read_rows(path: Path, header: bool | None) -> pandas.DataFrame:
    first = next((line.strip() for line in lines(path) if line.strip()), "")
    return read_arff(path) if first.startswith("@") else read_text(path, header)


def _read_parquet(path: Path) -> pandas.DataFrame:
    return _typed(read_parquet(path, "collect"), path)


def _read_excel(path: Path) -> pandas.DataFrame:
    import pandas

    if importlib.util.find_spec("openpyxl") is None:
        raise MissingExtra("openpyxl", "collect")
    with zipfile.ZipFile(path) as archive:
        n_bytes = sum(member.file_size for member in archive.infolist())
    if n_bytes > unpacked_limit(path):
        raise DamagedFile(f"{path} unpacks to {n_bytes:,} bytes, far more than a sheet does; save it as CSV")
    return _typed(pandas.read_excel(path), path)


def _typed(table: pandas.DataFrame, path: Path) -> pandas.DataFrame:
    """The same columns without blanks around names and texts, each of a type that a dataset can have."""
    import pandas

    columns = {i: _column(table.iloc[:, i], path) for i in range(len(table.columns))}
    typed = pandas.DataFrame(columns, index=table.index).reset_index(drop=True)
    typed.columns = pandas.Index([str(name).strip() for name in table.columns], dtype=object)
    return typed


def _column(column: pandas.Series, path: Path) -> pandas.Series:
    from pandas.api.types import is_bool_dtype, is_integer_dtype, is_numeric_dtype

    if is_integer_dtype(column) and max(column.max(), -column.min()) >= EXACT and not column.isna().any():
        texts = column.map(str)
        return column if numbers_of(texts.tolist()).dtype == float else texts
    if is_bool_dtype(column) or is_numeric_dtype(column) or column.dtype == "category":
        return column
    present = column.dropna()
    if len(present) and all(isinstance(value, Decimal) for value in present):
        return column.astype(float)
    other = next((value for value in present if not isinstance(value, (str, bool, int, float))), None)
    if other is not None:
        raise InvalidDataset(
            f"column {str(column.name)!r} of {path} holds values of type {type(other).__name__}; a dataset has "
            "numbers, texts and booleans: remove the column or turn it into numbers"
        )
    return column.map(lambda value: value.strip() if isinstance(value, str) else value)


_READERS = {".arff": read_arff, ".parquet": _read_parquet, ".xlsx": _read_excel}
