"""`hpo leaderboard`: benchmarks x optimizers x seeds into a store, and the optimizers ranked."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from hpo_cli.parts.arguments import Parser
from hpo_cli.parts.encryption import add_tls, tls_files
from hpo_cli.parts.rendering import Column, Output, add_formats, records
from hpo_cli.parts.suites import add_suite, chosen_suite, duration, shard_of
from hpo_core.cores import usable_cores
from hpo_core.errors import HpoError, InvalidOption, MissingExtra
from hpo_core.shown_text import visible
from hpo_leaderboard.engines import ENGINES, TIMEOUT, make_engine
from hpo_leaderboard.experiments.suite import Suite

if TYPE_CHECKING:
    from hpo_leaderboard.experiments.execution import FinishedRun
    from hpo_leaderboard.experiments.experiment import Engine, Outcome
    from hpo_leaderboard.experiments.job import Job
    from hpo_leaderboard.report import ScoredStore

OUT_OF_TIME = 3  # exit status
N_NAMED = 8  # benchmarks above a table of text
EXAMPLES = """\
examples:
  hpo leaderboard quick                                        every fast optimizer on the real tables
  hpo leaderboard quick --optimizers rs,my_module:MySearch     with a class of your own
  hpo leaderboard mine.toml --store mine.sqlite                a suite of your own
  hpo leaderboard fcnet --dry-run                              how many runs, how long, what is left out
  hpo leaderboard fcnet --engine dask --address tcp://10.0.0.1:8786
  hpo leaderboard fcnet --shard 3/20 --walltime 55m --store 3.sqlite

Interrupt it at any time: what is finished is stored, and the same command goes on from there. A suite of your own is
a TOML file with benchmarks, optimizers, n_seeds and n_trials; the page has the one of every leaderboard. A file that
names code to import (MODULE:ATTRIBUTE) is run with --allow-import: look at that code first.
The exit status is 1 if runs of the store broke, 2 if a benchmark of the suite could not be opened, and 3 if the
walltime left runs open. A shard, and what the walltime cut short, are not ranked: `hpo store merge` joins shards.
"""


def _interval(low: float, high: float) -> str:
    return f"{low:.2f}..{high:.2f}" if low == low else ""  # one seed has none


COLUMNS = [
    Column("optimizer", "{optimizer}", width=15),
    Column("rank", "{rank:.2f}", right=True),
    Column("95 %", lambda row: _interval(row["rank_low"], row["rank_high"]), right=True),
    Column("regret", "{regret:.3g}", right=True),
    Column("targets reached", "{reached:.1%}", right=True),
    Column("ms/trial", lambda row: f"{row['overhead'] * 1e3:.3f}", right=True),
    Column("runs", "{n_runs}", right=True),
    Column("broke", "{n_broken}", right=True),
]


class IncompleteExperiment(HpoError, RuntimeError):
    """An experiment of which benchmarks are missing."""


def add_leaderboard(parser: Parser) -> None:
    parser.explain("Run a suite, benchmarks x optimizers x seeds, into a store, and rank the optimizers.", EXAMPLES)
    add_suite(parser)
    parser.add_argument("--store", type=Path, metavar="FILE", help="where the runs are kept (OUT/SUITE.sqlite)")
    parser.add_argument("--engine", choices=ENGINES, default="processes", help="where the runs are run (processes)")
    parser.add_argument("--processes", type=int, metavar="N", help="runs at the same time (one per core)")
    parser.add_argument("--address", help="of a Dask scheduler, for --engine dask (a cluster on this machine)")
    add_tls(parser)
    parser.add_argument(
        "--timeout", type=float, default=TIMEOUT, metavar="SECONDS", help=f"per run, then it is given up ({TIMEOUT:g})"
    )
    parser.add_argument("--shard", type=shard_of, metavar="I/N", help="only the I-th of N parts of about equal cost")
    parser.add_argument(
        "--walltime", type=duration, metavar="55m", help="start no run that is expected to be running after that"
    )
    parser.add_argument("--dry-run", action="store_true", help="say what would be run and how long it takes, and end")
    parser.add_argument("--out", type=Path, default=Path("leaderboard"), help="directory to write to (leaderboard)")
    add_formats(parser)
    parser.set_defaults(action=_leaderboard)


def _leaderboard(options: argparse.Namespace, out: Output) -> int:
    suite = chosen_suite(options)
    store_path = options.store or options.out / f"{suite.name}.sqlite"
    if options.dry_run:
        _dry_run(suite, store_path, options, out)
        return 0
    outcome = _experiment(suite, store_path, options)
    if outcome.n_left or options.shard is not None:
        stored = f"{store_path} holds {outcome.n_asked - outcome.n_left - outcome.n_open} of {outcome.n_asked} runs"
        out.say(f"{stored} of {options.suite}, digest {outcome.digest[:16]}")
        if outcome.n_left:
            _say(f"the walltime left {outcome.n_left} runs open; the same command goes on from there")
            return OUT_OF_TIME
        return int(bool(outcome.failures))
    imports = [member.name for member in suite.benchmarks]  # what was run may be imported to score it
    return _rank(outcome, store_path, imports, options, out)


def _dry_run(suite: Suite, store_path: Path, options: argparse.Namespace, out: Output) -> None:
    from hpo_cli.parts.dry_runs import print_dry_run
    from hpo_leaderboard.experiments.splitting.dry_run import dry_run

    planned = dry_run(suite, store_path, options.shard)
    print_dry_run(planned, 1 if options.engine == "serial" else options.processes or usable_cores(), out)


def _rank(
    outcome: Outcome, store_path: Path, imports: Collection[str], options: argparse.Namespace, out: Output
) -> int:
    """Print the leaderboards of a complete experiment, and write the page; returns the exit status."""
    from hpo_leaderboard.experiments.random_phases import only_random, random_phase_line
    from hpo_leaderboard.report import score_store

    scored = score_store(store_path, imports=imports)
    _print_boards(scored, out)
    for line in scored.left_out:
        out.say(f"left out: {line}")
    for name in _all_broke(scored):
        out.say(f"not ranked: {name}, all of whose runs broke")
    for name in only_random(scored.runs):
        out.say(random_phase_line(name))
    out.say(f"\nstore: {store_path} ({outcome.n_asked} runs, digest {outcome.digest[:16]})")
    _print_page(scored, store_path, options.out, out)
    if outcome.lost:
        raise IncompleteExperiment(
            f"the leaderboard is incomplete: {'; '.join(outcome.lost)}. The same command tries what is missing again"
        )
    if outcome.n_open:
        _say(f"{outcome.n_open} runs broke by circumstances; the same command tries them again")
    return int(bool(outcome.failures) or scored.runs["failure"].notna().any())


def _experiment(suite: Suite, store_path: Path, options: argparse.Namespace) -> Outcome:
    from hpo_leaderboard.experiments.experiment import run_experiment

    if options.address is not None and options.engine != "dask":
        raise InvalidOption(f"--address goes with --engine dask, got --engine {options.engine}")
    if options.engine != "dask" and tls_files(options) is not None:
        raise InvalidOption(f"--tls-ca, --tls-cert and --tls-key go with --engine dask, got --engine {options.engine}")
    where = {"processes": options.processes, "address": options.address, "tls": tls_files(options)}
    engine = make_engine(options.engine, **where, timeout=options.timeout)
    part = {"shard": options.shard, "walltime": options.walltime}
    try:
        outcome = run_experiment(suite, store_path, _Announcing(engine), announce=_say, progress=None, **part)
    except KeyboardInterrupt:
        _say(f"finished runs are stored in {store_path}; the same command goes on from there")
        raise
    for failure, count in outcome.failures.items():
        _say(f"{count} x {failure}")
    return outcome


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
                _say(f"{job.optimizer.label} broke on {job.benchmark.label}, seed {job.seed}: {finished.failure}")
            yield job, finished


def _say(line: str) -> None:
    from tqdm import tqdm

    tqdm.write(visible(f"hpo: {line}"), file=sys.stderr)


def _print_page(scored: ScoredStore, store_path: Path, folder: Path, out: Output) -> None:
    from hpo_leaderboard.report import write_report

    try:
        out.say(f"page: {write_report(scored, folder)}")
    except MissingExtra as error:
        _say(f"no page: {error}; then `hpo report {store_path}`")


def _print_boards(scored: ScoredStore, out: Output) -> None:
    """Print a leaderboard for each group of benchmarks on which the same optimizers ran."""
    if not scored.groups:
        _say("no trial of the store succeeded: there is nothing to rank")
    for i, group in enumerate(scored.groups):
        if out.form == "text":
            out.say(("\n" if i else "") + f"on {_some(list(group.benchmarks))}")
        rows = records(group.board)
        out.table(COLUMNS, [{"benchmarks": list(group.benchmarks), **row} for row in rows])


def _all_broke(scored: ScoredStore) -> list[str]:
    """Optimizers without a run that did not break."""
    broke = scored.runs["failure"].notna().groupby(scored.runs["optimizer"]).all()
    return sorted(broke.index[broke])


def _some(names: list[str]) -> str:
    """Names, of many the first ones."""
    if len(names) > N_NAMED:
        names = [*names[: N_NAMED - 1], f"and {len(names) - N_NAMED + 1} more"]
    return ", ".join(names)
