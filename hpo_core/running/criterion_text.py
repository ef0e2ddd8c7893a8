"""Stopping criteria as a line of text.

    TEXT    = TERM ["|" TERM ...]                  stops when any does
    TERM    = ONE ["&" ONE ...]                    when all do
    ONE     = NAME [":" VALUE {"," OPTION "=" VALUE}]

as in `regret-bound:0.001`, `cv-regret-bound:variant=paper`, `conv:30,warm_up=20 & limit:100 | limit:max_cost=3600`.
The value without a name is the criterion's main option, the first in its signature after the space. A name is a listed
one or `module:Class`, so that `my_module:Patience:30` is your own class with its main option.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container
from typing import Any, NamedTuple

from hpo_core.errors import InvalidOption

TARGET = re.compile(r"\s*([A-Za-z_][\w.]*:[A-Za-z_]\w*)\s*(?::(.*))?")
MAIN = ""  # the option that stands without a name


class CriterionTerm(NamedTuple):
    """Name and options of one criterion; the main option's value is under the name `MAIN`."""

    name: str
    options: dict[str, Any]


def parse_criteria(text: str, known: Container[str]) -> list[list[CriterionTerm]]:
    """Criteria of a text: any of the outer list, all of an inner one. `known` are the listed names."""
    return [[parse_criterion(one, known) for one in term.split("&")] for term in text.split("|")]


def parse_criterion(text: str, known: Container[str]) -> CriterionTerm:
    """The one criterion that a text without | and & describes."""
    name, _, rest = (part.strip() for part in text.partition(":"))
    target = TARGET.fullmatch(text)
    if name not in known and target is not None:
        name, rest = target[1], (target[2] or "").strip()
    options: dict[str, Any] = {}
    for i, part in enumerate(rest.split(",") if rest else []):
        option, separator, value = (word.strip() for word in part.partition("="))
        if not separator:
            if i > 0 or not option:
                raise InvalidOption(f"options of a criterion are written NAME=VALUE, got {part!r} in {text.strip()!r}")
            option, value = MAIN, option
        if option in options:
            raise InvalidOption(f"option {option!r} is given twice in {text.strip()!r}")
        options[option] = _value(value)
    return CriterionTerm(name, options)


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
