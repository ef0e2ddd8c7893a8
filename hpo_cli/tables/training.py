"""`hpo table train | subsets DATASET`: tables from real training, resumable, on a named dataset or a user's file."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING

from hpo_cli.parts.arguments import Parser
from hpo_cli.parts.rendering import Output, seconds_in_words
from hpo_cli.profet.meta_data import RESUME, TARGET, add_collection, collect_into_file, how_to_collect

if TYPE_CHECKING:
    from fcnet_data.collection.own_table import TableWork
    from fcnet_data.collection.table import FcnetTable
    from fcnet_data.datasets import Dataset

TRAIN_EXAMPLES = """\
examples:
  hpo table train houses.csv --target price --name houses          afterwards Benchmark("houses"), `hpo run houses tpe`
  hpo table train iris.csv --target species --grid n_units_1=16,64 n_units_2=16 batch_size=32 --repetitions 2
  hpo table train ratings.csv --task regression                    the last column; its numbers 1..5 are no classes
  hpo table train concrete --grid B --name mini-concrete --out mini-concrete.h5        a file to give to others
  hpo table train own.parquet --grid full --engine dask --address tcp://10.0.0.1:8786

The target is the last column unless --target names another. It is understood as classes if it holds texts, booleans, or
at most 10 different whole numbers in at least 10 times as many rows, else as an amount; --task says otherwise. What was
understood is printed before anything is trained.

Without --out the table becomes a benchmark of this machine under its name (see `hpo table list`, `hpo table remove`);
with --out it is a file, to which `hpo table import` gives a name.

The loss of a regression is the mean squared error in variances of the target, that of a classification the share of
wrong classes, both on the validation rows after each epoch.
"""
SUBSETS_EXAMPLES = """\
examples:
  hpo table subsets satimage --name svm-subsets --out svm-subsets.h5
  hpo table subsets iris.csv --target species --name iris-svm      afterwards Benchmark("iris-svm")
"""


def add_train(parser: Parser) -> None:
    parser.explain(
        "Train every configuration of a grid of FC-Nets on a dataset, and make the learning curves a benchmark. "
        + RESUME,
        TRAIN_EXAMPLES,
    )
    _add_dataset(parser)
    parser.add_argument(
        "--task", choices=("regression", "classification"), help="of a file; by default what its target's values mean"
    )
    parser.add_argument(
        "--grid", nargs="+", default=["B"], metavar="PART", help="B, full, or hyperparameter=value,value (default B)"
    )
    parser.add_argument("--repetitions", type=int, default=4, help="trainings of each configuration (default 4)")
    parser.add_argument("--epochs", type=int, default=100, help="at most 100, the default")
    parser.add_argument("--rows", type=int, help="train on a subsample of so many rows")
    add_collection(parser)
    parser.set_defaults(action=_train)


def add_subsets(parser: Parser) -> None:
    parser.explain(
        "Train an SVM of every configuration of a grid on subsets of a classification dataset, 1/128 to all. " + RESUME,
        SUBSETS_EXAMPLES,
    )
    _add_dataset(parser)
    parser.add_argument("--values", type=int, default=13, help="of C and of gamma, e^-10 to e^10 (default 13)")
    parser.add_argument("--repetitions", type=int, default=3, help="subsets of each size (default 3)")
    add_collection(parser)
    parser.set_defaults(action=_train_on_subsets)


def _add_dataset(parser: Parser) -> None:
    parser.add_argument(
        "dataset", help="name of a dataset, or path of a CSV, Parquet or ARFF file", complete="datasets"
    )
    parser.add_argument("--target", metavar="COLUMN", help=TARGET)
    parser.add_argument("--name", help="of the table; by default that of the dataset")
    parser.add_argument("--out", type=Path, help="write the table to a file instead of making it a benchmark here")
    parser.add_argument("--replace", action="store_true", help="replace a table of yours, or hide a built-in one")
    parser.add_argument("--split-seed", type=int, default=0, help="of the 60/20/20 split (default 0)")


def _name(options: argparse.Namespace) -> str:
    """The name that was asked for, or that of the dataset as far as a table can have it."""
    stem = Path(options.dataset).name.partition(".")[0]
    return options.name or re.sub(r"[^A-Za-z0-9_-]+", "-", stem).strip("-") or "own"


def _train(options: argparse.Namespace, out: Output) -> None:
    from fcnet_data.collection.grids import fcnet_grid
    from fcnet_data.collection.table import FcnetTable

    _check_destination(options)
    work = FcnetTable(
        name=_name(options),
        dataset=options.dataset,
        space=fcnet_grid(options.grid),
        seed=options.seed,
        split_seed=options.split_seed,
        n_repetitions=options.repetitions,
        epochs=options.epochs,
        n_rows=options.rows,
        target=options.target,
        task=options.task,
    )
    _say_what_was_understood(work.data, out)
    out.say(_plan(work, options))
    _finish(work, options, out)


def _train_on_subsets(options: argparse.Namespace, out: Output) -> None:
    from fcnet_data.collection.subsets import SvmSubsets

    _check_destination(options)
    work = SvmSubsets(
        _name(options),
        options.dataset,
        options.values,
        options.repetitions,
        options.seed,
        options.split_seed,
        options.target,
    )
    _say_what_was_understood(work.data, out)
    _finish(work, options, out)


def _say_what_was_understood(dataset: Dataset, out: Output) -> None:
    from fcnet_data.datasets.description import described

    for line in described(dataset):
        out.say(line)
    if "whole numbers" in dataset.task_reason:
        meaning, task = ("classes", "classification") if dataset.task == "regression" else ("amounts", "regression")
        out.say(f"if these whole numbers are {meaning}: --task {task}")


def _plan(work: FcnetTable, options: argparse.Namespace) -> str:
    """What is going to be trained, and how long that takes by the cost model."""
    from hpo_core.cores import usable_cores

    seconds = float(work.expected_costs().sum()) * work.n_repetitions
    n_threads = options.threads or usable_cores()
    several = options.engine == "threads" and n_threads > 1
    here = f", {seconds_in_words(seconds / n_threads)} with {n_threads} threads" if several else ""
    return (
        f"training: {work.space.grid.size:,} configurations x {work.n_repetitions} repetitions x {work.epochs} epochs, "
        + ("seconds" if seconds < 10 else f"about {seconds_in_words(seconds)} of one core{here}")
    )


def _check_destination(options: argparse.Namespace) -> None:
    """Raise for a name or a combination of options that cannot be, before a large file is read."""
    from hpo_core.errors import InvalidOption
    from tabular.families import check_table_name

    if options.out is None:
        check_table_name(_name(options), options.replace)
    elif options.replace:
        raise InvalidOption("--replace is for a benchmark of this machine; with --out a file is written, leave it out")


def _finish(work: TableWork, options: argparse.Namespace, out: Output) -> None:
    """Train, into the file or the benchmark that was asked for, and say what can be done with it."""
    if options.out is not None:
        collect_into_file(work, options, out)
        out.say(f"next: hpo table import {options.out} --name {work.name}")
        return
    from fcnet_data.collection.own_table import collect_as_benchmark

    path = collect_as_benchmark(work, replace=options.replace, **how_to_collect(options))
    out.say(f'Benchmark("{work.name}") is ready ({path.stat().st_size / 1e6:.1f} MB in {path})')
    out.say(f"next: hpo run {work.name} tpe --trials 50; hpo table stats {work.name}")
