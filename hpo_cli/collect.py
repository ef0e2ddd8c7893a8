"""`hpo collect FAMILY`, `hpo table train | subsets DATASET`: numbers from real training, resumable."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fcnet_data.collection.collecting import Work

RESUME = (
    "Finished trainings are kept in OUT.journal; after a kill, a crash or a full disk the same command goes on where "
    'it stopped. Needs `pip install "hpo-foundry[collect]"`.'
)
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
COLLECT_EXAMPLES = """\
examples:
  hpo collect svm --out svm.h5                          16 datasets x 200 configurations
  hpo collect xgboost --datasets yacht,concrete --configs 100 --out xgboost.h5
"""


def add(subcommands: Any) -> None:
    command = subcommands.add_parser(
        "collect",
        help="measure meta-data for PROFET: one set of configurations on many datasets",
        description="Evaluate the same Sobol configurations on many datasets, for PROFET. " + RESUME,
        epilog=COLLECT_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.set_defaults(action=collect_meta_data)
    command.add_argument("family", help="svm, fcnet or xgboost")
    command.add_argument("--datasets", help="names, joined by commas; by default those of the family")
    command.add_argument("--configs", type=int, help="how many; 200, 600 and 800 by default")
    command.add_argument("--rows", type=int, default=2000, help="at most so many of each dataset (default 2000)")
    _add_shared(command)


def add_training(command: argparse.ArgumentParser) -> None:
    """Arguments of `hpo table train`."""
    command.description = "Train every configuration of a grid on a regression dataset. " + RESUME
    command.epilog, command.formatter_class = TRAIN_EXAMPLES, argparse.RawDescriptionHelpFormatter
    command.add_argument("dataset", help="name of a dataset, or path of a CSV, Parquet or ARFF file")
    command.add_argument(
        "--grid", nargs="+", default=["B"], metavar="PART", help="B, full, or hyperparameter=value,value (default B)"
    )
    command.add_argument("--name", help="of the table; by default that of the dataset")
    command.add_argument("--repetitions", type=int, default=4, help="trainings of each configuration (default 4)")
    command.add_argument("--epochs", type=int, default=100, help="at most 100, the default")
    command.add_argument("--rows", type=int, help="train on a subsample of so many rows")
    command.add_argument("--split-seed", type=int, default=0, help="of the 60/20/20 split (default 0)")
    _add_shared(command)


def add_subsets(command: argparse.ArgumentParser) -> None:
    """Arguments of `hpo table subsets`."""
    command.description = (
        "Train an SVM of every configuration of a grid on subsets of a classification dataset, 1/128 to all. " + RESUME
    )
    command.epilog, command.formatter_class = SUBSETS_EXAMPLES, argparse.RawDescriptionHelpFormatter
    command.add_argument("dataset", help="name of a dataset, or path of a CSV, Parquet or ARFF file")
    command.add_argument("--values", type=int, default=13, help="of C and of gamma, e^-10 to e^10 (default 13)")
    command.add_argument("--name", help="of the table; by default that of the dataset")
    command.add_argument("--repetitions", type=int, default=3, help="subsets of each size (default 3)")
    command.add_argument("--split-seed", type=int, default=0, help="of the 60/20/20 split (default 0)")
    _add_shared(command)


def _add_shared(command: argparse.ArgumentParser) -> None:
    command.add_argument("--out", type=Path, required=True, help="file to write")
    command.add_argument("--seed", type=int, default=0, help="of the collection (default 0)")
    command.add_argument("--engine", choices=("threads", "dask"), default="threads", help="default threads")
    command.add_argument("--threads", type=int, help="how many at a time; one per core by default")
    command.add_argument("--address", help="of a Dask scheduler; without it Dask starts a cluster here")


def train_table(options: argparse.Namespace) -> None:
    from fcnet_data.collection.grids import fcnet_grid
    from fcnet_data.collection.table import FcnetTable

    name = options.name or Path(options.dataset).name.partition(".")[0]
    work = FcnetTable(
        name=name,
        dataset=options.dataset,
        space=fcnet_grid(options.grid),
        seed=options.seed,
        split_seed=options.split_seed,
        n_repetitions=options.repetitions,
        epochs=options.epochs,
        n_rows=options.rows,
    )
    _collect(work, options)


def train_on_subsets(options: argparse.Namespace) -> None:
    from fcnet_data.collection.subsets import SvmSubsets

    name = options.name or Path(options.dataset).name.partition(".")[0]
    work = SvmSubsets(name, options.dataset, options.values, options.repetitions, options.seed, options.split_seed)
    _collect(work, options)


def collect_meta_data(options: argparse.Namespace) -> None:
    from fcnet_data.collection.meta_data import MetaDataWork, family

    chosen = family(options.family)
    datasets = tuple(options.datasets.split(",")) if options.datasets else chosen.datasets
    configs = chosen.n_configs if options.configs is None else options.configs
    _collect(MetaDataWork(options.family, datasets, configs, options.rows, options.seed), options)


def _collect(work: Work, options: argparse.Namespace) -> None:
    from fcnet_data.collection.collecting import collect

    out = collect(work, options.out, engine=options.engine, n_threads=options.threads, address=options.address)
    print(f"wrote {out} ({out.stat().st_size / 1e6:.1f} MB)")
