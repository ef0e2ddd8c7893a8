"""Options that choose runs of a store: --optimizers, --benchmarks, --seeds, --latest."""

from __future__ import annotations

import argparse
from typing import Any

from hpo_cli.parts.arguments import Parser, comma_list
from hpo_cli.parts.suites import seed_range


def add_selection(parser: Parser) -> None:
    """Give a command the options that `selection` reads."""
    parser.add_argument("--optimizers", type=comma_list, metavar="X,Y", help="only these", complete="optimizers")
    parser.add_argument(
        "--benchmarks",
        type=comma_list,
        metavar="A,B",
        help="only these, or patterns such as 'mini-*'",
        complete="benchmarks",
    )
    parser.add_argument("--seeds", type=seed_range, metavar="A:B", help="only the seeds from A to B - 1; N is 0:N")
    parser.add_argument(
        "--latest",
        action=argparse.BooleanOptionalAction,
        help="of several versions the one stored last (unless --no-latest: then each is an optimizer of its own)",
    )


def selection(options: argparse.Namespace) -> dict[str, Any]:
    """Arguments of `hpo_leaderboard.store.selection.select`, as they were given; the latest versions if not said."""
    chosen = {"optimizers": options.optimizers, "benchmarks": options.benchmarks, "seeds": options.seeds}
    return {**chosen, "latest": options.latest is not False}


def is_selection(options: argparse.Namespace) -> bool:
    """Whether any of the options was given."""
    return any(getattr(options, name) is not None for name in ("optimizers", "benchmarks", "seeds", "latest"))
