"""`hpo store info | verify | merge | copy | missing | drop | export`."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpo_cli.parts.arguments import Parser, comma_list
from hpo_cli.parts.rendering import Column, Output, add_formats
from hpo_cli.parts.selection import add_selection, is_selection, selection
from hpo_cli.parts.suites import add_suite, chosen_suite, seed_range
from hpo_leaderboard.experiments.run_seeds import spans

if TYPE_CHECKING:
    from hpo_leaderboard.store.store import Store

N_FAILURES = 20
MISSING = [
    Column("optimizer", "{optimizer}", width=15),
    Column("benchmark", "{benchmark}", width=15),
    Column("runs", "{n_runs}", right=True),
    Column("seeds", lambda row: spans(row["seeds"]), cut=True),
]


EXPORT_NOTES = """\
examples:
  hpo store export quick.sqlite --out trials.csv                         one row per trial, all runs
  hpo store export quick.sqlite --out trials.parquet --optimizers tpe    the runs of one optimizer
  hpo store export bbob.sqlite --format coco --out exported              python -m cocopp exported/bbob/*
  hpo store export quick.sqlite --format ioh --out exported              upload exported as a zip file to IOHanalyzer

With --format, only runs that may be compared are exported: of several versions the one stored last, under the same
limits. A trial at the full budget is an evaluation, those at smaller budgets are left out. COCO's format is for runs on
bbob/... and bbob-mixint/..., the other one for all; its raw_y is the loss minus the optimum where that is known.
"""


def add_info(parser: Parser) -> None:
    parser.add_argument("store", type=Path)
    add_formats(parser)
    parser.set_defaults(action=_info)


def add_verify(parser: Parser) -> None:
    parser.add_argument("store", type=Path)
    parser.add_argument("--drop-damaged", action="store_true", help="remove them, so that they can be run again")
    parser.set_defaults(action=_verify)


def add_merge(parser: Parser) -> None:
    parser.add_argument("into", type=Path, help="store to add to; it is made if it does not exist")
    parser.add_argument("stores", type=Path, nargs="+", help="stores to take from")
    parser.set_defaults(action=_merge)


def add_copy(parser: Parser) -> None:
    parser.add_argument("store", type=Path)
    parser.add_argument("copy", type=Path, help="file to make")
    parser.set_defaults(action=_copy)


def add_export(parser: Parser) -> None:
    parser.explain(
        "Write the runs of a store as one table of all trials, or as the files of another tool.", EXPORT_NOTES
    )
    parser.add_argument("store", type=Path)
    parser.add_argument(
        "--out", type=Path, required=True, help="FILE.csv, FILE.csv.gz or FILE.parquet; a new directory with --format"
    )
    parser.add_argument("--format", choices=["coco", "ioh"], help="files for cocopp, or for IOHanalyzer")
    add_selection(parser)
    parser.set_defaults(action=_export)


def add_missing(parser: Parser) -> None:
    add_suite(parser)
    parser.add_argument("store", metavar="STORE", type=Path)
    add_formats(parser)
    parser.set_defaults(action=_missing)


def add_remove(parser: Parser) -> None:
    parser.add_argument("store", type=Path)
    parser.add_argument("--optimizers", type=comma_list, metavar="X,Y", help="labels, or patterns such as 'tpe*'")
    parser.add_argument("--benchmarks", type=comma_list, metavar="A,B", help="labels, or patterns such as 'mini-*'")
    parser.add_argument("--seeds", type=seed_range, metavar="N|A:B", help="seeds 0..N-1 or A..B-1")
    parser.add_argument("--yes", action="store_true", help="remove without asking")
    parser.set_defaults(action=_remove)


def _info(options: argparse.Namespace, out: Output) -> None:
    from hpo_leaderboard.store.store import reading

    with reading(options.store) as store:
        facts = list(_facts(store))
    out.card(f"{options.store}: {facts[0][2]} runs with {facts[1][2]:,} trials", facts)


def _facts(store: Store) -> Iterator[tuple[str, str, Any]]:
    """What a store holds, as facts of a card."""
    runs = [(run.benchmark, run.optimizer, run.n_trials, run.failure) for run in store.heads()]
    yield "", "runs", len(runs)
    yield "", "trials", sum(run[2] for run in runs)
    yield "", "digest", store.digest()
    for name, value in store.about().items():
        yield "made with", name, value
    for name, count in Counter(run[0] for run in runs).items():
        yield "benchmarks", name, {"runs": count}
    for name, count in Counter(run[1] for run in runs).items():
        yield "optimizers", name, {"runs": count}
    for task in store.tasks():
        yield "contents", task.benchmark, {"budgets": task.n_budgets, "checksum": task.checksum[:16]}
    broken = Counter(f"{optimizer} on {benchmark}: {why}" for benchmark, optimizer, _, why in runs if why)
    for failure, count in broken.most_common(N_FAILURES):
        yield "broke", f"{count} x", failure


def _verify(options: argparse.Namespace, out: Output) -> None:
    from hpo_core.errors import DamagedFile
    from hpo_leaderboard.store.store import reading, writing

    with reading(options.store) as store:
        damages = list(store.damages())
        n_runs = store.n_runs(settled=True)
    for _, words in damages:
        out.say(f"damaged: {words}")
    if not damages:
        out.say(f"ok: {options.store}, {n_runs} settled runs")
        return
    runs = [row for row, _ in damages if row is not None]
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
        store.drop_damaged(runs)
    out.say(f"removed {len(runs)} damaged runs; `hpo leaderboard` with this store runs them again")


def _merge(options: argparse.Namespace, out: Output) -> None:
    from hpo_leaderboard.store.joining import merge_stores

    out.say(f"added {merge_stores(options.into, options.stores)} runs to {options.into}")


def _copy(options: argparse.Namespace, out: Output) -> None:
    from hpo_leaderboard.store.joining import copy_store

    out.say(f"copied {copy_store(options.store, options.copy):,} runs to {options.copy}")


def _export(options: argparse.Namespace, out: Output) -> None:
    from hpo_leaderboard.exports.exporting import export_store
    from hpo_leaderboard.store.export import export_trials

    if options.format is not None:
        runs = export_store(options.store, options.out, options.format, selection(options))
        left_out, written = runs.left_out, f"{runs.n_runs:,} runs with {runs.n_evaluations:,} evaluations"
    else:
        table = export_trials(options.store, options.out, selection(options) if is_selection(options) else None)
        left_out, written = table.left_out, f"{table.n_trials:,} trials"
    for line in left_out:
        out.say(f"left out: {line}")
    out.say(f"wrote {written} to {options.out}")


def _missing(options: argparse.Namespace, out: Output) -> int:
    from hpo_leaderboard.experiments.splitting.dry_run import missing_jobs

    seeds: dict[tuple[str, str], list[int]] = {}
    for job in missing_jobs(chosen_suite(options), options.store):
        seeds.setdefault((job.optimizer.label, job.benchmark.label), []).append(job.seed)
    rows: list[dict[str, Any]] = [
        {"optimizer": optimizer, "benchmark": benchmark, "n_runs": len(own), "seeds": own}
        for (optimizer, benchmark), own in seeds.items()
    ]
    if rows:
        out.table(MISSING, rows)
        out.say(f"{sum(row['n_runs'] for row in rows):,} runs of {options.suite} are not in {options.store}")
    else:
        out.say(f"{options.store} holds all runs of {options.suite}")
    return int(bool(rows))


def _remove(options: argparse.Namespace, out: Output) -> int:
    from hpo_core.errors import InvalidOption
    from hpo_leaderboard.store.removal import keys_named
    from hpo_leaderboard.store.store import reading, writing

    if options.optimizers is None and options.benchmarks is None and options.seeds is None:
        raise InvalidOption(
            f"say which runs to remove by --optimizers, --benchmarks or --seeds, got none; "
            f"to remove all of them, delete {options.store}"
        )
    with reading(options.store) as store:
        runs = keys_named(store, options.optimizers, options.benchmarks, options.seeds)
        n_runs = store.n_runs()
    what = f"{len(runs):,} of {n_runs:,} runs of {options.store}"
    if not runs:
        out.say(f"nothing to remove: no run of {options.store} matches")
        return 1
    if not (options.yes or _confirmed(f"remove {what}? [y/N] ")):
        out.say(f"would remove {what}; --yes removes them")
        return 1
    with writing(options.store) as store:
        store.drop(runs)
    out.say(f"removed {what}")
    return 0


def _confirmed(question: str) -> bool:
    """Whether a user at a terminal says yes."""
    return sys.stdin.isatty() and input(question).strip().lower() in ("y", "yes")
