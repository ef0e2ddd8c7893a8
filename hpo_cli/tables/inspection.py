"""`hpo table list | info | stats | verify | export`."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpo_cli.parts.arguments import Parser
from hpo_cli.parts.rendering import Column, Output, Row, add_formats

if TYPE_CHECKING:
    import pandas

    from tabular.table import Table

TABLE = "name of a table (see `hpo table list`) or path of a file"


def add_list(parser: Parser) -> None:
    add_formats(parser)
    parser.set_defaults(action=_list)


def add_info(parser: Parser) -> None:
    parser.add_argument("table", help=TABLE, complete="tables")
    add_formats(parser)
    parser.set_defaults(action=_info)


def add_stats(parser: Parser) -> None:
    parser.add_argument("table", help=TABLE, complete="tables")
    parser.add_argument("--out", type=Path, help="directory for CSV files and pictures; printed by default")
    add_formats(parser)
    parser.set_defaults(action=_stats)


def add_verify(parser: Parser) -> None:
    parser.add_argument(
        "tables", nargs="*", metavar="TABLE", help=f"{TABLE}; all in the cache by default", complete="tables"
    )
    parser.set_defaults(action=_verify)


def add_export(parser: Parser) -> None:
    parser.add_argument("table", help=TABLE, complete="tables")
    parser.add_argument("--out", type=Path, required=True, help="file to write")
    parser.set_defaults(action=_export)


def _list(options: argparse.Namespace, out: Output) -> None:
    from hpo_core.storage.files import cache_directory
    from tabular.families import SOURCES, imported, mini
    from tabular.recorded.catalogue import FAMILIES

    out.say(f"cache: {cache_directory()}")
    columns = [
        Column("name", "{name}"),
        Column("state", "{state}"),
        Column("file", lambda row: row["file"] or "-", cut=True),
    ]
    names = [*mini.listing(), *SOURCES, *imported.listing()]
    out.table(columns, [*map(_table_row, names), *map(_family_row, FAMILIES)])


def _table_row(name: str) -> Row:
    from tabular.families import SOURCES, own_tables, shipped_path
    from tabular.packages.built import built_path

    if own_tables.has(name):
        state = "your own, covers the built-in" if own_tables.covers(name) else "your own"
        return {"name": name, "state": state, "file": str(own_tables.path(name))}
    if name not in SOURCES:
        return {"name": name, "state": "comes with the package", "file": str(shipped_path(name))}
    if built_path(name).is_file():
        return {"name": name, "state": "built", "file": str(built_path(name))}
    return {"name": name, "state": "built on first use", "file": None}


def _family_row(family: str) -> Row:
    """Row for all tables of a recorded family."""
    from tabular.recorded.catalogue import FAMILIES
    from tabular.recorded.opening import shipped_family

    path = shipped_family(family)
    if path.is_file():
        return {"name": f"{family}/*", "state": "comes with the package", "file": str(path)}
    state = f"built on first use, needs the extra {FAMILIES[family].extra}"
    return {"name": f"{family}/*", "state": state, "file": None}


def _info(options: argparse.Namespace, out: Output) -> None:
    from tabular.families import open_table

    table = open_table(options.table)
    title = f"{table.name}: {table.space.numbering.size:,} configurations x {table.n_repetitions} repetitions"
    out.card(title, facts_of(table))


def facts_of(table: Table) -> Iterator[tuple[str, str, Any]]:
    """Facts about a table for a card: section, name, value."""
    from hpo_core.benchmark import describe_budgets
    from tabular.problem import TableProblem

    problem = TableProblem(table)
    yield "", "configurations", table.space.numbering.size
    yield "", "repetitions", table.n_repetitions
    yield "", "budgets", f"{describe_budgets(table.budgets)} {table.budget_unit}"
    yield "", "best loss", problem.optimum
    yield "", "best config", problem.best()
    for h in table.space:
        yield "space", h.name, f"{h.kind} {h.rule}{' on a log scale' if getattr(h, 'log', False) else ''}"
    for name, array in table.columns.items():
        yield "columns", name, f"{array.shape} {table.units[name]}"
    for key, value in table.provenance.items():
        if key != "optimum":
            yield "provenance", key, _without_space(value)


def _without_space(value: Any) -> Any:
    """An entry of the provenance; settings without the space, which is printed above."""
    return {key: v for key, v in value.items() if key != "space"} if isinstance(value, Mapping) else value


def _stats(options: argparse.Namespace, out: Output) -> None:
    from tabular.families import open_table, related_tables
    from tabular.statistics import all_statistics, left_out

    table = open_table(options.table)
    others = related_tables(table)
    if left_out(table) and (options.out is not None or out.form == "text"):
        out.say(left_out(table))
    if options.out is not None:
        from tabular.pictures import write_statistics

        for path in write_statistics(table, options.out, others):
            out.say(str(path))
        return
    frames = all_statistics(table, others)
    if out.form != "text":
        out.data(_long(frames))
        return
    for name, frame in frames.items():
        out.say(f"\n{name.replace('_', ' ')}")
        out.say(frame.to_string(float_format="{:.4g}".format, max_rows=60))


def _long(frames: Mapping[str, pandas.DataFrame]) -> Iterable[Row]:
    """The numbers of frames, a row each: statistic, row (what names the frame's row), column, value."""
    from pandas.api.types import is_numeric_dtype

    for statistic, frame in frames.items():
        named = frame if frame.index.name is None else frame.reset_index()
        labels = [c for c in named.columns if c not in frame.columns or not is_numeric_dtype(frame[c])]
        for record in named.to_dict("records"):
            row = " ".join(str(record[label]) for label in labels)
            for column in named.columns:
                if column not in labels:
                    yield {"statistic": statistic, "row": row, "column": str(column), "value": record[column]}


def _verify(options: argparse.Namespace, out: Output) -> None:
    from tabular.hdf5 import read_table
    from tabular.recorded.family_file import is_family, verify_family

    paths = [_path(name) for name in options.tables] or _all_paths()
    for path in dict.fromkeys(paths):
        if is_family(path):
            verify_family(path)
        else:
            read_table(path, verify=True)
        out.say(f"ok  {path}")


def _all_paths() -> list[Path]:
    from tabular.families import SOURCES, mini, own_tables, shipped_path
    from tabular.packages.built import built_path
    from tabular.recorded.catalogue import FAMILIES, recorded_tables
    from tabular.recorded.opening import shipped_family

    shipped = [*map(shipped_path, mini.listing()), *map(shipped_family, FAMILIES)]
    built = map(built_path, [*SOURCES, *recorded_tables()])
    return [*filter(Path.is_file, [*shipped, *built]), *map(own_tables.path, own_tables.names())]


def _path(name: str) -> Path:
    from hpo_core.storage.own_files import is_plain_name
    from tabular.families import imported_path, open_table, shipped_path
    from tabular.packages.built import built_path
    from tabular.recorded.opening import shipped_family

    named = (imported_path(name), built_path(name), shipped_path(name)) if is_plain_name(name) else ()
    for path in (*named, Path(name)):
        if path.is_file():
            return path
    open_table(name)
    family = shipped_family(name.partition("/")[0])
    return family if family.is_file() else built_path(name)


def _export(options: argparse.Namespace, out: Output) -> None:
    from hpo_core.errors import InvalidOption
    from tabular.families import open_table
    from tabular.fcnet_files.export import write_original

    if options.out.is_dir():
        raise InvalidOption(f"--out must name a file, {options.out} is a directory")
    write_original(open_table(options.table), options.out)
    out.say(f"wrote {options.out}")
