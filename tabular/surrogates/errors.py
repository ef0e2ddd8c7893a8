"""Exceptions about recorded data and surrogates of them."""

from __future__ import annotations

from hpo_core.errors import HpoError


class InvalidRecords(HpoError, ValueError):
    """Recorded evaluations that cannot become a benchmark."""


class WeakSurrogate(HpoError, ValueError):
    """A surrogate that does not rank held-out configurations well enough."""
