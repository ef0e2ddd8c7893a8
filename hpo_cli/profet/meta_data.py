"""`hpo collect FAMILY`: meta-data for PROFET; and what it shares with the commands that train tables."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpo_cli.parts.arguments import Parser, comma_list
from hpo_cli.parts.rendering import Output

if TYPE_CHECKING:
    from fcnet_data.collection.collecting import Collectable

RESUME = (
    "Finished trainings are kept in a journal; after a kill, a crash or a full disk the same command continues where "
    'it stopped. Needs `pip install "hpo-foundry[collect]"`.'
)
TARGET = "column of a file to predict, by default the last one; columns of a file without a header are x0, x1, ..."
EXAMPLES = """\
examples:
  hpo collect svm --out svm.h5                          16 datasets x 200 configurations
  hpo collect xgboost --datasets yacht,concrete --configs 100 --out xgboost.h5
  hpo collect svm --datasets wine,first.csv,second.csv --target class --out mine.h5
"""


def add_collect(parser: Parser) -> None:
    parser.explain("Evaluate the same Sobol configurations on many datasets, for PROFET. " + RESUME, EXAMPLES)
    parser.add_argument("family", help="svm, fcnet or xgboost")
    parser.add_argument(
        "--datasets",
        type=comma_list,
        help="names or paths of files, joined by commas; by default those of the family",
    )
    parser.add_argument("--target", metavar="COLUMN", help=f"{TARGET}; the same in all files")
    parser.add_argument("--configs", type=int, help="how many; 200, 600 and 800 by default")
    parser.add_argument("--rows", type=int, default=2000, help="at most so many of each dataset (default 2000)")
    parser.add_argument("--out", type=Path, required=True, help="file to write")
    add_collection(parser)
    parser.set_defaults(action=_collect_meta_data)


def add_collection(parser: Parser) -> None:
    """Arguments of every command that trains on datasets."""
    parser.add_argument("--seed", type=int, default=0, help="of the collection (default 0)")
    parser.add_argument("--engine", choices=("threads", "dask"), default="threads", help="default threads")
    parser.add_argument("--threads", type=int, help="how many at a time; one per core by default")
    parser.add_argument("--address", help="of a Dask scheduler; without it Dask starts a cluster here")


def collect_into_file(work: Collectable, options: argparse.Namespace, out: Output) -> None:
    """Do the work with the options of `add_collection`, and say what was written."""
    from fcnet_data.collection.collecting import collect

    path = collect(work, options.out, **how_to_collect(options))
    out.say(f"wrote {path} ({path.stat().st_size / 1e6:.1f} MB)")


def how_to_collect(options: argparse.Namespace) -> dict[str, Any]:
    """Arguments of `collect` that `add_collection` reads."""
    return {"engine": options.engine, "n_threads": options.threads, "address": options.address}


def _collect_meta_data(options: argparse.Namespace, out: Output) -> None:
    from fcnet_data.collection.meta_data import MetaDataWork, family

    chosen = family(options.family)
    datasets = tuple(options.datasets) if options.datasets else chosen.datasets
    configs = chosen.n_configs if options.configs is None else options.configs
    work = MetaDataWork(options.family, datasets, configs, options.rows, options.seed, options.target)
    collect_into_file(work, options, out)
