"""`hpo list`, `hpo optimizers` and `hpo criteria`: what has a name, with a line each."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

from hpo_cli.parts.arguments import Parser
from hpo_cli.parts.rendering import Column, Output, Row, add_formats, yes_or_no

NAME = Column("name", "{name}")
SUMMARY, PAPER = Column("summary", "{summary}", cut=True), Column("paper", "{paper}", cut=True)
BENCHMARK_COLUMNS = [
    NAME,
    Column("family", "{family}"),
    Column("budgets", lambda row: _ends(row["budgets"])),
    Column("optimum", lambda row: yes_or_no(row["optimum"])),
    Column("curves", lambda row: yes_or_no(row["curves"])),
    Column("extra", lambda row: "?" if row["extra"] is None else row["extra"] or "-"),
    SUMMARY,
]
LIST_NOTES = """\
columns: budgets from the first to the last; whether the optimum is known (of a surrogate, the lowest loss that a long
search found); whether all budgets have losses (learning curves); the extra that is needed, as in `pip install
"hpo-foundry[collect]"`. A name that ends in * or .. stands for many: `hpo list --family FAMILY`, --json and --csv show
them. On a narrow terminal summaries are cut.

Use a name as in `hpo run NAME rs` or `Benchmark(NAME)`. Other packages add families through the entry points
`hpo_core.benchmarks`.
"""


def add_list(parser: Parser) -> None:
    parser.explain("Names of the benchmarks by family, with what is known of each.", LIST_NOTES)
    parser.add_argument("--family", help="only this family, for example fcnet", complete="families")
    add_formats(parser)
    parser.set_defaults(action=_list)


def add_optimizers(parser: Parser) -> None:
    parser.explain(
        "Names of the optimizers, with one line and the paper each.",
        "Use a name as in `hpo run BENCHMARK NAME` or `optimizer(NAME, space)`. Options of an optimizer are the\n"
        "keyword arguments of its class: `hpo run protein re --option population=20`.\n"
        "NAME@ENV runs in an environment of its own, a directory or an interpreter; cmd@COMMAND is a program of yours.",
    )
    add_formats(parser)
    parser.set_defaults(action=_optimizers)


def add_criteria(parser: Parser) -> None:
    parser.explain(
        "Names of the stopping criteria, with one line and the paper each.",
        'Use a name as in `hpo run protein tpe --stop "regret-bound:0.001"`. A criterion is written\n'
        "NAME:VALUE,OPTION=VALUE; several are joined with | and &.",
    )
    add_formats(parser)
    parser.set_defaults(action=_criteria)


def _list(options: argparse.Namespace, out: Output) -> None:
    from hpo_core import benchmarks
    from hpo_core.errors import UnknownName, nearest

    listed = benchmarks()
    families = sorted({entry.family for entry in listed.values()})
    if options.family is not None and options.family not in families:
        raise UnknownName(f"no family {options.family!r}{nearest(options.family, families)}")
    rows = [_benchmark_row(name, entry) for name, entry in listed.items() if options.family in (None, entry.family)]
    rows.sort(key=lambda row: families.index(row["family"]))
    if out.form == "text" and options.family is None:
        rows = list(_folded(rows))
    for row in rows:
        del row["group"]
    out.table(BENCHMARK_COLUMNS, rows)


def _ends(budgets: tuple[float, float] | None) -> str:
    return "?" if budgets is None else "..".join(f"{budget:.6g}" for budget in dict.fromkeys(budgets))


def _benchmark_row(name: str, entry: Any) -> dict[str, Any]:
    from hpo_core.facts import facts_of

    return {"name": name, "family": entry.family, **facts_of(entry.family, name)._asdict(), "summary": entry.summary}


def _folded(rows: Iterable[dict[str, Any]]) -> Iterable[dict[str, Any]]:
    """Rows in which one stands for all of a group."""
    for group, members in groupby(rows, key=lambda row: (row["family"], row["group"] or row["name"])):
        first, *others = members
        more = f", and {len(others)} more" if others else ""
        yield {**first, "name": group[1], "summary": first["summary"] + more}


def _optimizers(options: argparse.Namespace, out: Output) -> None:
    from baselines.adapters.parts.peer_names import PEERS
    from hpo_core.names import optimizers

    listed = {**optimizers(), **{f"{name}@ENV": peer for name, peer in PEERS.items()}}
    columns = [NAME, Column("budgets", lambda row: "several" if row["multi_fidelity"] else "-"), SUMMARY, PAPER]
    out.table(columns, _rows(listed, multi_fidelity=False))


def _criteria(options: argparse.Namespace, out: Output) -> None:
    from hpo_core.names import criteria

    out.table([NAME, SUMMARY, PAPER], _rows(criteria()))


def _rows(entries: Mapping[str, Any], **more: Any) -> list[Row]:
    """Names with the summary and the paper of each, and more that an entry may state, with its default."""
    return [
        {
            "name": name,
            "summary": entry.summary,
            "paper": entry.paper,
            **{key: getattr(entry, key, default) for key, default in more.items()},
        }
        for name, entry in entries.items()
    ]
