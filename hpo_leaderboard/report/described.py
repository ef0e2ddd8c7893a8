"""What each benchmark and optimizer of a store is, in one line, with its paper: for the head of the page."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from baselines.adapters.parts.peer_names import peer_of
from hpo_core import benchmarks
from hpo_core.names import optimizers
from hpo_leaderboard.report.papers import Link, links

if TYPE_CHECKING:
    from hpo_leaderboard.experiments.plan import BenchmarkRecord

FAMILY_PAPERS = {"profet": "Klein et al. (2019), Meta-Surrogate Benchmarking for Hyperparameter Optimization"}
MANY = 4  # benchmarks that differ in numbers alone, from which on they share a line


class Described(NamedTuple):
    """A benchmark or optimizer as shown, or several that differ in a number: one line, its paper, links to it."""

    name: str
    line: str
    paper: str
    links: Sequence[Link]


def describe_optimizers(shown: Iterable[str], descriptions: Iterable[Mapping[str, Any]]) -> list[Described]:
    """A line for each optimizer; `descriptions` are those of the runs (`Job.description`)."""
    said = _by_label(descriptions, "optimizer")
    known = optimizers()
    rows = []
    for name in shown:
        member = _said_of(name, said)
        entry = known.get(member["name"]) or peer_of(member["name"])
        line = _own(member["name"]) if entry is None else entry.summary
        paper = "" if entry is None else entry.paper
        rows.append(Described(name, _with_options(line, member["options"]), paper, links(paper)))
    return rows


def describe_benchmarks(
    shown: Iterable[str], descriptions: Iterable[Mapping[str, Any]], tasks: Iterable[BenchmarkRecord]
) -> list[Described]:
    """A line for each benchmark; those that differ in a number, such as generated tasks, share one."""
    said, records = _by_label(descriptions, "benchmark"), {task.benchmark: task for task in tasks}
    known = benchmarks()
    rows = []
    for name in shown:
        member = _said_of(name, said)
        task = records.get(member["label"])
        provenance = json.loads(task.provenance) if task is not None else {}
        listed = known.get(member["name"])
        line = listed.summary if listed is not None else str(provenance.get("source") or _own(member["name"]))
        paper = str(provenance.get("paper") or FAMILY_PAPERS.get(task.family if task is not None else "", ""))
        if "prior" in member["options"]:
            line = f"{line}; optimizers are given a {member['options']['prior']} prior, Mallik et al. (2023)"
        rows.append(Described(name, _with_options(line, member["options"]), paper, links(paper)))
    return _merged(rows)


def _merged(rows: Iterable[Described]) -> list[Described]:
    """The rows, those that differ in numbers alone as one if they are many."""
    alike: dict[tuple[str, ...], list[Described]] = defaultdict(list)
    for row in rows:
        alike[tuple(re.sub(r"-?\d+(\.\d+)?", "#", text) for text in row[:3])].append(row)
    merged = []
    for own in alike.values():
        if len(own) < MANY:
            merged += own
        else:
            line = f"{len(own)} benchmarks; the first: {own[0].line}"
            merged.append(own[0]._replace(name=f"{own[0].name} ... {own[-1].name}", line=line))
    return merged


def _by_label(descriptions: Iterable[Mapping[str, Any]], kind: str) -> dict[str, Mapping[str, Any]]:
    return {each[kind]["label"]: each[kind] for each in descriptions}


def _said_of(shown: str, said: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Any]:
    """What the runs say of a name; where a label stood for several variants, the name shown goes on after it."""
    fits = [label for label in said if shown == label or shown.startswith(f"{label} ")]
    return said[max(fits, key=len)] if fits else {"name": shown, "label": shown, "options": {}}


def _own(name: str) -> str:
    module, colon, attribute = name.partition(":")
    return f"{attribute} of the module {module}" if colon else ""


def _with_options(line: str, options: Mapping[str, Any]) -> str:
    given = ", ".join(f"{key} = {json.dumps(value)}" for key, value in options.items())
    return f"{line} ({given})" if given else line
