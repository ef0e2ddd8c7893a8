"""Options that say where and how a suite is run, and the running of it with its messages."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from hpo_cli.parts.arguments import Parser
from hpo_cli.parts.encryption import add_tls, tls_files
from hpo_cli.parts.rendering import Output
from hpo_cli.parts.suites import duration, shard_of
from hpo_core.cores import usable_cores
from hpo_core.errors import InvalidOption
from hpo_core.shown_text import visible
from hpo_leaderboard.engines import ENGINES, TIMEOUT, make_engine
from hpo_leaderboard.experiments.suite import Suite

if TYPE_CHECKING:
    from hpo_leaderboard.experiments.execution import FinishedRun
    from hpo_leaderboard.experiments.experiment import Engine, Outcome
    from hpo_leaderboard.experiments.job import Job

OUT_OF_TIME = 3  # exit status


def add_engine(parser: Parser) -> None:
    """Add the options that say where runs are run."""
    parser.add_argument("--engine", choices=ENGINES, default="processes", help="where the runs are run (processes)")
    parser.add_argument("--processes", type=int, metavar="N", help="runs at the same time (one per core)")
    parser.add_argument("--address", help="of a Dask scheduler, for --engine dask (a cluster on this machine)")
    add_tls(parser)
    parser.add_argument(
        "--timeout", type=float, default=TIMEOUT, metavar="SECONDS", help=f"longest time of a run ({TIMEOUT:g})"
    )


def add_parts(parser: Parser) -> None:
    """Add the options that run a part of a suite, or nothing."""
    parser.add_argument("--shard", type=shard_of, metavar="I/N", help="only the I-th of N parts of about equal cost")
    parser.add_argument(
        "--walltime", type=duration, metavar="55m", help="start no run that is expected to be running after that"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="print what would be run and how long it takes; run nothing"
    )


def engine_of(options: argparse.Namespace) -> Engine:
    """The engine that the options of `add_engine` ask for."""
    if options.address is not None and options.engine != "dask":
        raise InvalidOption(f"--address goes with --engine dask, got --engine {options.engine}")
    if options.engine != "dask" and tls_files(options) is not None:
        raise InvalidOption(f"--tls-ca, --tls-cert and --tls-key go with --engine dask, got --engine {options.engine}")
    where = {"processes": options.processes, "address": options.address, "tls": tls_files(options)}
    return make_engine(options.engine, **where, timeout=options.timeout)


def show_dry_run(suite: Suite, store_path: Path, options: argparse.Namespace, out: Output) -> None:
    """Print what running a suite into a store would do."""
    from hpo_cli.parts.dry_runs import print_dry_run
    from hpo_leaderboard.experiments.splitting import dry_run

    planned = dry_run.dry_run(suite, store_path, options.shard)
    print_dry_run(planned, 1 if options.engine == "serial" else options.processes or usable_cores(), out)


def experiment(suite: Suite, store_path: Path, options: argparse.Namespace) -> Outcome:
    """Outcome of running a suite into a store, with the options of `add_engine` and `add_parts`."""
    from hpo_leaderboard.experiments.experiment import run_experiment

    engine = _Announcing(engine_of(options))
    part = {"shard": options.shard, "walltime": options.walltime}
    try:
        outcome = run_experiment(suite, store_path, engine, announce=say, progress=None, **part)
    except KeyboardInterrupt:
        say(f"finished runs are stored in {store_path}; the same command goes on from there")
        raise
    for failure, count in outcome.failures.items():
        say(f"{count} x {failure}")
    return outcome


def partial_status(outcome: Outcome, suite: str, store_path: Path, out: Output) -> int:
    """Exit status of an experiment of which a shard was run or that the walltime cut short, after saying so."""
    stored = f"{store_path} holds {outcome.n_asked - outcome.n_left - outcome.n_open} of {outcome.n_asked} runs"
    out.say(f"{stored} of {suite}, digest {outcome.digest[:16]}")
    if outcome.n_left:
        say(f"the walltime left {outcome.n_left} runs open; the same command goes on from there")
        return OUT_OF_TIME
    return int(bool(outcome.failures))


class _Announcing:
    """An engine that says at once why a run broke, the first time for each reason."""

    def __init__(self, engine: Engine):
        self._engine = engine

    def check(self, jobs: Iterable[Job]) -> None:
        check = getattr(self._engine, "check", None)
        if check is not None:
            check(jobs)

    def results(self, jobs: Iterable[Job]) -> Iterator[tuple[Job, FinishedRun]]:
        said = set()
        for job, finished in self._engine.results(jobs):
            reason = (job.optimizer.label, finished.failure)
            if finished.failure is not None and reason not in said:
                said.add(reason)
                say(f"{job.optimizer.label} broke on {job.benchmark.label}, seed {job.seed}: {finished.failure}")
            yield job, finished


def say(line: str) -> None:
    """Print a remark to standard error, beside a progress bar."""
    from tqdm import tqdm

    tqdm.write(visible(f"hpo: {line}"), file=sys.stderr)
