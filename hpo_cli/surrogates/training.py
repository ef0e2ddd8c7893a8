"""`hpo surrogate train FILE`: a benchmark from recorded evaluations."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from hpo_cli.parts.arguments import Parser, comma_list, parse_option
from hpo_cli.parts.rendering import Output

if TYPE_CHECKING:
    import pandas

    from tabular.surrogates.rows.records import Records

TRAIN = """\
Train a surrogate: a model of recorded evaluations that answers for every configuration of their space. It becomes a
benchmark of this machine.
"""
TRAIN_NOTES = """\
examples:
  hpo surrogate train results.csv --loss error --name own                 afterwards `hpo run own tpe`, Benchmark("own")
  hpo surrogate train results.csv.gz --loss error --cost seconds --budget epoch --config "lr,layers,hp_*" --name own
  hpo surrogate train XGBoost.csv.zip --where task=spambase --loss metric_error --config "hp_*" --name spambase
  hpo surrogate train svm.parquet --loss error --space svm.json --failed worst --out svm.h5 --name svm

A row is an evaluation. Without --config every column without another role is a hyperparameter. Rows with the same
configuration and budget are repetitions; they tell how noisy a loss is. An empty cell is a hyperparameter that is
switched off: if another column says when, that becomes a condition. What was understood is printed first.

Gradient boosting or a random forest is chosen by the rank correlation with held-out losses. Below --min-correlation
the surrogate is refused. `hpo surrogate info NAME` shows its error.
"""


FAILED = "rows without a finite loss: refuse them (default), or count each as the worst loss"
RESUMABLE = "a larger budget trains from scratch, so a run pays for all of it"


def add_train(parser: Parser) -> None:
    parser.explain(TRAIN, TRAIN_NOTES)
    parser.add_argument("file", type=Path, help="results.csv (also .gz, .zip, .bz2, .xz) or .parquet")
    parser.add_argument("--loss", metavar="COL", required=True, help="column that is minimised")
    parser.add_argument("--cost", metavar="COL", help="column of seconds; without it an evaluation counts as 1 second")
    parser.add_argument("--budget", metavar="COL", help="column of epochs, shares of the data, ...")
    parser.add_argument("--config", metavar="COLS", type=comma_list, help="hyperparameters, as in lr,depth or hp_*")
    parser.add_argument("--repetition", metavar="COL", help="column that tells repetitions apart, such as a seed")
    parser.add_argument("--where", metavar="COL=VALUE", nargs="+", default=[], help="only the rows with these values")
    parser.add_argument("--space", metavar="FILE.json", type=Path, help="ConfigSpace file, instead of the inferred one")
    parser.add_argument("--failed", choices=["refuse", "worst"], default="refuse", help=FAILED)
    parser.add_argument("--no-resumable", dest="resumable", action="store_false", help=RESUMABLE)
    parser.add_argument("--min-correlation", type=float, default=0.8, metavar="R", help="least Spearman (default 0.8)")
    parser.add_argument("--seed", type=int, default=0, help="of folds and fits (default 0)")
    parser.add_argument("--name", help="of the benchmark; by default the file's, up to the first dot")
    parser.add_argument("--out", type=Path, metavar="FILE.h5", help="write it here too, to share it")
    parser.set_defaults(action=_train)


def _train(options: argparse.Namespace, out: Output) -> None:
    from hpo_cli.surrogates.inspection import show
    from tabular.frames.roles import roles_of
    from tabular.surrogates import write_surrogate
    from tabular.surrogates.families import check_surrogate_name, register
    from tabular.surrogates.rows.reading import read_rows, read_space
    from tabular.surrogates.rows.records import records_of
    from tabular.surrogates.training import train_surrogate

    name = options.name or options.file.name.partition(".")[0]
    check_surrogate_name(name)
    space = None if options.space is None else read_space(options.space)
    config = space.names if options.config is None and space is not None else options.config
    frame = _chosen(read_rows(options.file), options.where)
    columns = {role: getattr(options, role) for role in ("loss", "cost", "budget", "repetition")}
    records = records_of(frame, roles_of(frame, config=config, **columns), space, options.failed)
    _say_understood(records, inferred=space is None, out=out)
    surrogate = train_surrogate(
        records,
        name,
        source=_source(options),
        min_correlation=options.min_correlation,
        resumable=options.resumable,
        seed=options.seed,
    )
    if options.out is not None:
        write_surrogate(surrogate, options.out)
        out.say(f"\nwrote {options.out} ({options.out.stat().st_size / 1e6:.1f} MB)")
    register(surrogate)
    out.say()
    show(surrogate, out, space=False)
    out.say(f"\nuse it as `hpo run {name} rs` or Benchmark({name!r}); `hpo surrogate remove {name}` removes it")


def _chosen(frame: pandas.DataFrame, where: list[str]) -> pandas.DataFrame:
    """The rows in which every COLUMN=VALUE holds."""
    from hpo_core.errors import InvalidOption, nearest
    from tabular.frames.reading import column_values

    for text in where:
        column, value = parse_option(text)
        if column not in frame:
            raise InvalidOption(f"--where: no column {column!r}{nearest(column, map(str, frame.columns))}")
        cells = column_values(frame, column).tolist()
        kept = [cell == value or str(cell) == text.partition("=")[2] for cell in cells]
        if not any(kept):
            raise InvalidOption(f"--where {text}: no row has it{nearest(str(value), sorted({str(c) for c in cells}))}")
        frame = frame[kept].reset_index(drop=True)
    return frame


def _source(options: argparse.Namespace) -> dict[str, str]:
    import hashlib

    where = f", rows with {', '.join(options.where)}" if options.where else ""
    with options.file.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {"source": f"file {options.file.name}{where}", "sha256": digest}


def _say_understood(records: Records, *, inferred: bool, out: Output) -> None:
    """Print what the columns were taken for, before the training begins."""
    from tabular.surrogates.understood import understood

    out.say(f"space ({'inferred' if inferred else 'given'}):")
    for line in understood(records):
        out.say(f"  {line}")
