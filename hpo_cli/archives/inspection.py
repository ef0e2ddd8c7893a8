"""`hpo archive info | diff`."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hpo_cli.parts.archives import SHIPPED, open_archive
from hpo_cli.parts.arguments import Parser
from hpo_cli.parts.rendering import Column, Output, add_formats

if TYPE_CHECKING:
    from hpo_leaderboard.archive.packed.contents import Archive

DIFF_NOTES = """\
examples:
  hpo archive diff before.h5 after.h5
  hpo archive diff reference.h5 leaderboard/fcnet.sqlite    a store will do for either
  hpo archive diff before.sqlite after.sqlite --json

Optimizers are compared by their labels, on benchmarks that both have with the same contents and limits, by the final
regret. effect: probability that a new run ends with a lower regret than an old one, ties counting half, with its 95 %
interval. p: van Elteren's test over all benchmarks, two-sided, corrected for the number of optimizers (Holm): where
nothing changed, the chance that any of them is called better or worse is 5 %.
The exit status is 1 if an optimizer became worse, so a release check can end there.
"""
CHANGES = [
    Column("optimizer", "{optimizer}", width=15),
    Column("verdict", "{verdict}"),
    Column("benchmarks", "{n_benchmarks}", right=True),
    Column("runs", "{n_old}+{n_new}", right=True),
    Column("effect", "{effect:.2f}", right=True),
    Column("95 %", "{effect_low:.2f}..{effect_high:.2f}", right=True),
    Column("p", "{p:.2g}", right=True),
    Column("corrected", "{p_holm:.2g}", right=True),
]


def add_info(parser: Parser) -> None:
    parser.add_argument("archive", type=Path, nargs="?", default=SHIPPED, metavar="FILE", help="(the shipped archive)")
    add_formats(parser)
    parser.set_defaults(action=_info)


def add_diff(parser: Parser) -> None:
    parser.explain("Say which optimizers became better or worse between two archives or stores.", DIFF_NOTES)
    parser.add_argument("old", type=Path, metavar="OLD", help="an archive or a store")
    parser.add_argument("new", type=Path, metavar="NEW", help="another one")
    add_formats(parser)
    parser.set_defaults(action=_diff)


def _info(options: argparse.Namespace, out: Output) -> None:
    archive, source = open_archive(options.archive)
    n_trials = int(archive.columns["n_trials"].sum())
    out.card(f"{source}: {archive.n_runs:,} runs with {n_trials:,} trials", list(_facts(archive)))


def _facts(archive: Archive) -> Iterator[tuple[str, str, Any]]:
    """What an archive holds, as facts of a card."""
    from hpo_leaderboard.archive.packed.overview import overview

    yield "", "runs", archive.n_runs
    yield "", "trials", int(archive.columns["n_trials"].sum())
    yield "", "digest", archive.digest()
    for name, value in archive.card.items():
        yield "card", name, value
    for name, value in archive.about.items():
        yield "made with", name, value
    for suite in archive.suites:
        yield "suites", suite.name, {"version": suite.version}
    yield from overview(archive)


def _diff(options: argparse.Namespace, out: Output) -> int:
    from hpo_leaderboard.archive.difference import difference

    found = difference(options.old, options.new)
    out.table(CHANGES, [change._asdict() for change in found.changes])
    for line in found.left_out:
        out.say(f"left out: {line}")
    worse = [change.optimizer for change in found.changes if change.verdict == "worse"]
    out.say(f"became worse: {', '.join(worse)}" if worse else "no optimizer became worse, as far as these runs tell")
    return int(bool(worse))
