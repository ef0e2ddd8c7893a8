"""`hpo compare`: two optimizers of a store against each other."""

from __future__ import annotations

import argparse
import math
from pathlib import Path

from hpo_cli.parts.archives import add_archive, field_of, joint_store, open_archive
from hpo_cli.parts.arguments import Parser
from hpo_cli.parts.experiments import add_engine, experiment
from hpo_cli.parts.rendering import Column, Output, Row, add_formats, records
from hpo_cli.parts.selection import add_selection, selection
from hpo_core.errors import InvalidOption
from hpo_leaderboard.experiments.members import optimizers_of
from hpo_leaderboard.experiments.suite import open_suite

EXAMPLES = """\
examples:
  hpo compare leaderboard/quick.sqlite tpe rs
  hpo compare leaderboard/quick.sqlite "tpe 0.1" "tpe 0.2"     two versions of one
  hpo compare my_module:MySearch tpe --archive                 yours with archived runs, on the suite fcnet
  hpo compare gp tpe --suite mini --archive                    two archived ones: nothing is run

An optimizer is named as on the page, or by a beginning of that name which fits no other; of one that is given as
MODULE:CLASS, the class is enough.

With --archive no store is named: runs of a suite that the archive lacks are run first, and kept in
leaderboard/SUITE.sqlite.
"""


def add_compare(parser: Parser) -> None:
    parser.explain(
        "Compare the final regrets of two optimizers: effect size, its interval and corrected p-values.", EXAMPLES
    )
    parser.add_argument("store", type=Path, nargs="?", help="file of `hpo leaderboard`; none with --archive")
    parser.add_argument("a", metavar="A", help="an optimizer", complete="optimizers")
    parser.add_argument("b", metavar="B", help="another one", complete="optimizers")
    add_selection(parser)
    add_archive(parser)
    parser.add_argument("--suite", default="fcnet", help="whose archived runs are compared (fcnet)", complete="suites")
    add_engine(parser)
    add_formats(parser)
    parser.set_defaults(action=_compare, shard=None, walltime=None)


def _compare(options: argparse.Namespace, out: Output) -> None:
    if options.archive is None and options.store is None:
        raise InvalidOption("a comparison needs a store, hpo compare STORE A B, or the archived runs, --archive")
    if options.archive is None:
        _compare_in(options.store, options, out)
    elif options.store is not None:
        raise InvalidOption(f"with --archive two optimizers are named and no store, got {options.store} too")
    else:
        _compare_archived(options, out)


def _compare_archived(options: argparse.Namespace, out: Output) -> None:
    """Compare two optimizers of which the archive has both, one or none; what it lacks is run."""
    suite = open_suite(options.suite)
    archive, source = open_archive(options.archive)
    field = field_of(archive, suite, list(optimizers_of([options.a, options.b])), options)
    store = Path("leaderboard") / f"{suite.name}.sqlite"
    if field.suite is not None:
        experiment(field.suite, store, options)
    with joint_store(archive, source, field, store if field.suite else None) as joint:
        _compare_in(joint, options, out)


def _compare_in(path: Path, options: argparse.Namespace, out: Output) -> None:
    from hpo_leaderboard.report.pair import compare_pair, verdict
    from hpo_leaderboard.scores.incumbents import incumbents
    from hpo_leaderboard.store.labels import full_label
    from hpo_leaderboard.store.selection import select
    from hpo_leaderboard.store.store import reading

    with reading(path) as store:
        frames, left_out = select(store, **selection(options), configs=False)
        scoring = store.scoring()
    known = sorted(set(frames.trials["optimizer"]))
    a, b = full_label(options.a, known), full_label(options.b, known)
    table = incumbents(frames.trials, frames.tasks, scoring.incumbent)
    rows = records(compare_pair(table, a, b))
    out.table(_columns(a, b), [{"benchmark": row["benchmark"], "a": a, "b": b, **row} for row in rows])
    if out.form == "text":
        _explain(out, a, b)
        out.say()
        for line in verdict(table, a, b):
            out.say(line)
    for line in left_out:
        out.say(f"left out: {line}")


def _columns(a: str, b: str) -> list[Column]:
    return [
        Column("benchmark", "{benchmark}"),
        Column("runs", "{n_a}+{n_b}", right=True),
        Column(a, lambda row: _median(row, "median_a"), right=True),
        Column(b, lambda row: _median(row, "median_b"), right=True),
        Column("effect", "{effect:.2f}", right=True),
        Column("95 %", "{effect_low:.2f}..{effect_high:.2f}", right=True),
        Column("p", "{p:.2g}", right=True),
        Column("corrected", "{p_holm:.2g}", right=True),
    ]


def _median(row: Row, key: str) -> str:
    return "" if math.isnan(row[key]) else f"{row[key]:.3g}"


def _explain(out: Output, a: str, b: str) -> None:
    out.say()
    out.say(f"{a}, {b}: median final regret.")
    out.say(f"effect: probability that a run of {a} ends with a lower regret than a run of {b}, ties counting half.")
    out.say("p: two-sided Mann-Whitney test, over all benchmarks van Elteren's; corrected (Holm) for all pairs of")
    out.say("optimizers that ran there.")
