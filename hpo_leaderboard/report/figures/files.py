"""`draw_figure`: one figure of a group, with its files beside the page and as they lie in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from hpo_core.shown_text import csv_frame
from hpo_core.storage.files import replacing
from hpo_leaderboard.report.figures.comparisons import COMPARISONS
from hpo_leaderboard.report.figures.curves import CURVES
from hpo_leaderboard.report.figures.figure import Figure, Omitted
from hpo_leaderboard.report.figures.palette import Style
from hpo_leaderboard.report.figures.targets import TARGETS
from hpo_leaderboard.report.figures.vector import File, write_sheets
from hpo_leaderboard.report.packing import packed, packed_table
from hpo_leaderboard.report.scored.groups import Group

if TYPE_CHECKING:
    import pandas

FIGURES: tuple[Callable[[Group], Figure | Omitted], ...] = (*CURVES, *TARGETS, *COMPARISONS)


class Drawn(NamedTuple):
    """A figure, the files written for it beside the CSV file, and the packed contents of all of them by name."""

    figure: Figure | Omitted
    files: list[File]
    contents: dict[str, str]


def draw_figure(group: Group, number: int, folder: Path, look: Mapping[str, Style]) -> Drawn:
    """The figure of a group with a number in `FIGURES`, after writing its files.

    Settings of matplotlib that were changed since it was loaded do not count: equal stores give equal files, in
    whatever process.
    """
    figure = FIGURES[number](group)
    if isinstance(figure, Omitted):
        return Drawn(figure, [], {})
    import matplotlib

    table = f"{figure.name}.csv"
    write_table(folder / table, figure.table)
    with matplotlib.rc_context():
        matplotlib.rc_file_defaults()
        files = write_sheets(figure, look, folder)
    return Drawn(figure, files, {name: packed_file(folder / name) for name in (table, *(file.name for file in files))})


def packed_file(path: Path) -> str:
    """Content of a file as it lies in the page."""
    if path.suffix == ".csv":
        return packed_table(path.read_bytes().decode("utf-8"))
    return packed(path.read_bytes())


def write_table(path: Path, table: pandas.DataFrame) -> None:
    """Write a table as CSV."""
    with replacing(path) as temporary:
        csv_frame(table).to_csv(temporary, index=False)
