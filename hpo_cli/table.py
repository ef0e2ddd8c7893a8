"""`hpo table list | info | verify | import | export | stats | train | subsets`."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpo_cli import collect
from hpo_core.errors import InvalidOption
from hpo_core.storage.files import cache_directory
from tabular.families import SOURCES, built_path, imported, imported_path, mini, open_table, shipped_path

if TYPE_CHECKING:
    from tabular.table import Table

EXAMPLES = """\
examples:
  hpo table list
  hpo table info protein
  hpo table verify                                     every table that lies in the cache
  hpo table import fcnet_protein_structure_data.hdf5   adds budgets 1..100 and test losses to `protein`
  hpo table export protein --out protein.hdf5          in the schema of the original files
  hpo table stats protein --out statistics             tables and pictures
  hpo table train concrete --grid B --out concrete.h5  a table of one's own, see `hpo table train --help`
"""


def add(subcommands: Any) -> None:
    command = subcommands.add_parser(
        "table",
        help="look into, check, import and export tables",
        description="Tables: recorded evaluations of whole grids.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    actions = command.add_subparsers(dest="action_name", metavar="ACTION", required=True)
    _action(actions, "list", _list, "names of the tables, and which lie in the cache")
    _action(actions, "info", _info, "space, columns and provenance of a table").add_argument("table", help=TABLE)
    _action(actions, "verify", _verify, "checksums of tables").add_argument(
        "tables", nargs="*", metavar="TABLE", help=f"{TABLE}; all in the cache by default"
    )
    importing = _action(actions, "import", _import, "take in an original FC-Net file or a table made elsewhere")
    importing.add_argument("file", type=Path, help="fcnet_*_data.hdf5, or a table of this project")
    importing.add_argument("--name", help="name of the benchmark; by default what the file's own name says")
    exporting = _action(actions, "export", _export, "write a table in the schema of the original FC-Net files")
    exporting.add_argument("table", help=TABLE)
    exporting.add_argument("--out", type=Path, required=True, help="file to write")
    statistics = _action(actions, "stats", _stats, "statistics of a table, as tables and pictures")
    statistics.add_argument("table", help=TABLE)
    statistics.add_argument("--out", type=Path, help="directory for CSV files and pictures; printed by default")
    collect.add_training(_action(actions, "train", collect.train_table, "make a table: train FC-Nets on a dataset"))
    subsets = _action(actions, "subsets", collect.train_on_subsets, "make a table: SVMs on subsets of a dataset")
    collect.add_subsets(subsets)


TABLE = "name of a table (see `hpo table list`) or path of a file"


def _action(actions: Any, name: str, function: Any, summary: str) -> argparse.ArgumentParser:
    command = actions.add_parser(name, help=summary, description=summary[0].upper() + summary[1:] + ".")
    command.set_defaults(action=function)
    return command


def _list(options: argparse.Namespace) -> None:
    print(f"cache: {cache_directory()}")
    for name in [*mini.listing(), *SOURCES, *imported.listing()]:
        if imported_path(name).is_file():
            state = "imported"
        elif name in mini.listing():
            state = "comes with the package"
        else:
            state = "built" if built_path(name).is_file() else "built on first use"
        print(f"  {name:<22} {state}")


def _info(options: argparse.Namespace) -> None:
    table = open_table(options.table)
    for line in describe(table):
        print(line)


def describe(table: Table) -> list[str]:
    """Card of a table, line by line."""
    from hpo_core.benchmark import describe_budgets
    from tabular.problem import TableProblem

    problem = TableProblem(table)
    lines = [
        f"{table.name}: {table.space.grid.size:,} configurations x {table.n_repetitions} repetitions",
        f"  budgets      {describe_budgets(table.budgets)} {table.budget_unit}",
        f"  best loss    {problem.optimum:.10g}, mean over repetitions",
        f"  best config  {', '.join(f'{k}={v}' for k, v in problem.best().items())}",
        "  space",
    ]
    lines += [f"    {h.name:<20} {h.kind:<12} {h.rule}" for h in table.space]
    lines += ["  columns"]
    lines += [f"    {name:<20} {array.shape!s:<16} {table.units[name]}" for name, array in table.columns.items()]
    lines += ["  provenance"]
    lines += [f"    {key:<20} {_words(value)}" for key, value in table.provenance.items() if key != "optimum"]
    return lines


def _words(value: Any) -> str:
    """An entry of the provenance on one line; settings without the space, which is printed above."""
    if not isinstance(value, Mapping):
        return str(value)
    return ", ".join(f"{key} {setting}" for key, setting in value.items() if key != "space")


def _verify(options: argparse.Namespace) -> None:
    from tabular.hdf5 import read_table

    paths = [_path(name) for name in options.tables] or _all_paths()
    for path in paths:
        read_table(path, verify=True)
        print(f"ok  {path}")


def _all_paths() -> list[Path]:
    return [*map(shipped_path, mini.listing()), *sorted(cache_directory().glob("*/*.h5"))]


def _path(name: str) -> Path:
    for path in (imported_path(name), built_path(name), shipped_path(name), Path(name)):
        if path.is_file():
            return path
    open_table(name)
    return built_path(name)


def _import(options: argparse.Namespace) -> None:
    from tabular.fcnet_files.importing import import_table

    name = import_table(options.file, options.name)
    table = open_table(name)
    print(f"imported {name}: {len(table.budgets)} budgets, columns {', '.join(table.columns)}")


def _export(options: argparse.Namespace) -> None:
    from tabular.fcnet_files.export import write_original

    if options.out.is_dir():
        raise InvalidOption(f"--out must name a file, {options.out} is a directory")
    write_original(open_table(options.table), options.out)
    print(f"wrote {options.out}")


def _stats(options: argparse.Namespace) -> None:
    table = open_table(options.table)
    others = [open_table(name) for name, s in SOURCES.items() if s.space == table.space and name != table.name]
    if options.out is not None:
        from tabular.pictures import write_statistics

        for path in write_statistics(table, options.out, others):
            print(path)
        return
    from tabular.statistics import all_statistics

    for name, frame in all_statistics(table, others).items():
        print(f"\n{name.replace('_', ' ')}")
        print(frame.to_string(float_format="{:.4g}".format, max_rows=60))
