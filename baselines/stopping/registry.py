"""Names of the criteria, what to say about each, and how to build one, also from a line of text.

    SPEC    = TERM ["|" TERM ...]                  stops when any does
    TERM    = ONE ["&" ONE ...]                    when all do
    ONE     = NAME [":" VALUE {"," OPTION "=" VALUE}]

as in `regret-bound:0.001`, `cv-regret-bound:variant=paper`, `conv:30,warm_up=20 & limit:100 | limit:max_cost=3600`.
The value without a name is the criterion's main option, the first in its signature after the space.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from functools import reduce
from importlib import import_module
from typing import Any, NamedTuple

from baselines.stopping.parts.joined import Criterion, all_of, any_of
from hpo_core.errors import InvalidOption, UnknownName, nearest
from hpo_core.space import Space


class CriterionEntry(NamedTuple):
    """One line about a criterion, its paper, and `module:attribute` of the function or class that makes it."""

    summary: str
    paper: str
    target: str

    def load(self) -> Callable[..., Criterion]:
        """What makes the criterion, called with a space and options."""
        module, _, attribute = self.target.partition(":")
        return getattr(import_module(f"baselines.stopping.{module}"), attribute)


_MAKAROVA = "Makarova et al. (2022)"
_ENTRIES = {
    "limit": CriterionEntry("a number of trials, or of seconds", "", "limit:Limit"),
    "conv": CriterionEntry("no better incumbent for a number of trials", _MAKAROVA, "conv:Convergence"),
    "ei": CriterionEntry(
        "the expected improvement is below a threshold",
        "Nguyen et al. (2017)",
        "ei:expected_improvement",
    ),
    "pi": CriterionEntry(
        "an improvement is less probable than a threshold",
        "Lorenz et al. (2016)",
        "pi:probability_of_improvement",
    ),
    "regret-bound": CriterionEntry(
        "the bound on the regret is below a threshold", _MAKAROVA, "regret_bound:RegretBound"
    ),
    "cv-regret-bound": CriterionEntry(
        "the bound on the regret is below the error of cross-validation", _MAKAROVA, "cv_regret_bound:CVRegretBound"
    ),
}
_ALIASES = {"budget": "limit"}  # accepted and not listed


def criteria() -> dict[str, CriterionEntry]:
    """Criteria by name, each with one line and its paper."""
    return dict(_ENTRIES)


def criterion(spec: str, space: Space, **options: Any) -> Criterion:
    """The criterion that a text describes, on a space.

    Parameters
    ----------
    spec
        A name of `criteria()`, or a line of text as in the module's head.
    space
        What the run searches, `benchmark.space`.
    options
        Keyword arguments of a single criterion: `criterion("regret-bound", space, threshold=0.001)`.

    Examples
    --------
    >>> from hpo_core import Benchmark, run
    >>> from baselines import criterion
    >>> b = Benchmark("branin")
    >>> run(b, "rs", n_trials=None, stop=criterion("conv:20 | limit:200", b.space)).reason
    'conv: no better loss in the last 20 trials, patience 20'
    """
    if options and ("|" in spec or "&" in spec):
        raise InvalidOption(f"options go with one criterion, {spec!r} joins several; write them into the text")
    if options:
        return _parse(spec, space, options)
    terms = [[_parse(one, space, {}) for one in term.split("&")] for term in spec.split("|")]
    return reduce(any_of, [reduce(all_of, term) for term in terms])


def _parse(text: str, space: Space, given: dict[str, Any]) -> Criterion:
    name, _, rest = text.strip().partition(":")
    options = dict(given)
    for i, part in enumerate(rest.split(",") if rest else []):
        option, separator, value = (word.strip() for word in part.partition("="))
        if not separator:
            if i > 0 or not option:
                raise InvalidOption(f"options of a criterion are written NAME=VALUE, got {part!r} in {text.strip()!r}")
            option, value = _main_option(name), option
        if option in options:
            raise InvalidOption(f"option {option!r} is given twice in {text.strip()!r}")
        options[option] = _value(value)
    return _make(name, space, options)


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _make(name: str, space: Space, options: dict[str, Any]) -> Criterion:
    factory = _entry(name).load()
    parameters = list(inspect.signature(factory).parameters.values())[1:]
    known = [parameter.name for parameter in parameters]
    for option in options:
        if option not in known:
            raise InvalidOption(f"criterion {name!r} has no option {option!r}{nearest(option, known)}")
    for parameter in parameters:
        if parameter.default is inspect.Parameter.empty and parameter.name not in options:
            raise InvalidOption(f"criterion {name!r} needs {parameter.name}, as in {name}:0.001")
    return factory(space, **options)


def _main_option(name: str) -> str:
    return list(inspect.signature(_entry(name).load()).parameters)[1]


def _entry(name: str) -> CriterionEntry:
    try:
        return _ENTRIES[_ALIASES.get(name, name)]
    except KeyError:
        raise UnknownName(f"no stopping criterion {name!r}{nearest(name, _ENTRIES)}") from None
