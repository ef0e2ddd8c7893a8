"""Checks of what an optimizer is built from, with the optimizer's name in the message."""

from __future__ import annotations

import numpy as np

from hpo_core.errors import InvalidOption


def count(name: str, value: object, least: int = 1) -> int:
    """`value` as an int of at least `least`."""
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool) and value >= least:
        return int(value)
    raise InvalidOption(f"{name} must be an integer >= {least}, got {value!r}")


def number(name: str, value: object, low: float, high: float) -> float:
    """`value` as a float in [low, high]; raises `InvalidOption` otherwise.

    Parameters
    ----------
    name
        Of the option, for the message.
    value
        What the caller passed.
    low, high
        Bounds, both allowed.

    Returns
    -------
    float
        The value.
    """
    if isinstance(value, (int, float, np.number)) and not isinstance(value, bool) and low <= value <= high:
        return float(value)
    raise InvalidOption(f"{name} must be a number in [{low:g}, {high:g}], got {value!r}")
