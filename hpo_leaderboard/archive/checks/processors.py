"""Which methods propose something else on another processor, or with other libraries of linear algebra.

A sum of floating-point numbers in another order is another number, and BLAS orders it by what the processor can do.
Methods that are keyed by these libraries (`experiments.code.numerics`) may differ; whether they do was measured.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

PROCESSOR_DEPENDENT: frozenset[str] = frozenset()


def bits_are_bound(said: Mapping[str, Any], here: str) -> bool:
    """Whether a run that is run again with the libraries `here` must have the same bits; `said` is its description."""
    return said.get("numerics") in (None, here)
