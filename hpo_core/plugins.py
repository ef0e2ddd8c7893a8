"""Objects that other modules provide: the entry points of installed packages, and `module:attribute`."""

from __future__ import annotations

import os
import sys
import warnings
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

from hpo_core.errors import HpoError, UnknownName, nearest


class FailedImport(HpoError, ImportError):
    """A module that is there and cannot be imported."""


class Plugin(NamedTuple):
    """What an entry point loads to, its name, and the module that it is taken from."""

    name: str
    loaded: Any
    module: str


@cache  # reading the metadata of the installed packages takes milliseconds
def plugins(group: str) -> tuple[Plugin, ...]:
    """Plugins of a group of entry points, of every installed package, by name.

    One that cannot be loaded is left out with a warning: the other packages' names keep working.
    """
    from importlib.metadata import entry_points  # 20 ms, which an import of the core does not need

    found = []
    for entry in sorted(entry_points(group=group), key=lambda entry: entry.name):
        try:
            found.append(Plugin(entry.name, entry.load(), entry.module))
        except Exception as error:
            owner = entry.dist.name if entry.dist is not None else "an installed package"
            warnings.warn(
                f"{entry.name!r} of {owner} (entry points {group}) is left out, {entry.value} cannot be loaded: "
                f"{type(error).__name__}: {error}; repair or uninstall that package",
                stacklevel=2,
            )
    return tuple(found)


def imported(target: str) -> Any:
    """The attribute of a module that `module:attribute` names."""
    name, _, attribute = target.partition(":")
    try:
        module = import_module(name)
    except HpoError:
        raise
    except (Exception, SystemExit) as error:
        raise _import_error(target, name, error) from error
    if not hasattr(module, attribute):
        public = [known for known in vars(module) if not known.startswith("_")]
        where = getattr(module, "__file__", None) or "no file"
        raise UnknownName(f"module {name!r} ({where}) has no attribute {attribute!r}{nearest(attribute, public)}")
    return getattr(module, attribute)


def _import_error(target: str, name: str, error: BaseException) -> HpoError:
    missing = error.name if isinstance(error, ModuleNotFoundError) else None
    if missing is not None and (name == missing or name.startswith(f"{missing}.")):
        return UnknownName(
            f"{target!r} is read as module:attribute, and there is no module {missing!r}; install its package, or put "
            "its directory on PYTHONPATH (the command line `hpo` also looks into the current directory)"
        )
    return FailedImport(
        f"{target!r} cannot be imported, module {name!r} fails with {type(error).__name__}: {error}; "
        f"`python -c 'import {name}'` shows where (the command line `hpo` also imports from the current directory)"
    )


def import_from_current_directory() -> None:
    """Make the modules of the current directory importable, after the installed ones; the command line calls this."""
    here = os.getcwd()
    if here not in sys.path and "" not in sys.path:
        sys.path.append(here)
