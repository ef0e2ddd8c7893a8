"""Reading ARFF files as Weka and KEEL write them."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

from fcnet_data.datasets.text_files import MISSING, lines
from hpo_core.errors import DamagedFile

if TYPE_CHECKING:
    import pandas


def read_arff(path: Path) -> pandas.DataFrame:
    """Columns of an ARFF file; nominal attributes keep the order of their declaration."""
    import pandas

    attributes: list[tuple[str, list[str] | None]] = []
    stripped = (line.strip() for line in lines(path))
    for line in stripped:
        word = line.split(maxsplit=1)[0].lower() if line else ""
        if word == "@attribute":
            attributes.append(_attribute(line))
        if word == "@data":
            break
    else:
        raise DamagedFile(f"{path} has no @data line, so it is not an ARFF file")
    rows = list(csv.reader((s for s in stripped if s and s[0] not in "%@"), skipinitialspace=True, quotechar="'"))
    wrong = next((i for i, row in enumerate(rows) if len(row) != len(attributes)), None)
    if wrong is not None:
        raise DamagedFile(
            f"row {wrong + 1} of {path} has {len(rows[wrong])} values for {len(attributes)} attributes; "
            "sparse ARFF is not read"
        )
    columns = {i: _column(path, *declared, [row[i] for row in rows]) for i, declared in enumerate(attributes)}
    table = pandas.DataFrame(columns)
    table.columns = pandas.Index([name for name, _ in attributes], dtype=object)
    return table


def _column(path: Path, name: str, declared: list[str] | None, values: list[str]) -> pandas.Series:
    """One attribute's values: numbers if none are declared, a category in the declared order, or texts."""
    import pandas

    texts = pandas.Series([None if text.strip() in MISSING else text.strip() for text in values], dtype=object)
    if declared is None:
        return texts.astype(float)
    unknown = set(texts.dropna()) - set(declared)
    if declared and unknown:
        raise DamagedFile(f"{path} has the value {min(unknown)!r} of {name!r}, which it does not declare")
    return pandas.Series(pandas.Categorical(texts, declared)) if declared else texts


def _attribute(line: str) -> tuple[str, list[str] | None]:
    """Name of a declared attribute and its values: None for a number, an empty list for a text or date."""
    rest = line.split(maxsplit=1)[1].strip()
    quote = rest[0] if rest[0] in "'\"" else ""
    name, kind = rest[1:].split(quote, 1) if quote else rest.split(maxsplit=1) if " " in rest else rest.split("\t", 1)
    if "{" not in kind:
        return name, [] if kind.strip().lower().startswith(("string", "date")) else None
    inside = kind[kind.index("{") + 1 : kind.rindex("}")]
    return name, [value.strip() for value in next(csv.reader([inside], skipinitialspace=True, quotechar="'"))]
