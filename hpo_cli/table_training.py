"""`hpo table train | subsets DATASET`: tables from real training, resumable."""

from __future__ import annotations

import argparse
from pathlib import Path

from hpo_cli.collect import RESUME, add_collection, collect_into_file
from hpo_cli.parts.arguments import Parser
from hpo_cli.parts.rendering import Output

TRAIN_EXAMPLES = """\
examples:
  hpo table train concrete --grid B --name mini-concrete --out mini-concrete.h5
  hpo table train diabetes --grid n_units_1=16 n_units_2=16,32 batch_size=32 --repetitions 2 --out small.h5
  hpo table train measurements.csv --grid full --engine dask --address tcp://10.0.0.1:8786 --out own.h5
  hpo table import own.h5 --name own            afterwards Benchmark("own")
"""
SUBSETS_EXAMPLES = """\
example:
  hpo table subsets satimage --name svm-subsets --out svm-subsets.h5
"""


def add_train(parser: Parser) -> None:
    parser.explain("Train every configuration of a grid on a regression dataset. " + RESUME, TRAIN_EXAMPLES)
    _add_dataset(parser)
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
    parser.add_argument("--name", help="of the table; by default that of the dataset")
    parser.add_argument("--split-seed", type=int, default=0, help="of the 60/20/20 split (default 0)")


def _name(options: argparse.Namespace) -> str:
    return options.name or Path(options.dataset).name.partition(".")[0]


def _train(options: argparse.Namespace, out: Output) -> None:
    from fcnet_data.collection.grids import fcnet_grid
    from fcnet_data.collection.table import FcnetTable

    work = FcnetTable(
        name=_name(options),
        dataset=options.dataset,
        space=fcnet_grid(options.grid),
        seed=options.seed,
        split_seed=options.split_seed,
        n_repetitions=options.repetitions,
        epochs=options.epochs,
        n_rows=options.rows,
    )
    collect_into_file(work, options, out)


def _train_on_subsets(options: argparse.Namespace, out: Output) -> None:
    from fcnet_data.collection.subsets import SvmSubsets

    work = SvmSubsets(
        _name(options), options.dataset, options.values, options.repetitions, options.seed, options.split_seed
    )
    collect_into_file(work, options, out)
