"""`hpo report` and `hpo compare`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas

REPORT_EXAMPLES = """\
examples:
  hpo report leaderboard/quick.sqlite                 beside the store
  hpo report leaderboard/quick.sqlite --out page      page/index.html, with data, figures and LaTeX tables beside it
"""
COMPARE_EXAMPLES = """\
examples:
  hpo compare leaderboard/quick.sqlite tpe rs
"""


def add(subcommands: Any) -> None:
    report = subcommands.add_parser(
        "report",
        help="write a page with tables and figures of a store",
        description="Write a page that needs no network, and beside it data (CSV), figures (PDF, SVG), tables (LaTeX).",
        epilog=REPORT_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    report.add_argument("store", type=Path, help="file of `hpo leaderboard`")
    report.add_argument("--out", type=Path, help="directory to write to (that of the store)")
    report.set_defaults(action=_report)
    compare = subcommands.add_parser(
        "compare",
        help="compare two optimizers of a store",
        description="Compare the final regrets of two optimizers: effect size, its interval and corrected p-values.",
        epilog=COMPARE_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    compare.add_argument("store", type=Path, help="file of `hpo leaderboard`")
    compare.add_argument("a", metavar="A", help="an optimizer")
    compare.add_argument("b", metavar="B", help="another one")
    compare.set_defaults(action=_compare)


def _report(options: argparse.Namespace) -> None:
    from hpo_leaderboard.report import write_report

    print(f"page: {write_report(options.store, options.out or options.store.parent)}")


def _compare(options: argparse.Namespace) -> None:
    from hpo_leaderboard.report.pair import compare_pair
    from hpo_leaderboard.scores.incumbents import incumbents
    from hpo_leaderboard.store.store import reading

    with reading(options.store) as store:
        frames = store.frames(configs=False)
    print(_text(compare_pair(incumbents(frames.trials, frames.tasks), options.a, options.b), options.a, options.b))


def _text(table: pandas.DataFrame, a: str, b: str) -> str:
    width = max(len(name) for name in ("benchmark", *table["benchmark"]))
    names = [f"{name:>{max(10, len(name))}}" for name in (a, b)]
    head = f"{'benchmark':<{width}} {'runs':>9} {names[0]} {names[1]}"
    lines = [f"{head} {'effect':>6} {'95 %':>10} {'p':>8} {'corrected':>9}"]
    for row in table.to_dict("records"):
        medians = [
            f"{row[column]:>{len(name)}.3g}" if row[column] == row[column] else " " * len(name)
            for name, column in zip(names, ("median_a", "median_b"), strict=True)
        ]
        runs = f"{row['n_a']}+{row['n_b']}"
        interval = f"{row['effect_low']:.2f}..{row['effect_high']:.2f}"
        lines.append(
            f"{row['benchmark']:<{width}} {runs:>9} {' '.join(medians)} {row['effect']:>6.2f} {interval:>10} "
            f"{row['p']:>8.2g} {row['p_holm']:>9.2g}"
        )
    return "\n".join(
        [
            *lines,
            "",
            f"{a}, {b}: median final regret.",
            f"effect: probability that a run of {a} ends with a lower regret than a run of {b}, ties counting half.",
            "p: two-sided Mann-Whitney test, over all benchmarks van Elteren's; corrected (Holm) for all pairs of",
            "optimizers that ran there.",
        ]
    )
