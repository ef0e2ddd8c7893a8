"""Whether an optimizer that is installed here is the one that made archived runs."""

from __future__ import annotations

from collections.abc import Collection
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as library_version

from baselines.adapters.parts.peer_names import is_peer
from hpo_core.names import needs_import
from hpo_leaderboard.archive.checks.confirmed_code import Confirmed, as_installed, shipped_confirmations
from hpo_leaderboard.experiments.identity import may_be, optimizer_version

SAME, OTHER, UNKNOWN = "same", "other", "unknown"


def compared_code(name: str, archived: str, imports: Collection[str] = (), confirmed: Confirmed | None = None) -> str:
    """Whether the optimizer of a name is here the `same` code as that of a version, `other` code, or `unknown` here.

    Code that was `confirmed` to make the same runs is the same; None for what the package says. `MODULE:ATTRIBUTE` is
    unknown unless it is one of `imports`, which are imported: an archive may name anything. The versions of libraries
    that an adapter states are compared with those that are installed; those of a peer process are compared when it is
    started.
    """
    if needs_import(name) and name not in imports:
        return UNKNOWN
    try:
        here = optimizer_version(name, None)
    except Exception:
        return UNKNOWN  # no such name, or a package that it needs is missing
    version = as_installed(archived, here, shipped_confirmations() if confirmed is None else confirmed)
    if not may_be(version, here):
        return OTHER
    return SAME if is_peer(name) else _compared_libraries(version[len(here) + 2 :])


def _compared_libraries(stated: str) -> str:
    """The same for the libraries of a text such as `optuna 5.0.0, cmaes 0.13.1`; those of other texts are not known."""
    for part in filter(None, stated.split(", ")):
        name, _, number = part.rpartition(" ")
        try:
            if name and library_version(name) != number:
                return OTHER
        except (PackageNotFoundError, ValueError):
            return UNKNOWN
    return SAME


def installed_words(name: str, imports: Collection[str] = ()) -> str:
    """Version of an optimizer here, as far as it is known before it is built; "none" where there is none."""
    if needs_import(name) and name not in imports:
        return "none"
    try:
        return optimizer_version(name, None)
    except Exception:
        return "none"
