"""Exceptions of HPO Foundry: each says the rule, what was received, and the way out.

Every class is an `HpoError` and also the built-in exception a caller would expect (`ValueError`, `KeyError`...),
so both `except HpoError` and `except ValueError` work.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class HpoError(Exception):
    """Root of all exceptions raised on purpose."""


class InvalidConfig(HpoError, ValueError):
    """A configuration outside its space."""


class InvalidBudget(HpoError, ValueError):
    """A budget that the benchmark cannot be evaluated at."""


class InvalidSeed(HpoError, ValueError):
    """A seed that is neither None nor a non-negative integer."""


class InvalidSpace(HpoError, ValueError):
    """Hyperparameters that do not make up a space."""


class InvalidPrior(HpoError, ValueError):
    """A prior that does not go with its space."""


class UnsupportedSpace(HpoError, ValueError):
    """A space that is valid but that this operation cannot take."""


class InvalidProblem(HpoError, TypeError):
    """An object that does not fulfil the `Problem` protocol."""


class InvalidOption(HpoError, ValueError):
    """An option that is unknown or out of its range."""


class UnknownName(HpoError, KeyError):
    """A name that nothing is registered under."""

    def __str__(self) -> str:  # KeyError would print the repr of the message
        return str(self.args[0])


class NameTaken(HpoError, ValueError):
    """A name that comes with the package, for something of the user's own."""


class NotRecorded(HpoError, LookupError):
    """A budget or metric that a table does not hold."""


class NoSuccess(HpoError, LookupError):
    """A run without a trial that succeeded, where one is asked for."""


class DamagedFile(HpoError, OSError):
    """A file that is truncated, altered, of another format or of a newer version."""


class CannotWrite(HpoError, OSError):
    """A file that cannot be written where the caller asked for it."""


class CacheUnavailable(HpoError, OSError):
    """A cache directory that cannot be written."""


class MissingExtra(HpoError, ImportError):
    """A dependency that is not installed: one of an extra, or without `extra` one of the project itself."""

    def __init__(self, module: str, extra: str | None = None):
        wanted = module if extra is None else f'"hpo-foundry[{extra}]"'
        super().__init__(f"{module} is needed here and not installed: pip install {wanted}")


def nearest(name: object, names: Iterable[str]) -> str:
    """Hint that names what `name` may have been meant to be, or all of a short list, as a clause to append."""
    known = list(names)
    close = get_close_matches(str(name), known, n=3, cutoff=0.5)
    if close:
        return "; did you mean " + " or ".join(close) + "?"
    return "; known: " + ", ".join(known) if len(known) <= 12 else ""
