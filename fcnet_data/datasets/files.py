"""Reading CSV, Parquet, ARFF and Excel files into a table of columns; text columns are categories."""

from __future__ import annotations

import csv
import gzip
import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from fcnet_data.datasets.dataset import InvalidDataset
from hpo_core.errors import DamagedFile, HpoError, MissingExtra

if TYPE_CHECKING:
    import pandas

TEXT_SUFFIXES = (".csv", ".tsv", ".txt", ".data", ".dat")
SUFFIXES = (*TEXT_SUFFIXES, ".arff", ".parquet", ".xlsx")
MISSING = ["?", "", "NA", "NaN", "nan", "<null>"]


def is_file_name(name: str) -> bool:
    """Whether `name` is meant as a file: it has a known suffix, or contains a folder."""
    return _suffix(Path(name)) in SUFFIXES or "/" in name or "\\" in name


def read_table(path: Path, header: bool | None = None) -> pandas.DataFrame:
    """Columns of a file, by its suffix: .csv .tsv .txt .data .dat (also .gz), .arff, .parquet or .xlsx.

    A text file's separator is the first of ; tab , blank that its first line contains. Unless `header` says it, that
    line is a header if none of its fields is a number; without one, columns are named x0, x1... A text file that starts
    with "@" is ARFF.
    """
    suffix = _suffix(path)
    if suffix not in SUFFIXES:
        raise InvalidDataset(f"a dataset's file must end with one of {' '.join(SUFFIXES)}, got {path.name!r}")
    if not path.is_file():
        raise InvalidDataset(f"no such file: {path}")
    try:
        table = _read_text(path, header) if suffix in TEXT_SUFFIXES else _READERS[suffix](path)
    except HpoError:
        raise
    except Exception as error:  # each reader raises its own types for a file of another format
        raise DamagedFile(f"{path} cannot be read as {suffix}: {error}; does its suffix name its format?") from error
    if not len(table.columns) or not len(table):
        raise DamagedFile(f"{path} holds no rows; is it complete?")
    return table


def _suffix(path: Path) -> str:
    name = path.name.lower().removesuffix(".gz")
    return Path(name).suffix


def _lines(path: Path) -> Iterator[str]:
    with gzip.open(path, "rt", encoding="utf-8") if path.name.endswith(".gz") else path.open(encoding="utf-8") as file:
        yield from file


def _read_text(path: Path, header: bool | None) -> pandas.DataFrame:
    import pandas

    first = next((line.strip() for line in _lines(path) if line.strip()), "")
    if first.startswith("@"):
        return _read_arff(path)
    separator = next((s for s in ";\t," if s in first), r"\s+")
    fields = first.split() if separator == r"\s+" else next(csv.reader([first], delimiter=separator))
    if header is None:
        header = not any(_is_number(field) for field in fields)
    table = pandas.read_csv(
        path,
        sep=separator,
        header=0 if header else None,
        skipinitialspace=True,
        na_values=MISSING,
        keep_default_na=False,
        dtype=str,  # pandas' conversion to numbers can differ in the last digit between versions
    )
    if not header:
        table.columns = [f"x{i}" for i in range(len(table.columns))]
    table = _stripped(table)
    for name in table.columns[~table.columns.duplicated()]:
        table[name] = _numbers(table[name])
    return table


def _numbers(column: pandas.Series) -> pandas.Series:
    """The column as float64, or unchanged if it holds a text that is not a number."""
    texts = column.to_numpy(dtype=object)
    try:
        numbers = texts.astype(float)
    except ValueError:
        return column
    # Python reads 1_2 as 12
    return column if any("_" in text for text in texts if isinstance(text, str)) else column.__class__(numbers)


def _is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def _read_arff(path: Path) -> pandas.DataFrame:
    """Columns of an ARFF file as Weka and KEEL write it; nominal attributes keep the order of their declaration."""
    import pandas

    attributes: list[tuple[str, list[str] | None]] = []
    lines = (line.strip() for line in _lines(path))
    for line in lines:
        word = line.split(maxsplit=1)[0].lower() if line else ""
        if word == "@attribute":
            attributes.append(_attribute(line))
        if word == "@data":
            break
    else:
        raise DamagedFile(f"{path} has no @data line, so it is not an ARFF file")
    rows = list(csv.reader((s for s in lines if s and s[0] not in "%@"), skipinitialspace=True, quotechar="'"))
    wrong = next((i for i, row in enumerate(rows) if len(row) != len(attributes)), None)
    if wrong is not None:
        raise DamagedFile(
            f"row {wrong + 1} of {path} has {len(rows[wrong])} values for {len(attributes)} attributes; "
            "sparse ARFF is not read"
        )
    table = pandas.DataFrame([[value.strip() for value in row] for row in rows])
    table.columns = [name for name, _ in attributes]
    table = table.replace({m: None for m in MISSING})
    for name, values in attributes:
        if values is None:
            table[name] = table[name].to_numpy(dtype=object).astype(float)
        elif values:
            unknown = set(table[name].dropna()) - set(values)
            if unknown:
                raise DamagedFile(f"{path} has the value {min(unknown)!r} of {name!r}, which it does not declare")
            table[name] = pandas.Categorical(table[name], values)
    return table


def _attribute(line: str) -> tuple[str, list[str] | None]:
    """Name of a declared attribute and its values: None for a number, an empty list for a text or date."""
    rest = line.split(maxsplit=1)[1].strip()
    quote = rest[0] if rest[0] in "'\"" else ""
    name, kind = rest[1:].split(quote, 1) if quote else rest.split(maxsplit=1) if " " in rest else rest.split("\t", 1)
    if "{" not in kind:
        return name, [] if kind.strip().lower().startswith(("string", "date")) else None
    inside = kind[kind.index("{") + 1 : kind.rindex("}")]
    return name, [value.strip() for value in next(csv.reader([inside], skipinitialspace=True, quotechar="'"))]


def _read_parquet(path: Path) -> pandas.DataFrame:
    import pandas

    if importlib.util.find_spec("pyarrow") is None:
        raise MissingExtra("pyarrow", "collect")
    return _stripped(pandas.read_parquet(path))


def _read_excel(path: Path) -> pandas.DataFrame:
    import pandas

    if importlib.util.find_spec("openpyxl") is None:
        raise MissingExtra("openpyxl", "collect")
    return _stripped(pandas.read_excel(path))


def _stripped(table: pandas.DataFrame) -> pandas.DataFrame:
    """The same columns without blanks around names and texts."""
    from pandas.api.types import is_numeric_dtype

    table.columns = [str(name).strip() for name in table.columns]
    for name in table.columns:
        if not is_numeric_dtype(table[name]) and table[name].dtype != "category":
            table[name] = table[name].map(lambda v: v.strip() if isinstance(v, str) else v)
    return table


_READERS = {".arff": _read_arff, ".parquet": _read_parquet, ".xlsx": _read_excel}
