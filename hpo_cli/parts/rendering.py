"""`Output`: rows as text, JSON or CSV on standard output; with JSON and CSV, remarks go to standard error.

A row is a mapping. All of it goes into JSON (an array with one object per line) and CSV; in text, columns say what is
shown and how. Rows of an iterator are printed one by one, as they come.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import pandas

Row = Mapping[str, Any]
Format = Literal["text", "json", "csv"]
LEAST_CUT = 12  # characters of a column that are worth showing


@dataclass(frozen=True)
class Column:
    """A column of text.

    title    above it
    cell     a format string of the row's keys, such as "{loss:.6g}", or a function of the row
    right    whether cells end at the right
    width    characters, at least; the whole width for rows that are printed as they come
    cut      whether a terminal that is too narrow may cut it off, or leave it out
    """

    title: str
    cell: str | Callable[[Row], str]
    right: bool = False
    width: int = 0
    cut: bool = False

    def text(self, row: Row) -> str:
        return self.cell.format_map(row) if isinstance(self.cell, str) else self.cell(row)


def add_formats(parser: argparse.ArgumentParser) -> None:
    """Give a command the options --json and --csv."""
    parser.add_argument("--json", dest="format", action="store_const", const="json", help="print the rows as JSON")
    parser.add_argument("--csv", dest="format", action="store_const", const="csv", help="print the rows as CSV")


class Output:
    """Where a command prints to; `close` ends a JSON array."""

    def __init__(self, form: Format = "text"):
        self.form = form
        self._header: list[str] | None = None  # of what was printed as CSV
        self._n_rows = 0

    def say(self, line: str = "") -> None:
        """Print a remark that is no row."""
        _print(line, sys.stdout if self.form == "text" else sys.stderr)

    def table(self, columns: Sequence[Column], rows: Iterable[Row]) -> None:
        """Print rows, which all have the same keys, below a line of titles, which waits for the first of them."""
        if self.form != "text":
            self.data(rows)
            return
        shown = rows if isinstance(rows, list) else None
        widths = _widths(columns, shown or ())
        titles = [column.title for column in columns]
        n_rows = 0
        for n_rows, row in enumerate(rows, 1):
            if n_rows == 1:
                self._line(titles, columns, widths)
            self._line([column.text(row) for column in columns], columns, widths)
        if n_rows == 0:
            self._line(titles, columns, widths)

    def card(self, title: str, rows: Iterable[tuple[str, str, Any]]) -> None:
        """Print facts (section, name, value) below a title; those of the section "" come without a heading."""
        facts = list(rows)
        if self.form != "text":
            self.data({"section": section, "name": name, "value": value} for section, name, value in facts)
            return
        from hpo_core.shown_text import visible

        _print(title)
        width = max((len(name) for _, name, _ in facts), default=0)
        before = ""
        for section, name, value in facts:
            if section != before:
                _print(f"  {section}")
            before = section
            _print(f"{'    ' if section else '  '}{name:<{width}}  {visible(words(value), keep='')}")

    def data(self, rows: Iterable[Row]) -> None:
        """Print rows as JSON or CSV."""
        for row in rows:
            if self.form == "json":
                _print(("[\n" if self._n_rows == 0 else ",\n") + json.dumps(plain(row)), end="")
            else:
                self._print_csv(row)
            self._n_rows += 1

    def close(self, done: bool = True) -> None:
        """End the JSON array. Without rows it is empty, or left out if the command was not done."""
        if self.form == "json" and (self._n_rows or done):
            print("\n]" if self._n_rows else "[]")

    def _line(self, cells: Sequence[str], columns: Sequence[Column], widths: Sequence[int]) -> None:
        padded = [
            f"{cell:>{width}}" if column.right else f"{cell:<{width}}"
            for cell, column, width in zip(cells, columns, widths, strict=True)
        ]
        if sys.stdout.isatty():
            padded = _fitting(padded, columns, widths, shutil.get_terminal_size().columns)
        _print("  ".join(padded).rstrip())

    def _print_csv(self, row: Row) -> None:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        if self._header is None:
            self._header = list(row)
            writer.writerow(map(_csv_cell, self._header))
        with _beside_bar():
            writer.writerow(_csv_cell(plain(row[key])) for key in self._header)
            sys.stdout.flush()


def _widths(columns: Sequence[Column], rows: Iterable[Row]) -> list[int]:
    widths = [max(column.width, len(column.title)) for column in columns]
    for row in rows:
        widths = [max(width, len(column.text(row))) for width, column in zip(widths, columns, strict=True)]
    return widths


def _fitting(cells: list[str], columns: Sequence[Column], widths: Sequence[int], room: int) -> list[str]:
    """The cells of a line that a terminal of so many characters shows, the last of them cut where they may be."""
    while columns[len(cells) - 1].cut:
        last = len(cells) - 1
        left = room - sum(widths[:last]) - 2 * last
        if left >= LEAST_CUT:
            text = cells[last].rstrip()
            return [*cells[:last], text if len(text) <= left else text[: left - 1] + "…"]
        cells = cells[:last]
    return cells


def _print(line: str, stream: Any = None, end: str = "\n") -> None:
    from hpo_core.shown_text import visible

    with _beside_bar():
        print(visible(line), file=stream or sys.stdout, end=end, flush=True)


def _beside_bar() -> AbstractContextManager[Any]:
    """A context in which progress bars, if any, are taken off the terminal."""
    loaded = sys.modules.get("tqdm")
    return nullcontext() if loaded is None else loaded.tqdm.external_write_mode(file=sys.stdout)


def records(frame: pandas.DataFrame) -> list[dict[str, Any]]:
    """The rows of a data frame."""
    return [{str(key): value for key, value in row.items()} for row in frame.to_dict("records")]


def plain(value: Any) -> Any:
    """A value as JSON has it: numbers of numpy as Python's, what is not finite as None."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, range, set)):
        return [plain(item) for item in value]
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


def _csv_cell(value: Any) -> Any:
    from hpo_core.shown_text import csv_text, visible

    if isinstance(value, (dict, list)):
        return json.dumps(value)
    return csv_text(visible(value)) if isinstance(value, str) else value


def words(value: Any) -> str:
    """A value on one line of text."""
    if isinstance(value, Mapping):
        return ", ".join(f"{key}={words(item)}" for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(map(words, value))
    if isinstance(value, float):
        return f"{value:.10g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def yes_or_no(value: bool | None) -> str:
    """`yes`, `-` for no, `?` for unknown."""
    return "?" if value is None else "yes" if value else "-"


def seconds_in_words(seconds: float) -> str:
    """A duration such as `0.3 s`, `5 min` or `2.5 h`."""
    if seconds < 100:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:,.1f} h"
