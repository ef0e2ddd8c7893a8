"""`hpo report`: the page of a store."""

from __future__ import annotations

import argparse
from pathlib import Path

from hpo_cli.parts.arguments import Parser
from hpo_cli.parts.rendering import Output
from hpo_cli.parts.selection import add_selection, selection

EXAMPLES = """\
examples:
  hpo report leaderboard/quick.sqlite                 beside the store
  hpo report leaderboard/quick.sqlite --out page      page/index.html, with data, figures and LaTeX tables beside it
  hpo report leaderboard/quick.sqlite --highlight tpe   with one optimizer in front of the others
"""


def add_report(parser: Parser) -> None:
    parser.explain(
        "Write a page that needs no network, and beside it data (CSV), figures (PDF, SVG), tables (LaTeX).", EXAMPLES
    )
    parser.add_argument("store", type=Path, help="file of `hpo leaderboard`")
    parser.add_argument("--out", type=Path, help="directory to write to (that of the store)")
    parser.add_argument("--highlight", metavar="NAME", help="draw this optimizer in front", complete="optimizers")
    add_selection(parser)
    parser.set_defaults(action=_report)


def _report(options: argparse.Namespace, out: Output) -> None:
    from hpo_leaderboard.report import score_store, write_report

    folder = options.out or options.store.parent
    scored = score_store(options.store, **selection(options))
    for line in scored.left_out:
        out.say(f"left out: {line}")
    out.say(f"page: {write_report(scored, folder, highlight=options.highlight)}")
