"""Classes and functions that make optimizers, criteria and problems: found by name, and checked before the call."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, Protocol

from hpo_core.errors import InvalidOption, UnknownName, nearest
from hpo_core.plugins import imported, plugins

Factory = Callable[..., Any]


class Entry(Protocol):
    """What a registry says about an optimizer or a criterion."""

    @property
    def summary(self) -> str: ...
    @property
    def paper(self) -> str: ...
    def load(self) -> Factory: ...


class PluginEntry(NamedTuple):
    """Entry of a class or function that an entry point names directly."""

    summary: str
    paper: str
    factory: Factory
    multi_fidelity: bool = False

    def load(self) -> Factory:
        """The class or function."""
        return self.factory


def entries_of(group: str, registry: str) -> dict[str, Entry]:
    """Entries of a group of entry points by name; `registry` is the method that gives those of a registry."""
    found: dict[str, Entry] = {}
    for name, loaded, _ in plugins(group):
        if hasattr(loaded, registry):
            found.update(getattr(loaded, registry)())
        else:
            found[name] = PluginEntry(first_line(loaded), "", loaded)
    return found


def find_factory(name: str, entries: Mapping[str, Entry], unknown: str) -> Factory:
    """The class or function of a listed name or of `module:attribute`.

    `unknown` is the message for any other name, with {} for the name and for a hint.
    """
    if name in entries:
        return entries[name].load()
    if ":" not in name:
        raise UnknownName(unknown.format(repr(name), nearest(name, entries)))
    return imported(name)


def check_options(
    what: str, factory: Factory, options: Mapping[str, Any], *, fixed: Sequence[str] = (), positional: int = 0
) -> None:
    """Raise `InvalidOption` for a call that the signature of a class or function does not take.

    Parameters
    ----------
    what
        What is made, as the message has it: `optimizer 'tpe'`.
    factory
        The class or function. One that takes any keyword checks its options itself.
    options
        Keyword arguments of a user.
    fixed
        Keyword arguments that are passed in any case.
    positional
        Number of arguments that are passed by position.
    """
    try:
        parameters = inspect.signature(factory).parameters
    except (TypeError, ValueError):  # of some extension types
        return
    takes_any = any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values())
    known = {
        name: parameter
        for name, parameter in list(parameters.items())[positional:]
        if parameter.kind not in (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    }
    for name in () if takes_any else fixed:
        if name not in known:
            raise InvalidOption(
                f"{what} is called with {' and '.join(fixed)} as keywords and takes no {name}; add it to its arguments"
            )
    free = [name for name in known if name not in fixed]
    for option in () if takes_any else options:
        if option not in free:
            raise InvalidOption(f"{what} has no option {option!r}{nearest(option, free) if free else '; it has none'}")
    for name in free:
        if known[name].default is inspect.Parameter.empty and name not in options:
            raise InvalidOption(f"{what} needs {name}; give it as an option")


def main_option(factory: Factory) -> str:
    """Name of the first parameter after the space."""
    names = list(inspect.signature(factory).parameters)
    if len(names) < 2:
        raise InvalidOption(f"{label(factory)!r} has no options")
    return names[1]


def label(given: object) -> str:
    """A name as it is, the name of a class or function, or that of an object's class."""
    return given if isinstance(given, str) else str(getattr(given, "__name__", type(given).__name__))


def module_of(factory: Factory, given: object) -> str:
    """Name of the module that defines a class or function, or else of the one that `given` names."""
    while isinstance(factory, partial):
        factory = factory.func
    name = getattr(factory, "__module__", None)
    return name if isinstance(name, str) else label(given).partition(":")[0]


def first_line(factory: Factory) -> str:
    """First line of a docstring, '' without one."""
    return (inspect.getdoc(factory) or "").partition("\n")[0]
