"""Names of benchmarks, resolved through entry points (group `hpo_core.benchmarks`).

An entry point loads to a *family*: an object with

    listing() -> {name: one line}       the names to show; a family may accept more, such as `profet-svm/17`
    make(name, **options) -> Problem    the problem, or None if the name is not one of the family's

so a package adds benchmarks by declaring an entry point in its own metadata.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import entry_points
from typing import Any, NamedTuple, Protocol

from hpo_core.errors import InvalidOption, UnknownName, nearest
from hpo_core.problems.problem import Problem

GROUP = "hpo_core.benchmarks"


class BenchmarkFamily(Protocol):
    """What an entry point of the group loads to."""

    def listing(self) -> dict[str, str]: ...
    def make(self, name: str, **options: Any) -> Problem | None: ...


class Listing(NamedTuple):
    """Family of a benchmark and one line about it."""

    family: str
    summary: str


@cache
def families() -> dict[str, BenchmarkFamily]:
    """Families by name, of every installed package."""
    found = sorted(entry_points(group=GROUP), key=lambda e: e.name)
    return {entry.name: entry.load() for entry in found}


def benchmarks() -> dict[str, Listing]:
    """Names of the benchmarks, each with its family and one line.

    Examples
    --------
    >>> from hpo_core import benchmarks
    >>> benchmarks()["branin"].family
    'functions'
    """
    return {
        name: Listing(family, summary)
        for family, members in families().items()
        for name, summary in members.listing().items()
    }


def make_problem(problem: str | Problem, **options: Any) -> Problem:
    """Problem with a name; one that is given as an object, or inside a `Benchmark`, is passed through."""
    if not isinstance(problem, str):
        if options:
            raise InvalidOption(f"options go with a benchmark's name, not with a problem: {', '.join(options)}")
        return getattr(problem, "problem", problem)
    for family in families().values():
        made = family.make(problem, **options)
        if made is not None:
            return made
    raise UnknownName(f"no benchmark {problem!r}{nearest(problem, benchmarks())}; `hpo list` shows all")
