"""Names of benchmarks, optimizers and stopping criteria, and what becomes of a name: the one resolver.

Wherever one of them is asked for, each of these will do:

    "tpe"                 a name that an installed package offers
    "my_module:Search"    a class or function of a module, which is imported
    Search                the class or function itself
    search                the finished object

A package offers names through entry points in the groups `hpo_core.benchmarks`, `hpo_core.optimizers` and
`hpo_core.criteria`. An entry point loads to a class or function, and then its own name is the name, or to a registry of
many names, an object (a module, say) with

    listing() -> {name: one line}, make(name, **options) -> Problem or None      for benchmarks, a family of them
    optimizers() -> {name: entry}                                                for optimizers
    criteria() -> {name: entry}                                                  for criteria

where `entry.summary` is one line and `entry.load()` gives the class or function. A family may also state facts about
its benchmarks that `hpo list` shows without opening them (`hpo_core.facts`). Classes and functions are called as

    make(**options)                                  and return a `Problem`
    make(space, budgets=..., seed=..., **options)    and return an `Optimizer`
    make(space, **options)                           and return a `StoppingCriterion`
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any, NamedTuple

from hpo_core.errors import InvalidOption, UnknownName, nearest
from hpo_core.factories import (
    Entry,
    Factory,
    check_options,
    entries_of,
    find_factory,
    first_line,
    label,
    main_option,
    module_of,
)
from hpo_core.plugins import imported, plugins
from hpo_core.problems.problem import Problem, check_budgets
from hpo_core.running.criterion_text import MAIN, CriterionTerm, parse_criteria, parse_criterion
from hpo_core.running.default_first import DefaultFirst, starting_space
from hpo_core.running.joined import all_of, any_of
from hpo_core.running.optimizer import Optimizer, StoppingCriterion
from hpo_core.space import Space

BENCHMARKS, OPTIMIZERS, CRITERIA = "hpo_core.benchmarks", "hpo_core.optimizers", "hpo_core.criteria"
OWN = "own"  # family of the benchmarks that are given as module:attribute, class or object


def needs_import(name: str) -> bool:
    """Whether a name is `module:attribute`, which imports the module, and so runs its code, when it is resolved.

    A name that comes from a file (a suite, a store, a run, a table) is resolved only if this is false or the user
    allowed it: else whoever wrote the file could run anything.
    """
    return ":" in name


class Listing(NamedTuple):
    """Family of a benchmark and one line about it."""

    family: str
    summary: str


class ResolvedProblem(NamedTuple):
    """A problem, its family, and the module that makes it."""

    problem: Problem
    family: str
    module: str


# --- benchmarks ------------------------------------------------------------------------------------------------------


def benchmarks() -> dict[str, Listing]:
    """Benchmarks by name, each with its family and one line.

    Examples
    --------
    >>> from hpo_core import benchmarks
    >>> benchmarks()["branin"].family
    'functions'
    """
    listed: dict[str, Listing] = {}
    for family, members, _ in plugins(BENCHMARKS):
        lines = members.listing() if hasattr(members, "listing") else {family: first_line(members)}
        listed.update({name: Listing(family, line) for name, line in lines.items()})
    return listed


def taken_names() -> set[str]:
    """Names of all benchmarks, and of the families with instances: `lcbench/3945` takes `lcbench` too."""
    names = benchmarks()
    return {*names, *(name.partition("/")[0] for name in names)}


def make_problem(problem: str | Problem | Factory, **options: Any) -> Problem:
    """Problem of a name, of a class or function that makes one, or of a `Benchmark`; a problem is passed through."""
    return resolve_problem(problem, **options).problem


def resolve_problem(problem: str | Problem | Factory, **options: Any) -> ResolvedProblem:
    """Problem as `make_problem` gives it, with its family and the module that makes it."""
    if isinstance(problem, str) and not needs_import(problem):
        return _listed_problem(problem, options)
    factory: Any = imported(problem) if isinstance(problem, str) else problem
    inner = getattr(factory, "problem", factory)  # of a Benchmark
    if not isinstance(factory, type) and hasattr(inner, "evaluate"):
        if options:
            raise InvalidOption(f"options go with a benchmark's name, not with a problem: {', '.join(options)}")
        return ResolvedProblem(inner, OWN, type(inner).__module__)
    if not callable(factory):
        return ResolvedProblem(factory, OWN, type(factory).__module__)  # `check_problem` says what it lacks
    check_options(f"benchmark {label(problem)!r}", factory, options)
    return ResolvedProblem(factory(**options), OWN, module_of(factory, problem))


def _listed_problem(name: str, options: Mapping[str, Any]) -> ResolvedProblem:
    for family, members, module in plugins(BENCHMARKS):
        if hasattr(members, "make"):
            made = members.make(name, **options)
        else:
            made = members(**options) if name == family else None
        if made is not None:
            return ResolvedProblem(made, family, module)
    raise UnknownName(f"no benchmark {name!r}{nearest(name, benchmarks())}; `hpo list` shows all")


# --- optimizers ------------------------------------------------------------------------------------------------------


def optimizers() -> dict[str, Entry]:
    """Optimizers of every installed package by name, each with one line and its paper."""
    return entries_of(OPTIMIZERS, "optimizers")


def make_optimizer(
    optimizer: str | Factory | Optimizer,
    space: Space,
    budgets: Sequence[float] = (1,),
    seed: int = 0,
    *,
    default_first: bool = False,
    **options: Any,
) -> Optimizer:
    """The optimizer on a space.

    Parameters
    ----------
    optimizer
        A name of `optimizers()`, `module:attribute`, or a class or function, which is called as
        `optimizer(space, budgets=..., seed=..., **options)`; an object with `ask` and `tell` is returned as it is.
    space
        What it searches, `benchmark.space`.
    budgets
        What an evaluation can be asked for at, ascending, `benchmark.budgets`; multi-fidelity methods need two.
    seed
        Fixes everything that the optimizer does by chance.
    default_first
        Whether the first proposal is the mode of the space's prior, or its default if there is no prior, see
        `hpo_core.running.default_first`.
    options
        Keyword arguments of the class or function.

    Returns
    -------
    Optimizer
        An object with `ask` and `tell`.
    """
    if not isinstance(default_first, bool):
        raise InvalidOption(f"default_first must be true or false, got {default_first!r:.60}")
    if _asks_and_tells(optimizer):
        given = [*options, *(["default_first"] if default_first else [])]
        if given:
            raise InvalidOption(f"options go with an optimizer's name or class, not an object: {', '.join(given)}")
        return optimizer  # type: ignore[return-value]
    factory = optimizer_factory(optimizer)
    _check_searched(space, budgets)
    check_options(f"optimizer {label(optimizer)!r}", factory, options, fixed=("budgets", "seed"), positional=1)
    searched = starting_space(space) if default_first else space
    made = factory(searched, budgets=budgets, seed=seed, **options)
    if not _asks_and_tells(made):
        raise InvalidOption(f"an optimizer must have ask and tell, {label(optimizer)!r} made {made!r}")
    return DefaultFirst(made, searched) if default_first else made


def _check_searched(space: Any, budgets: Any) -> None:
    """Raise an error for a space or for budgets that no optimizer can search."""
    if not isinstance(space, Space):
        raise InvalidOption(f"space must be a Space, as in `benchmark.space`, got {space!r:.60}")
    check_budgets(budgets, "budgets")


def optimizer_factory(optimizer: str | Factory | Optimizer) -> Factory:
    """The class or function that makes an optimizer; that of an object is its class."""
    if isinstance(optimizer, str):
        return find_factory(optimizer, optimizers(), "no optimizer {}{}; `hpo optimizers` shows all")
    if _asks_and_tells(optimizer):
        return type(optimizer)
    if not callable(optimizer):
        raise InvalidOption(
            f"optimizer must be a name, 'module:Class', a class, or an object with ask and tell, got {optimizer!r}"
        )
    return optimizer


def _asks_and_tells(thing: object) -> bool:
    return not isinstance(thing, type) and hasattr(thing, "ask") and hasattr(thing, "tell")


# --- criteria --------------------------------------------------------------------------------------------------------


def criteria() -> dict[str, Entry]:
    """Stopping criteria of every installed package by name, each with one line and its paper."""
    return entries_of(CRITERIA, "criteria")


def make_criterion(criterion: str | type | StoppingCriterion, space: Space, **options: Any) -> Any:
    """The stopping criterion on a space.

    Parameters
    ----------
    criterion
        A line of text as in `hpo_core.running.criterion_text`, of names of `criteria()` and `module:Class`; or a class,
        which is called as `criterion(space, **options)`. A function of the completed trials is returned as it is.
    space
        What the run searches, `benchmark.space`.
    options
        Keyword arguments of a single criterion: `make_criterion("regret-bound", space, threshold=0.001)`.
    """
    if isinstance(criterion, str):
        return _read_criterion(criterion, space, options)
    if isinstance(criterion, type):
        check_options(f"criterion {criterion.__name__!r}", criterion, options, positional=1)
        return criterion(space, **options)
    if not callable(criterion):
        raise InvalidOption(
            f"a criterion must be a text, a class, or a function of the completed trials, got {criterion!r}"
        )
    if options:
        raise InvalidOption(f"options go with a criterion's name or class, not an object: {', '.join(options)}")
    return criterion


def _read_criterion(text: str, space: Space, options: Mapping[str, Any]) -> Any:
    entries = criteria()
    for plugin in plugins(CRITERIA):
        aliases: Mapping[str, str] = getattr(plugin.loaded, "ALIASES", {})  # accepted and not listed
        entries.update({alias: entries[name] for alias, name in aliases.items()})
    if options and ("|" in text or "&" in text):
        raise InvalidOption(f"options go with one criterion, {text!r} joins several; write them into the text")
    if options:
        return _build(parse_criterion(text, entries), entries, space, options)
    terms = [[_build(one, entries, space, {}) for one in term] for term in parse_criteria(text, entries)]
    return reduce(any_of, [reduce(all_of, term) for term in terms])


def _build(term: CriterionTerm, entries: dict[str, Entry], space: Space, given: Mapping[str, Any]) -> Any:
    factory = find_factory(term.name, entries, "no stopping criterion {}{}; `hpo criteria` shows all")
    options = dict(given)
    for option, value in term.options.items():
        named = main_option(factory) if option == MAIN else option
        if named in options:
            raise InvalidOption(f"option {named!r} of criterion {term.name!r} is given twice")
        options[named] = value
    check_options(f"criterion {term.name!r}", factory, options, positional=1)
    return factory(space, **options)
