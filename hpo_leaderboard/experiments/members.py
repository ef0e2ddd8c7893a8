"""`Member`: a benchmark or an optimizer of a suite, and the entries that stand for one or several."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from fnmatch import fnmatchcase
from itertools import product
from typing import Any

from baselines.adapters.parts.peer_names import full_name, is_peer, short_name
from hpo_core.errors import InvalidOption, nearest
from hpo_leaderboard.experiments.naming import check_label

NUMBERS = re.compile(r"([0-9]{1,18})\.\.([0-9]{1,18})")
MOST_TRIALS = 10**9
MOST_SEEDS = 10**6
LONGEST = 1e300  # seconds; an integer may be more than any float
MOST_NUMBERED = 100_000  # members that one entry stands for
Entry = str | Mapping[str, Any]


@dataclass(frozen=True)
class Member:
    """A benchmark or optimizer of a suite, by name, with its options and the label it is shown under.

    A benchmark may have limits of its own, `n_trials` and `max_cost`. If it has one of the two, the suite's limits do
    not apply to it. An optimizer may have `n_seeds`: it runs with the first so many of the suite's seeds.
    """

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)
    label: str = ""
    n_trials: int | None = None
    max_cost: float | None = None
    n_seeds: int | None = None

    def __post_init__(self) -> None:
        for attribute in ("name", "label"):
            if not isinstance(getattr(self, attribute), str) or (attribute == "name" and not self.name):
                raise InvalidOption(f"{attribute} must be a non-empty string, got {getattr(self, attribute)!r}")
        try:
            text = ", ".join(f"{key}={json.dumps(value)}" for key, value in sorted(self.options.items()))
        except (TypeError, AttributeError, ValueError, RecursionError) as error:
            raise InvalidOption(f"options of {self.name!r} must be names with JSON values: {error}") from None
        if not self.label:
            shown = short_name(self.name)
            object.__setattr__(self, "label", f"{shown}({text})" if text else shown)
        check_label("the name of a benchmark or optimizer", self.name)
        check_label("the label of a benchmark or optimizer", self.label)
        check_limits(self.label, self.n_trials, self.max_cost)
        if self.n_seeds is not None and not _is_count(self.n_seeds, MOST_SEEDS):
            raise InvalidOption(
                f"n_seeds of {self.label} must be an integer >= 1 and <= {MOST_SEEDS:,}, got {self.n_seeds!r}"
            )

    @property
    def has_limits(self) -> bool:
        return self.n_trials is not None or self.max_cost is not None


def check_limits(where: str, n_trials: object, max_cost: object) -> None:
    """Raise `InvalidOption` for limits that are none; None is no limit."""
    if n_trials is not None and not _is_count(n_trials, MOST_TRIALS):
        raise InvalidOption(f"n_trials of {where} must be an integer >= 1 and <= {MOST_TRIALS:,}, got {n_trials!r}")
    is_cost = isinstance(max_cost, (int, float)) and not isinstance(max_cost, bool) and 0 < max_cost <= LONGEST
    if max_cost is not None and not is_cost:
        raise InvalidOption(f"max_cost of {where} must be a finite number of seconds above 0, got {max_cost!r}")


def _is_count(value: object, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= most


def members_of(entries: Iterable[Entry | Member]) -> tuple[Member, ...]:
    """Members that are given as such, by name, or as a mapping with the fields of `Member`."""
    if isinstance(entries, (str, Mapping)) or not isinstance(entries, Iterable):
        raise InvalidOption(f"a suite takes lists of benchmarks and optimizers, got {entries!r}; write [{entries!r}]")
    return tuple(member for entry in entries for member in _numbered(_member(entry)))


def optimizers_of(entries: Iterable[Entry | Member]) -> tuple[Member, ...]:
    """The same of optimizers: peer processes have their full names, by which any process finds them."""
    return tuple(replace(member, name=full_name(member.name)) for member in members_of(entries))


def with_prior(member: Member, prior: str) -> Member:
    """The benchmark with a prior as its option, and in its label unless that was given."""
    is_given = member.label != Member(member.name, member.options).label
    return replace(member, options={**member.options, "prior": prior}, label=member.label if is_given else "")


def _numbered(member: Member) -> list[Member]:
    """The members that a name such as profet-svm/0..99 stands for; any other name stands for itself.

    Each span stands for its numbers: bbob/f1..24-i1..5-d5 are 120 names.
    """
    stem, *spans = NUMBERS.split(member.name)
    if not spans:
        return [member]
    ranges = [range(int(first), int(last) + 1) for first, last in zip(spans[0::3], spans[1::3], strict=True)]
    if not all(ranges) or member.label != Member(member.name, member.options).label:
        raise InvalidOption(f"{member.name!r} must count upwards and takes no label")
    n_names = math.prod(map(len, ranges))
    if n_names > MOST_NUMBERED:
        raise InvalidOption(f"{member.name!r} must stand for at most {MOST_NUMBERED:,} names, got {n_names:,}")
    names = [
        stem + "".join(f"{number}{rest}" for number, rest in zip(numbers, spans[2::3], strict=True))
        for numbers in product(*ranges)
    ]
    return [replace(member, name=name, label="") for name in names]


def _member(entry: Entry | Member) -> Member:
    if isinstance(entry, Member):
        return entry
    if isinstance(entry, str):
        return Member(entry)
    known = [f.name for f in fields(Member)]
    if not isinstance(entry, Mapping):
        raise InvalidOption(f"an entry of a suite is a name, or a table with {', '.join(known)}, got {entry!r}")
    for key in entry:
        if key not in known:
            raise InvalidOption(f"an entry of a suite has {', '.join(known)}, got {key!r}{nearest(str(key), known)}")
    if "name" not in entry:
        raise InvalidOption(f"an entry of a suite needs a name, got {dict(entry)!r}")
    return Member(**entry)


def expand(members: Iterable[Member], listed: Iterable[str]) -> tuple[Member, ...]:
    """Members with every pattern replaced by the listed names that it matches and that do not stand there already."""
    members, names = tuple(members), tuple(listed)
    taken = {member.label for member in members}
    expanded: list[Member] = []
    for member in members:
        if not set(member.name) & set("*?[") or is_peer(member.name):
            expanded.append(member)
            continue
        for name in names:
            match = replace(member, name=name, label="")
            if fnmatchcase(name, member.name) and match.label not in taken:
                taken.add(match.label)
                expanded.append(match)
    return tuple(expanded)
