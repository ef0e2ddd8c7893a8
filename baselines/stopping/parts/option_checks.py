"""Checks of the numbers that criteria take as options."""

from __future__ import annotations

import sys
from numbers import Real
from typing import Any

from hpo_core.errors import InvalidOption

MOST = 2**53
LARGEST = sys.float_info.max


def whole(option: str, value: Any, lowest: int) -> int:
    """`value` as an int, if it is a whole number that is not below the lowest."""
    is_real = isinstance(value, Real) and not isinstance(value, bool)
    if is_real and lowest <= value < MOST and value == int(value):
        return int(value)
    raise InvalidOption(f"{option} must be a whole number >= {lowest}, got {value!r}")


def positive(option: str, value: Any) -> float:
    """`value` as a float, if it is a finite number above 0."""
    is_real = isinstance(value, Real) and not isinstance(value, bool)
    if is_real and 0.0 < value <= LARGEST:
        return float(value)
    raise InvalidOption(f"{option} must be a finite number above 0, got {value!r}")
