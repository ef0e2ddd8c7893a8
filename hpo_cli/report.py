"""`hpo report`: the page of a store."""

from __future__ import annotations

import argparse
from pathlib import Path

from hpo_cli.parts.arguments import Parser, comma_list
from hpo_cli.parts.rendering import Output
from hpo_cli.parts.selection import add_selection, selection
from hpo_core.errors import InvalidOption

EXAMPLES = """\
examples:
  hpo report leaderboard/quick.sqlite                 beside the store
  hpo report leaderboard/quick.sqlite --out page      page/index.html, with data, figures and LaTeX tables beside it
  hpo report leaderboard/quick.sqlite --highlight tpe   with one optimizer in front of the others
  hpo report leaderboard/quick.sqlite --figures --optimizers tpe,rs --width 3.3in --labels tpe=TPE,rs=random
"""


def add_report(parser: Parser) -> None:
    parser.explain(
        "Write a page that needs no network, and beside it data (CSV), figures (PDF, SVG), tables (LaTeX).", EXAMPLES
    )
    parser.add_argument("store", type=Path, help="file of `hpo leaderboard`")
    parser.add_argument("--out", type=Path, help="directory to write to (that of the store)")
    parser.add_argument("--highlight", metavar="NAME", help="draw this optimizer in front", complete="optimizers")
    parser.add_argument("--figures", action="store_true", help="write only figures (PDF, SVG), for a paper")
    parser.add_argument("--width", type=inches, metavar="3.3in", help="of these figures, in inches or cm (7in)")
    parser.add_argument(
        "--labels", type=comma_list, metavar="X=A,Y=B", help="names in these figures: X is called A, Y is called B"
    )
    parser.add_argument(
        "--allow-import",
        type=comma_list,
        default=[],
        metavar="MODULE:NAME",
        help="benchmarks of your own that may be imported to compute targets",
    )
    add_selection(parser)
    parser.set_defaults(action=_report)


def _report(options: argparse.Namespace, out: Output) -> None:
    from hpo_leaderboard.report import score_store, write_figures, write_report
    from hpo_leaderboard.report.figures.vector import WIDTH

    folder = options.out or options.store.parent
    if not options.figures and (options.width or options.labels):
        raise InvalidOption("--width and --labels are of the figures for a paper; add --figures")
    scored = score_store(options.store, **selection(options), imports=options.allow_import)
    for line in scored.left_out:
        out.say(f"left out: {line}")
    if options.figures:
        labels = dict(parse_label(text) for text in options.labels or ())
        paths = write_figures(scored, folder, width=options.width or WIDTH, labels=labels)
        out.say(f"figures: {len(paths)} files in {folder}")
        return
    out.say(f"page: {write_report(scored, folder, highlight=options.highlight)}")


def inches(text: str) -> float:
    """Inches of `3.3in`, `3.3` or `8.4cm`."""
    number = text.removesuffix("in").removesuffix("cm")
    try:
        width = float(number) / (2.54 if text.endswith("cm") else 1.0)
    except ValueError:
        width = 0.0
    if not 1.5 <= width <= 40:
        raise argparse.ArgumentTypeError(f"a width is written 3.3in or 8.4cm, from 1.5in on, got {text!r}")
    return width


def parse_label(text: str) -> tuple[str, str]:
    """Name of an optimizer and what it is called, of `NAME=LABEL`."""
    name, separator, label = text.rpartition("=")
    if not separator or not name:
        raise InvalidOption(f"a label is written NAME=LABEL, got {text!r}")
    return name, label
