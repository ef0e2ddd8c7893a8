"""Checks of what a file says: each returns the value or raises `ValueError` with the field's name.

A reader of files checks every field that it uses, and turns the error into a `DamagedFile` with the file's name.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")
MOST_TEXT = 10_000  # characters
MOST_DEPTH = 20  # of lists and objects inside of one another
MOST_BUDGETS = 1_000_000


def json_object(text: str | bytes, name: str = "it") -> dict[str, Any]:
    """The object of a JSON text, of which nothing lies deeper than a person would write it."""
    try:
        found = json.loads(text)
    except RecursionError:
        raise ValueError(f"{name} has lists or objects inside of one another without end") from None
    return mapping(found, name)


def text(value: object, name: str, most: int = MOST_TEXT) -> str:
    """A text."""
    if not isinstance(value, str) or len(value) > most:
        raise ValueError(f"{name} must be a text of at most {most:,} characters, got {_shown(value)}")
    if not _encodes(value):
        raise ValueError(f"{name} must be a text of whole characters, got {_shown(value)}")
    return value


def number(value: object, name: str, low: float = -math.inf, high: float = math.inf) -> float | int:
    """A finite number from low to high."""
    fits = type(value) in (int, float) and abs(value) <= sys.float_info.max  # type: ignore[arg-type]
    if not fits or not low <= value <= high:  # type: ignore[operator]
        raise ValueError(f"{name} must be a number in {low:g}..{high:g}, got {_shown(value)}")
    return value  # type: ignore[return-value]


def whole(value: object, name: str, low: int = 0, high: int = 2**63 - 1) -> int:
    """A whole number from low to high."""
    if type(value) is not int or not low <= value <= high:
        raise ValueError(f"{name} must be a whole number in {low}..{high}, got {_shown(value)}")
    return value


def truth(value: object, name: str) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise ValueError(f"{name} must be true or false, got {_shown(value)}")
    return value


def items(value: object, name: str, most: int = 1_000_000) -> list[Any]:
    """A list."""
    if not isinstance(value, list) or len(value) > most:
        raise ValueError(f"{name} must be a list of at most {most:,} items, got {_shown(value)}")
    return value


def mapping(value: object, name: str) -> dict[str, Any]:
    """An object with plain data in it."""
    if not isinstance(value, dict):
        raise ValueError(f"{name} must be an object, got {_shown(value)}")
    _check_plain(value, name, 0)
    return value


def texts(value: object, name: str) -> dict[str, str]:
    """An object whose values are texts."""
    return {key: text(item, f"{name} of {key!r}") for key, item in mapping(value, name).items()}


def budgets(value: object, name: str = "budgets") -> Sequence[float]:
    """Ascending budgets: a list, or the ends of a range of whole numbers as {"range": [first, last]}."""
    if isinstance(value, dict):
        first, last = (whole(end, name, 1, 2**53) for end in items(value.get("range"), name, 2))
        if not 0 <= last - first < MOST_BUDGETS:
            raise ValueError(f"{name} must be 1 to {MOST_BUDGETS:,} whole numbers, got {first}..{last}")
        return range(first, last + 1)
    found = tuple(number(budget, name, 0.0) for budget in items(value, name, MOST_BUDGETS))
    if not found or found[0] <= 0 or any(a >= b for a, b in pairwise(found)):
        raise ValueError(f"{name} must be positive and ascending, got {_shown(value)}")
    return found


def finite(array: np.ndarray, name: str, shape: tuple[int | None, ...], kinds: str = "f") -> np.ndarray:
    """An array of finite numbers of a shape, in which None stands for any length."""
    fits = array.ndim == len(shape) and all(n is None or n == m for n, m in zip(shape, array.shape, strict=False))
    if not fits or array.dtype.kind not in kinds:
        raise ValueError(f"{name} must have shape {shape} and type {kinds}, got {array.shape} and {array.dtype}")
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite numbers")
    return array


def _check_plain(value: object, name: str, depth: int) -> None:
    if depth > MOST_DEPTH:
        raise ValueError(f"{name} has more than {MOST_DEPTH} lists or objects inside of one another")
    if isinstance(value, dict):
        for key, item in value.items():
            text(key, f"a name in {name}")
            _check_plain(item, name, depth + 1)
    elif isinstance(value, list):
        for item in value:
            _check_plain(item, name, depth + 1)
    elif isinstance(value, str) and not _encodes(value):
        raise ValueError(f"{name} has a text of halves of characters")


def _encodes(value: str) -> bool:
    """Whether a text can be written to a file: JSON may hold halves of characters, which cannot."""
    return value.isascii() or not any("\ud800" <= character <= "\udfff" for character in value)


def _shown(value: object) -> str:
    return ascii(value)[:60]
