"""`hpo reproduce`: figures and tables of papers, computed again and judged."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hpo_cli.parts.arguments import Parser
from hpo_cli.parts.rendering import Column, Output, Row, add_formats, seconds_in_words
from hpo_cli.parts.suites import duration
from hpo_core.cores import usable_cores
from hpo_leaderboard.engines import ENGINES
from hpo_papers.frame.catalogue import PAPERS, chosen_items, switches, title_of
from hpo_papers.frame.plan import PlannedItem, make_plan
from hpo_papers.frame.reproduction import Reproduced, ReproductionSettings, reproduce

if TYPE_CHECKING:
    from tqdm import tqdm

UNFINISHED = 3  # exit status
EXAMPLES = """\
examples:
  hpo reproduce --list                              papers and their items
  hpo reproduce makarova2022                        a paper, with a page in reproduction/index.html
  hpo reproduce makarova2022/table-3 --json         one item
  hpo reproduce --dry-run --time 1h                 what would be run, and how long it takes

An item is a figure or table. It has a verdict: reproduced, differs, substitute (other data than the paper's) or not
possible, by a rule that was written before the item was computed. You may interrupt it at any time: finished parts
are kept in OUT/parts.sqlite, and the same command continues. With --time there are fewer runs if all of them would take
longer; the page says how many. The exit status is 3 if items are left over.
"""
COLUMNS = [
    Column("item", "{item}", width=30),
    Column("verdict", "{verdict}", width=12),
    Column("runs", "{runs} of {all_runs}", right=True, width=10),
    Column("CPU", lambda row: seconds_in_words(row["cpu_seconds"]), right=True, width=7),
    Column("why", "{why}", cut=True),
]
PLAN_COLUMNS = [
    Column("item", "{item}", width=30),
    Column("runs", "{runs} of {all_runs}", right=True),
    Column("CPU", lambda row: seconds_in_words(row["cpu_seconds"]), right=True, width=7),
    Column("title", "{title}", cut=True),
]


def add_reproduce(parser: Parser) -> None:
    parser.explain("Compute figures and tables of papers again, and show them beside what is printed.", EXAMPLES)
    parser.add_argument(
        "items",
        nargs="*",
        metavar="PAPER[/ITEM]",
        help=f"papers or items (all of {', '.join(PAPERS)})",
        complete="items",
    )
    parser.add_argument("--time", type=duration, metavar="1h", help="fewer runs where all would take longer than that")
    parser.add_argument("--list", action="store_true", help="list the papers and items, and do nothing else")
    parser.add_argument(
        "--dry-run", action="store_true", help="print what would be run and how long it takes; run nothing"
    )
    parser.add_argument("--engine", choices=ENGINES, default="processes", help="where parts are computed (processes)")
    parser.add_argument("--processes", type=int, metavar="N", help="parts at the same time (one per core)")
    parser.add_argument("--out", type=Path, default=Path("reproduction"), help="directory to write to (reproduction)")
    for switch, words in switches().items():
        parser.add_argument(f"--{switch}", action="append_const", dest="switches", const=switch, help=words)
    add_formats(parser)
    parser.set_defaults(action=_reproduce, switches=[])


def _reproduce(options: argparse.Namespace, out: Output) -> int:
    if options.list:
        chosen = chosen_items(options.items, tuple(switches()))
        rows = [_planned_row(each) for each in make_plan(chosen)]
        for paper in dict.fromkeys(each.paper for each in chosen):
            out.say(f"{paper}: {title_of(paper)}")
        out.table(PLAN_COLUMNS, rows)
        return 0
    n_processes = 1 if options.engine == "serial" else options.processes or usable_cores()
    given = None if options.time is None else options.time * n_processes
    planned = make_plan(chosen_items(options.items, options.switches or ()), given)
    if options.dry_run:
        _print_plan(planned, n_processes, out)
        return 0
    return _run(planned, options, out)


def _planned_row(planned: PlannedItem) -> Row:
    named, runs, seconds = planned
    item = named.item
    facts = {"item": named.name, "runs": runs, "all_runs": item.runs, "cpu_seconds": seconds}
    return {**facts, "title": item.title, "switch": item.switch}


def _print_plan(planned: Sequence[PlannedItem], n_processes: int, out: Output) -> None:
    out.table(PLAN_COLUMNS, [_planned_row(each) for each in planned])
    seconds = sum(each.cpu_seconds for each in planned)
    out.say(
        f"{len(planned)} items, {seconds_in_words(seconds)} of CPU time without what is cached: about "
        f"{seconds_in_words(seconds / n_processes)} with {n_processes} processes. Nothing was run"
    )


def _run(planned: Sequence[PlannedItem], options: argparse.Namespace, out: Output) -> int:
    from tqdm import tqdm

    from hpo_papers.frame.page import write_pages

    results: list[Reproduced] = []
    with tqdm(unit="part", disable=None, leave=False) as bar:
        where = {"engine": options.engine, "processes": options.processes}
        settings = ReproductionSettings(options.out, **where, seconds=options.time, progress=_Progress(bar).show)
        out.table(COLUMNS, _rows(reproduce(planned, settings), results))
    words = ["hpo", "reproduce", *options.items, *(f"--{switch}" for switch in options.switches or ())]
    words += [] if options.time is None else ["--time", f"{options.time:.0f}s"]
    page, markdown = write_pages(results, options.out, shlex.join(words))
    out.say(f"page: {page}; the same as Markdown: {markdown}")
    if any(each.verdict is None for each in results):
        print("hpo: the time left items open; the same command goes on from there", file=sys.stderr)
        return UNFINISHED
    return 0


class _Progress:
    """Shows the parts of an item on a bar."""

    def __init__(self, bar: tqdm):
        self._bar = bar

    def show(self, name: str, done: int, total: int) -> None:
        self._bar.set_description(name, refresh=False)
        self._bar.total, self._bar.n = total, done
        self._bar.refresh()


def _rows(results: Iterator[Reproduced], kept: list[Reproduced]) -> Iterator[Row]:
    """A row for each item as it is finished."""
    for each in results:
        kept.append(each)
        word, reason = each.verdict or ("not finished", each.left)
        yield {
            "item": each.name,
            "verdict": word,
            "runs": each.runs,
            "all_runs": each.item.runs,
            "cpu_seconds": each.cpu_seconds,
            "why": reason,
        }
