"""`hpo table import | remove`: tables of the user's own."""

from __future__ import annotations

import argparse
from pathlib import Path

from hpo_cli.parts.arguments import Parser, comma_list
from hpo_cli.parts.rendering import Output

IMPORT = "Make a benchmark of recorded evaluations: of a CSV file, of a table, or of an original FC-Net file."
IMPORT_EXAMPLES = """\
examples:
  hpo table import results.csv --loss val_error --name own       afterwards Benchmark("own")
  hpo table import results.csv --loss val_error --cost seconds --budget epoch --config "lr,depth,hp_*" --name own
  hpo table import own.h5 --name own                             a table made elsewhere
  hpo table import fcnet_protein_structure_data.hdf5 --replace   adds budgets 1..100 and test losses to `protein`

A CSV file has a header and a row per evaluation. --loss names the column to minimise (inf: the training diverged).
Without --config every column without another role is a hyperparameter. Rows with the same configuration are
repetitions. With --budget every configuration needs a row at each budget, and --cost is what the training took up to
there. Other columns of numbers are kept and shown in `info`. What was inferred is printed.

An imported table comes before a built-in one of the same name, so such a name is refused without --replace.
`hpo table remove protein` removes yours; Benchmark("protein", built_in=True) always opens the built-in one.
"""
COLUMNS = ("loss", "cost", "budget", "repetition", "config")


def add_import(parser: Parser) -> None:
    parser.explain(IMPORT, IMPORT_EXAMPLES)
    parser.add_argument("file", type=Path, help="results.csv, a table of this project, or fcnet_*_data.hdf5")
    parser.add_argument("--name", help="name of the benchmark; by default what the file's own name says")
    parser.add_argument("--replace", action="store_true", help="hide a built-in table of that name on this machine")
    parser.add_argument("--loss", metavar="COL", help="column of a CSV file that is minimised")
    parser.add_argument("--cost", metavar="COL", help="column of seconds; without it an evaluation counts as 1 second")
    parser.add_argument("--budget", metavar="COL", help="column of epochs, shares of the data, ...")
    parser.add_argument("--config", metavar="COLS", type=comma_list, help="hyperparameters, as in lr,depth or hp_*")
    parser.add_argument("--repetition", metavar="COL", help="column that tells repetitions apart, such as a seed")
    parser.set_defaults(action=_import)


def add_remove(parser: Parser) -> None:
    parser.explain("Remove a table that you trained or imported. A built-in table of the same name is found again.")
    parser.add_argument("name", help="name of the table", complete="own-tables")
    parser.set_defaults(action=_remove)


def _import(options: argparse.Namespace, out: Output) -> None:
    from hpo_cli.tables.inspection import facts_of
    from tabular.families import open_table, own_tables
    from tabular.frames.reading import is_csv

    from_rows = is_csv(options.file)
    name = _import_rows(options) if from_rows else _import_table(options)
    table = open_table(name)
    if from_rows:
        kind = "all combinations of values" if table.space.listed is None else "listed"
        out.card(f"imported {name}: {table.space.numbering.size:,} configurations, {kind}", facts_of(table))
    else:
        out.say(f"imported {name}: {len(table.budgets)} budgets, columns {', '.join(table.columns)}")
    if own_tables.covers(name):
        out.say(f"it covers the built-in {name}; `hpo table remove {name}` uncovers that one")


def _import_rows(options: argparse.Namespace) -> str:
    from hpo_core.errors import InvalidOption
    from tabular.frames.importing import import_results
    from tabular.frames.reading import read_results

    if options.loss is None:
        known = ", ".join(map(str, read_results(options.file).columns))
        raise InvalidOption(f"--loss must name the column to minimise; the columns of {options.file} are {known}")
    columns = {column: getattr(options, column) for column in COLUMNS}
    return import_results(options.file, options.name, replace=options.replace, **columns)


def _import_table(options: argparse.Namespace) -> str:
    from hpo_core.errors import InvalidOption
    from tabular.fcnet_files.importing import import_table

    given = [f"--{column}" for column in COLUMNS if getattr(options, column) is not None]
    if given:
        raise InvalidOption(f"{', '.join(given)} go with a CSV file (results.csv), got {options.file}")
    return import_table(options.file, options.name, replace=options.replace)


def _remove(options: argparse.Namespace, out: Output) -> None:
    from tabular.families import built_in_tables, own_tables

    out.say(f"removed {own_tables.remove(options.name)}")
    if options.name in built_in_tables():
        out.say(f"{options.name} is the built-in table again")
