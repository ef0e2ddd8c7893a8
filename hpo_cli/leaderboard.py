"""`hpo leaderboard`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpo_core.errors import HpoError, InvalidOption, MissingExtra
from hpo_leaderboard.engines import ENGINES, TIMEOUT, make_engine
from hpo_leaderboard.experiments.suite import built_in_suites, changed, load_suite

if TYPE_CHECKING:
    import pandas

    from hpo_leaderboard.experiments.experiment import Outcome

N_NAMED = 8  # benchmarks above a table of text
EXAMPLES = """\
examples:
  hpo leaderboard quick                                        every fast optimizer on the real tables
  hpo leaderboard quick --optimizers rs,my_module:MySearch     with a class of your own
  hpo leaderboard mine.toml --store mine.sqlite                a suite of your own
  hpo leaderboard fcnet --engine dask --address tcp://10.0.0.1:8786

Interrupt it at any time: what is finished is stored, and the same command goes on from there.
"""


class IncompleteExperiment(HpoError, RuntimeError):
    """An experiment of which runs are missing."""


def add(subcommands: Any) -> None:
    command = subcommands.add_parser(
        "leaderboard",
        help="compare optimizers on benchmarks",
        description="Run a suite, benchmarks x optimizers x seeds, into a store, and rank the optimizers.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument(
        "suite", metavar="SUITE", help=f"one of {', '.join(built_in_suites())}, or a TOML file (docs/leaderboards.md)"
    )
    command.add_argument("--benchmarks", type=_names, metavar="A,B", help="instead of the suite's")
    command.add_argument("--optimizers", type=_names, metavar="X,Y", help="instead of the suite's")
    command.add_argument("--seeds", type=int, metavar="N", help="runs per pair, instead of the suite's")
    command.add_argument("--trials", type=int, metavar="N", help="evaluations per run, instead of the suite's")
    command.add_argument("--store", type=Path, metavar="FILE", help="where the runs are kept (OUT/SUITE.sqlite)")
    command.add_argument("--engine", choices=ENGINES, default="processes", help="where the runs are run (processes)")
    command.add_argument("--processes", type=int, metavar="N", help="runs at the same time (one per core)")
    command.add_argument("--address", help="of a Dask scheduler, for --engine dask (a cluster on this machine)")
    command.add_argument(
        "--timeout", type=float, default=TIMEOUT, metavar="SECONDS", help=f"per run, then it is given up ({TIMEOUT:g})"
    )
    command.add_argument("--out", type=Path, default=Path("leaderboard"), help="directory to write to (leaderboard)")
    command.set_defaults(action=_leaderboard)


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _leaderboard(options: argparse.Namespace) -> None:
    from hpo_leaderboard.experiments.experiment import run_experiment
    from hpo_leaderboard.report import write_report

    suite = changed(
        load_suite(options.suite),
        benchmarks=options.benchmarks,
        optimizers=options.optimizers,
        n_seeds=options.seeds,
        n_trials=options.trials,
    )
    if options.address is not None and options.engine != "dask":
        raise InvalidOption(f"--address goes with --engine dask, got --engine {options.engine}")
    engine = make_engine(options.engine, processes=options.processes, address=options.address, timeout=options.timeout)
    store_path = options.store or options.out / f"{suite.name}.sqlite"
    try:
        outcome = run_experiment(suite, store_path, engine, announce=_say, progress=None)
    except KeyboardInterrupt:
        _say(f"finished runs are stored in {store_path}; the same command goes on from there")
        raise
    for failure, count in outcome.failures.items():
        _say(f"{count} x {failure}")
    print(_table(store_path))
    print(f"\nstore: {store_path} ({outcome.n_asked} runs, digest {outcome.digest[:16]})")
    try:
        print(f"page: {write_report(store_path, options.out)}")
    except MissingExtra as error:
        _say(f"no page: {error}; then `hpo report {store_path}`")
    _check_complete(outcome)


def _say(line: str) -> None:
    print(f"hpo: {line}", file=sys.stderr)


def _check_complete(outcome: Outcome) -> None:
    if not outcome.lost and not outcome.n_open:
        return
    missing = [*outcome.lost, *([f"{outcome.n_open} runs broke by circumstances"] if outcome.n_open else [])]
    raise IncompleteExperiment(
        f"the leaderboard is incomplete: {'; '.join(missing)}. The same command tries what is missing again"
    )


def _table(store_path: Path) -> str:
    """The leaderboard as text: one for each group of benchmarks on which the same optimizers ran."""
    from hpo_leaderboard.scores.incumbents import incumbents
    from hpo_leaderboard.scores.leaderboard import leaderboard
    from hpo_leaderboard.scores.ranks import blocks
    from hpo_leaderboard.store.store import reading

    with reading(store_path) as store:
        frames = store.frames(configs=False)
    if frames.trials.empty:
        raise IncompleteExperiment(f"no run of {store_path} has a trial: all of them broke, see the lines above")
    table = incumbents(frames.trials, frames.tasks)
    boards = []
    for block in blocks(table):
        here, runs = (frame[frame["benchmark"].isin(block.benchmarks)] for frame in (table, frames.runs))
        names = list(block.benchmarks)
        if len(names) > N_NAMED:
            names = [*names[: N_NAMED - 1], f"and {len(names) - N_NAMED + 1} more"]
        boards.append(f"on {', '.join(names)}\n{_text(leaderboard(here, runs))}")
    return "\n\n".join(boards)


def _text(board: pandas.DataFrame) -> str:
    lines = [
        f"{'optimizer':<24} {'rank':>5} {'95 %':>13} {'regret':>10} {'solved':>7} {'ms/trial':>9} {'runs':>6} broke"
    ]
    for row in board.to_dict("records"):
        interval = f"{row['rank_low']:.2f}..{row['rank_high']:.2f}"
        lines.append(
            f"{row['optimizer']:<24} {row['rank']:>5.2f} {interval:>13} {row['regret']:>10.3g} {row['solved']:>7.1%} "
            f"{row['overhead'] * 1e3:>9.3f} {row['n_runs']:>6} {row['n_broken']:>5}"
        )
    return "\n".join(lines)
