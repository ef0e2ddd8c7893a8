"""`hpo leaderboard`: benchmarks x optimizers x seeds into a store, and the optimizers ranked."""

from __future__ import annotations

import argparse
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from hpo_cli.parts.archives import add_archive, field_of, joint_store, open_archive
from hpo_cli.parts.arguments import Parser
from hpo_cli.parts.experiments import add_engine, add_parts, experiment, partial_status, say, show_dry_run
from hpo_cli.parts.rendering import Column, Output, add_formats, records
from hpo_cli.parts.suites import add_suite, chosen_suite
from hpo_core.errors import HpoError, MissingExtra
from hpo_leaderboard.experiments.experiment import Outcome
from hpo_leaderboard.experiments.suite import Suite

if TYPE_CHECKING:
    from hpo_leaderboard.report import ScoredStore

NOTHING = Outcome(0, 0, {}, 0, [], "", 0)  # of an experiment in which all runs are archived
N_NAMED = 8  # benchmarks above a table of text
EXAMPLES = """\
examples:
  hpo leaderboard quick                                        the fast optimizers on real tasks
  hpo leaderboard quick --optimizers rs,my_module:MySearch     with a class of your own
  hpo leaderboard mine.toml --store mine.sqlite                a suite of your own
  hpo leaderboard fcnet --dry-run                              how many runs, how long, what is left out
  hpo leaderboard fcnet --engine dask --address tcp://10.0.0.1:8786
  hpo leaderboard fcnet --shard 3/20 --walltime 55m --store 3.sqlite
  hpo leaderboard fcnet --optimizers my_module:MySearch --archive     run yours, rank it among all archived ones

You may interrupt it at any time: finished runs are stored, and the same command continues. A suite of your own is a
TOML file with benchmarks, optimizers, n_seeds and n_trials; the page of every leaderboard contains its suite. A file
that names code to import (MODULE:ATTRIBUTE) needs --allow-import: read that code first.
The exit status is 1 if runs of the store broke, 2 if a benchmark of the suite could not be opened, and 3 if runs are
left over after the walltime. Shards and unfinished suites are not ranked; `hpo store merge` joins shards.

With --archive, optimizers that the archive has are not run: their recorded runs are ranked, also those that are not
named. Yours runs with the seeds that the archive has (--seeds takes fewer), on the suite's benchmarks that it has.
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
    add_engine(parser)
    add_parts(parser)
    add_archive(parser)
    parser.add_argument("--out", type=Path, default=Path("leaderboard"), help="directory to write to (leaderboard)")
    add_formats(parser)
    parser.set_defaults(action=_leaderboard)


def _leaderboard(options: argparse.Namespace, out: Output) -> int:
    suite = chosen_suite(options)
    store_path = options.store or options.out / f"{suite.name}.sqlite"
    if options.archive is not None:
        return _with_archive(suite, store_path, options, out)
    if options.dry_run:
        show_dry_run(suite, store_path, options, out)
        return 0
    outcome = experiment(suite, store_path, options)
    if outcome.n_left or options.shard is not None:
        return partial_status(outcome, options.suite, store_path, out)
    imports = [member.name for member in suite.benchmarks]  # what was run may be imported to score it
    return _rank(outcome, store_path, imports, options, out, kept_in=store_path)


def _with_archive(suite: Suite, store_path: Path, options: argparse.Namespace, out: Output) -> int:
    """Run what an archive lacks, and rank it among the archived runs; returns the exit status."""
    archive, source = open_archive(options.archive)
    field = field_of(archive, suite, list(suite.optimizers) if options.optimizers else [], options)
    if options.dry_run:
        if field.suite is not None:
            show_dry_run(field.suite, store_path, options, out)
        out.say(f"{len(field.rows):,} runs are taken from {source}")
        return 0
    outcome = NOTHING if field.suite is None else experiment(field.suite, store_path, options)
    imports = [member.name for member in suite.benchmarks]
    with joint_store(archive, source, field, store_path if field.suite else None) as joint:
        out.say(f"{len(field.rows):,} archived runs of {source}")
        return _rank(outcome, joint, imports, options, out, kept_in=store_path if field.suite else None)


def _rank(
    outcome: Outcome,
    store_path: Path,
    imports: Collection[str],
    options: argparse.Namespace,
    out: Output,
    *,
    kept_in: Path | None,
) -> int:
    """Print the leaderboards of a complete experiment, and write the page; returns the exit status.

    `kept_in` is the store in which the runs of the experiment are kept, None if there were none to run.
    """
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
    out.say()
    if kept_in is not None:
        out.say(f"store: {kept_in} ({outcome.n_asked} runs, digest {outcome.digest[:16]})")
    _print_page(scored, store_path, options.out, out)
    if outcome.lost:
        raise IncompleteExperiment(
            f"the leaderboard is incomplete: {'; '.join(outcome.lost)}. The same command tries what is missing again"
        )
    if outcome.n_open:
        say(f"{outcome.n_open} runs broke by circumstances; the same command tries them again")
    return int(bool(outcome.failures) or scored.runs["failure"].notna().any())


def _print_page(scored: ScoredStore, store_path: Path, folder: Path, out: Output) -> None:
    from hpo_leaderboard.report import write_report

    try:
        out.say(f"page: {write_report(scored, folder)}")
    except MissingExtra as error:
        say(f"no page: {error}; then `hpo report {store_path}`")


def _print_boards(scored: ScoredStore, out: Output) -> None:
    """Print a leaderboard for each group of benchmarks on which the same optimizers ran."""
    if not scored.groups:
        say("no trial of the store succeeded: there is nothing to rank")
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
