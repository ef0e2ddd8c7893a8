"""`Suite`: benchmarks x optimizers x seeds x limits, from a TOML file or from Python.

    name = "mine"
    version = 1                           goes up when the suite's meaning changes: no run of the old one is used
    benchmarks = ["protein", "mini-*", { name = "forrester", options = { a = 3.0 } }]
    optimizers = ["rs", { name = "re", label = "small re", options = { population = 20 } }, "my_package.search:Mine"]
    n_seeds = 20
    n_trials = 100

A name with `*`, `?` or `[` stands for every listed name that it matches, which may be none; `profet-svm/0..99` for the
hundred names with these numbers. `MODULE:ATTRIBUTE` is your own class or function.
"""

from __future__ import annotations

import json
import math
import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from fnmatch import fnmatchcase
from importlib.resources import files
from pathlib import Path
from typing import Any

from hpo_core.errors import InvalidOption, UnknownName, nearest

SUFFIX = ".toml"
NUMBERS = re.compile(r"(.*?)(\d+)\.\.(\d+)")


@dataclass(frozen=True)
class Member:
    """A benchmark or optimizer of a suite, by name, with its options and the label it is shown under."""

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)
    label: str = ""

    def __post_init__(self) -> None:
        for attribute in ("name", "label"):
            if not isinstance(getattr(self, attribute), str) or (attribute == "name" and not self.name):
                raise InvalidOption(f"{attribute} must be a non-empty string, got {getattr(self, attribute)!r}")
        try:
            text = ", ".join(f"{key}={json.dumps(value)}" for key, value in sorted(self.options.items()))
        except (TypeError, AttributeError) as error:
            raise InvalidOption(f"options of {self.name!r} must be names with JSON values: {error}") from None
        if not self.label:
            object.__setattr__(self, "label", f"{self.name}({text})" if text else self.name)


@dataclass(frozen=True)
class Suite:
    """What an experiment consists of.

    benchmarks, optimizers   each pair of them is run
    n_seeds                  runs per pair, with the seeds 0, 1, ...
    n_trials                 evaluations per run; where a benchmark has several budgets, a run may instead take the
                             seconds that so many evaluations at the full budget take on average
    max_cost                 seconds on a run's clock, None for no limit
    workers                  evaluations at the same time, on a run's simulated clock
    version                  part of every run's key
    """

    name: str
    benchmarks: tuple[Member, ...]
    optimizers: tuple[Member, ...]
    n_seeds: int = 20
    n_trials: int | None = 100
    max_cost: float | None = None
    workers: int = 1
    version: int = 1

    def __post_init__(self) -> None:
        for name in ("n_seeds", "n_trials", "workers", "version"):
            value = getattr(self, name)
            if value is None and name == "n_trials" and self.max_cost is not None:
                continue
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise InvalidOption(f"{name} of a suite must be an integer >= 1, got {value!r}")
        cost = self.max_cost
        if cost is not None and not (isinstance(cost, (int, float)) and 0 < cost < math.inf):
            raise InvalidOption(f"max_cost of a suite must be a finite number of seconds above 0, got {cost!r}")
        for kind in ("benchmarks", "optimizers"):
            labels = [member.label for member in getattr(self, kind)]
            if not labels:
                raise InvalidOption(f"suite {self.name!r} needs {kind}, got none")
            twice = sorted({label for label in labels if labels.count(label) > 1})
            if twice:
                raise InvalidOption(f"{kind} of a suite need different labels, {', '.join(twice)} stand there twice")


def make_suite(
    name: str,
    benchmarks: Iterable[str | Mapping[str, Any] | Member],
    optimizers: Iterable[str | Mapping[str, Any] | Member],
    **limits: Any,
) -> Suite:
    """Suite whose members are names, or mappings with `name`, `options` and `label`.

    Examples
    --------
    >>> from hpo_leaderboard.experiments.suite import make_suite
    >>> suite = make_suite("mine", ["branin"], ["rs", {"name": "re", "options": {"population": 20}}], n_seeds=5)
    >>> [member.label for member in suite.optimizers]
    ['rs', 're(population=20)']
    """
    known = [f.name for f in fields(Suite)]
    for limit in limits:
        if limit not in known:
            raise InvalidOption(f"a suite has no {limit!r}{nearest(limit, known)}")
    return Suite(name, _members(benchmarks), _members(optimizers), **limits)


def _members(entries: Iterable[str | Mapping[str, Any] | Member]) -> tuple[Member, ...]:
    if isinstance(entries, str):
        raise InvalidOption(f"a suite takes lists of benchmarks and optimizers, got {entries!r}; write [{entries!r}]")
    return tuple(member for entry in entries for member in _numbered(_member(entry)))


def _numbered(member: Member) -> list[Member]:
    """The members that a name such as profet-svm/0..99 stands for; any other name stands for itself."""
    match = NUMBERS.fullmatch(member.name)
    if match is None:
        return [member]
    stem, first, last = match[1], int(match[2]), int(match[3])
    if first > last or member.label != Member(member.name, member.options).label:
        raise InvalidOption(f"{member.name!r} must count upwards and takes no label")
    return [Member(f"{stem}{number}", member.options) for number in range(first, last + 1)]


def _member(entry: str | Mapping[str, Any] | Member) -> Member:
    if isinstance(entry, Member):
        return entry
    if isinstance(entry, str):
        return Member(entry)
    for key in entry:
        if key not in ("name", "options", "label"):
            raise InvalidOption(f"an entry of a suite has name, options and label, got {key!r}")
    if "name" not in entry:
        raise InvalidOption(f"an entry of a suite needs a name, got {dict(entry)!r}")
    return Member(**entry)


def built_in_suites() -> list[str]:
    """Names of the suites that come with the package."""
    folder = files("hpo_leaderboard") / "suites"
    return sorted(item.name.removesuffix(SUFFIX) for item in folder.iterdir() if item.name.endswith(SUFFIX))


def open_suite(name: str | os.PathLike[str]) -> Suite:
    """Suite by the name of a built-in one, or by the path of a TOML file."""
    text = os.fspath(name)
    if text in built_in_suites():
        content = (files("hpo_leaderboard") / "suites" / f"{text}{SUFFIX}").read_text(encoding="utf-8")
    elif text.endswith(SUFFIX):
        content = Path(text).read_text(encoding="utf-8")
    else:
        known = built_in_suites()
        raise UnknownName(f"no suite {text!r}{nearest(text, known)}; a suite of your own is a file NAME{SUFFIX}")
    try:
        data = tomllib.loads(content)
    except tomllib.TOMLDecodeError as error:
        raise InvalidOption(f"{text} is not a TOML file: {error}") from None
    missing = [key for key in ("benchmarks", "optimizers") if key not in data]
    if missing:
        raise InvalidOption(f"{text} needs {' and '.join(missing)}")
    data.setdefault("name", Path(text).name.removesuffix(SUFFIX))
    if "max_cost" in data:
        data.setdefault("n_trials", None)  # TOML has no word for None, and a suite may be limited by cost alone
    return make_suite(**data)


def changed(suite: Suite, **changes: Any) -> Suite:
    """The suite with some of its fields replaced; None leaves a field as it is."""
    given = {key: value for key, value in changes.items() if value is not None}
    for kind in ("benchmarks", "optimizers"):
        if kind in given:
            given[kind] = _members(given[kind])
    return replace(suite, **given)


def expand(members: Iterable[Member], listed: Iterable[str]) -> tuple[Member, ...]:
    """Members with every pattern replaced by the listed names that it matches and that do not stand there already."""
    members, names = tuple(members), tuple(listed)
    taken = {member.label for member in members}
    expanded: list[Member] = []
    for member in members:
        if not set(member.name) & set("*?["):
            expanded.append(member)
            continue
        for name in names:
            match = Member(name, member.options)
            if fnmatchcase(name, member.name) and match.label not in taken:
                taken.add(match.label)
                expanded.append(match)
    return tuple(expanded)
