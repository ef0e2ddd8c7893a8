"""Checks of the numbers that criteria take as options."""

from __future__ import annotations

import sys
from numbers import Real

from hpo_core.errors import InvalidOption

MOST = 2**53
LARGEST = sys.float_info.max


def whole(option: str, value: object, lowest: int) -> int:
    """`value` as an int, if it is a whole number that is not below the lowest."""
    if isinstance(value, Real) and not isinstance(value, bool) and lowest <= value < MOST and value == int(value):
        return int(value)
    raise InvalidOption(f"{option} must be a whole number >= {lowest}, got {value!r}")


def positive(option: str, value: object) -> float:
    """`value` as a float, if it is a finite number above 0."""
    if isinstance(value, Real) and not isinstance(value, bool) and 0.0 < value <= LARGEST:
        return float(value)
    raise InvalidOption(f"{option} must be a finite number above 0, got {value!r}")
