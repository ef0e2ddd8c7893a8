"""Other people's libraries: imported when needed, kept quiet, and given the options of a user."""

from __future__ import annotations

import inspect
import logging
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import version
from typing import Any

from hpo_core.errors import HpoError, InvalidOption, MissingExtra


def required(module: str, extra: str) -> Any:
    """The module; raises `MissingExtra` if it, or something that it needs itself, is not installed."""
    with quiet(module):
        try:
            return import_module(module)
        except ImportError as error:
            raise MissingExtra(error.name or module, extra) from error


def versions(*distributions: str) -> str:
    """Names and versions of installed packages, such as 'optuna 5.0.0, cmaes 0.13.1'."""
    return ", ".join(f"{distribution} {version(distribution)}" for distribution in distributions)


def keywords(function: Callable[..., Any], taken: Sequence[str] = ()) -> list[str]:
    """Names of the arguments of a library's function or class, but for those that the adapter gives itself."""
    return [name for name in inspect.signature(function).parameters if name not in taken]


def check_known(name: str, options: Mapping[str, Any], library: str, known: Sequence[str]) -> None:
    """Raise `InvalidOption` for an option of the optimizer `name` that its library does not know."""
    for option in options:
        if option not in known:
            raise InvalidOption(f"optimizer {name!r} has no option {option!r}; {library} takes {', '.join(known)}")


@contextmanager
def explained(name: str, options: Mapping[str, Any]) -> Iterator[None]:
    """Have a library's refusal of options raised as `InvalidOption`, with its own words."""
    try:
        yield
    except HpoError:
        raise
    except Exception as error:
        if not options:
            raise
        given = ", ".join(f"{option}={value!r}" for option, value in options.items())
        raise InvalidOption(f"optimizer {name!r} refuses {given}: {type(error).__name__}: {error}") from error


@contextmanager
def quiet(name: str) -> Iterator[None]:
    """Keep back warnings, and what the named logger says below an error, for as long as the block runs."""
    logger = logging.getLogger(name)
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(level)
