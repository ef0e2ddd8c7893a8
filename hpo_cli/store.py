"""`hpo store info | verify | merge | export`."""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from typing import Any

from hpo_core.errors import DamagedFile

EXAMPLES = """\
examples:
  hpo store info leaderboard/quick.sqlite
  hpo store verify leaderboard/quick.sqlite
  hpo store merge all.sqlite monday.sqlite tuesday.sqlite
  hpo store export leaderboard/quick.sqlite --out trials.csv
"""


def add(subcommands: Any) -> None:
    command = subcommands.add_parser(
        "store",
        help="look into, check, join and export stores of runs",
        description="Stores: the runs of experiments, one SQLite file each.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    actions = command.add_subparsers(dest="action_name", metavar="ACTION", required=True)
    _action(actions, "info", _info, "what a store holds").add_argument("store", type=Path)
    verify = _action(actions, "verify", _verify, "check every run against its digest")
    verify.add_argument("store", type=Path)
    verify.add_argument("--drop-damaged", action="store_true", help="remove them, so that they can be run again")
    merge = _action(actions, "merge", _merge, "add the runs of other stores to one")
    merge.add_argument("into", type=Path, help="store to add to, made if need be")
    merge.add_argument("stores", type=Path, nargs="+", help="stores to take from")
    export = _action(actions, "export", _export, "write all trials as one table")
    export.add_argument("store", type=Path)
    export.add_argument("--out", type=Path, required=True, help="FILE.csv, FILE.csv.gz or FILE.parquet")


def _action(actions: Any, name: str, function: Any, summary: str) -> argparse.ArgumentParser:
    command = actions.add_parser(name, help=summary, description=summary[0].upper() + summary[1:] + ".")
    command.set_defaults(action=function)
    return command


def _info(options: argparse.Namespace) -> None:
    from hpo_leaderboard.store.store import reading

    with reading(options.store) as store:
        runs = [(run.benchmark, run.optimizer, run.seed, run.n_trials, run.failure) for run in store.runs()]
        about, digest, tasks = store.about(), store.digest(), store.tasks()
    print(f"{len(runs)} runs with {sum(run[3] for run in runs):,} trials, digest {digest}")
    for name, value in about.items():
        print(f"  {name}: {value}")
    for title, column in (("benchmarks", 0), ("optimizers", 1)):
        print(f"{title}: " + ", ".join(f"{name} ({count})" for name, count in Counter(r[column] for r in runs).items()))
    for task in tasks:
        print(f"  {task.benchmark}: {task.n_budgets} budgets, checksum {task.checksum[:16]}")
    for failure, count in Counter(f"{run[1]} on {run[0]}: {run[4]}" for run in runs if run[4]).most_common(20):
        print(f"broke: {count} x {failure}")


def _verify(options: argparse.Namespace) -> None:
    from hpo_leaderboard.store.store import reading, writing

    with reading(options.store) as store:
        damages = list(store.damages())
        n_runs = len(store.settled())
    for _, words in damages:
        print(f"damaged: {words}")
    if not damages:
        print(f"ok: {options.store}, {n_runs} settled runs")
        return
    runs = [run for run, _ in damages if run is not None]
    if len(runs) < len(damages):
        raise DamagedFile(
            f"{options.store} itself is damaged; take it from a copy, or run the experiment into a new one"
        )
    if not options.drop_damaged:
        raise DamagedFile(
            f"{options.store} has {len(runs)} damaged runs; `hpo store verify {options.store} --drop-damaged` removes "
            "them, then `hpo leaderboard` runs them again"
        )
    with writing(options.store) as store:
        store.drop(run.key for run in runs)
    print(f"removed {len(runs)} damaged runs; `hpo leaderboard` with this store runs them again")


def _merge(options: argparse.Namespace) -> None:
    from hpo_leaderboard.store.export import merge_stores

    print(f"added {merge_stores(options.into, options.stores)} runs to {options.into}")


def _export(options: argparse.Namespace) -> None:
    from hpo_leaderboard.store.export import export_trials

    print(f"wrote {export_trials(options.store, options.out):,} trials to {options.out}")
