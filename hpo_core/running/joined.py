"""Criteria joined by | and &."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from hpo_core.factories import label
from hpo_core.running.trial import Trial


class Criterion(Protocol):
    """A stopping criterion, a function of the completed trials.

    Calling it gives the reason to stop, or None. `status` says in words where it stands, also while it cannot decide.
    `first | second` stops as soon as one of them does, `first & second` once both do.
    """

    def __call__(self, trials: Sequence[Trial]) -> str | None: ...
    def status(self, trials: Sequence[Trial]) -> str: ...
    def __or__(self, other: Criterion) -> AnyOf: ...
    def __and__(self, other: Criterion) -> AllOf: ...


def any_of(first: Criterion, second: Criterion) -> AnyOf:
    """Criterion that stops as soon as one of two does; the operator |."""
    return AnyOf(first, second)


def all_of(first: Criterion, second: Criterion) -> AllOf:
    """Criterion that stops once both of two do; the operator &."""
    return AllOf(first, second)


class AnyOf:
    """Stops with the first of its criteria that does."""

    def __init__(self, first: Criterion, second: Criterion):
        self.members = (first, second)

    def __call__(self, trials: Sequence[Trial]) -> str | None:
        for member in self.members:
            reason = member(trials)
            if reason is not None:
                return reason
        return None

    def status(self, trials: Sequence[Trial]) -> str:
        """Where each stands."""
        return " | ".join(status_of(member, trials) for member in self.members)

    __or__ = any_of
    __and__ = all_of


class AllOf:
    """Stops when all of its criteria do, at the same trial."""

    def __init__(self, first: Criterion, second: Criterion):
        self.members = (first, second)

    def __call__(self, trials: Sequence[Trial]) -> str | None:
        reasons: list[str] = []
        for member in self.members:
            reason = member(trials)
            if reason is None:
                return None
            reasons.append(reason)
        return " & ".join(reasons)

    def status(self, trials: Sequence[Trial]) -> str:
        """Where each stands."""
        return " & ".join(status_of(member, trials) for member in self.members)

    __or__ = any_of
    __and__ = all_of


def status_of(criterion: Criterion, trials: Sequence[Trial]) -> str:
    """Where a criterion stands; your own may be a function of the trials without `status`."""
    return criterion.status(trials) if hasattr(criterion, "status") else label(criterion)
