"""`hpo store info | verify | merge | export`."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpo_cli.parts.arguments import Parser
from hpo_cli.parts.rendering import Output, add_formats

if TYPE_CHECKING:
    from hpo_leaderboard.store.store import Store

N_FAILURES = 20


def add_info(parser: Parser) -> None:
    parser.add_argument("store", type=Path)
    add_formats(parser)
    parser.set_defaults(action=_info)


def add_verify(parser: Parser) -> None:
    parser.add_argument("store", type=Path)
    parser.add_argument("--drop-damaged", action="store_true", help="remove them, so that they can be run again")
    parser.set_defaults(action=_verify)


def add_merge(parser: Parser) -> None:
    parser.add_argument("into", type=Path, help="store to add to, made if need be")
    parser.add_argument("stores", type=Path, nargs="+", help="stores to take from")
    parser.set_defaults(action=_merge)


def add_export(parser: Parser) -> None:
    parser.add_argument("store", type=Path)
    parser.add_argument("--out", type=Path, required=True, help="FILE.csv, FILE.csv.gz or FILE.parquet")
    parser.set_defaults(action=_export)


def _info(options: argparse.Namespace, out: Output) -> None:
    from hpo_leaderboard.store.store import reading

    with reading(options.store) as store:
        facts = list(_facts(store))
    out.card(f"{options.store}: {facts[0][2]} runs with {facts[1][2]:,} trials", facts)


def _facts(store: Store) -> Iterator[tuple[str, str, Any]]:
    """What a store holds, as facts of a card."""
    runs = [(run.benchmark, run.optimizer, run.n_trials, run.failure) for run in store.runs()]
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
        n_runs = len(store.settled())
    for _, words in damages:
        out.say(f"damaged: {words}")
    if not damages:
        out.say(f"ok: {options.store}, {n_runs} settled runs")
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
    out.say(f"removed {len(runs)} damaged runs; `hpo leaderboard` with this store runs them again")


def _merge(options: argparse.Namespace, out: Output) -> None:
    from hpo_leaderboard.store.export import merge_stores

    out.say(f"added {merge_stores(options.into, options.stores)} runs to {options.into}")


def _export(options: argparse.Namespace, out: Output) -> None:
    from hpo_leaderboard.store.export import export_trials

    out.say(f"wrote {export_trials(options.store, options.out):,} trials to {options.out}")
