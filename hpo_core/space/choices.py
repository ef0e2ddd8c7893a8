"""Hyperparameters with listed values: `Ordinal`, `Categorical` and `Constant`; `isinstance(h, Choice)` is true of each.

Their code is the index among the values. What the three share are the functions below, which each class takes up as
its methods.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from hpo_core.errors import InvalidConfig, InvalidSpace

Value = Any  # str, int, float, bool or None
BOOLEANS = frozenset({bool, np.bool_})


class Checked(Protocol):
    """A hyperparameter as far as its default is concerned."""

    @property
    def default(self) -> Value: ...
    def code(self, value: Value) -> float: ...


def settle_default(hyperparameter: Checked, fallback: Value) -> None:
    """Check the default, or set it to the fallback if it is None; always explicit, so that a conversion keeps it."""
    if hyperparameter.default is None:
        object.__setattr__(hyperparameter, "default", fallback)
    try:
        hyperparameter.code(hyperparameter.default)
    except InvalidConfig as error:
        raise InvalidSpace(f"default of {error}") from None


class Listed(Protocol):
    """What the shared methods need to know of a hyperparameter."""

    @property
    def name(self) -> str: ...
    @property
    def values(self) -> Sequence[Value]: ...
    @property
    def indices(self) -> dict[Hashable, int]: ...
    @property
    def size(self) -> int: ...
    @property
    def rule(self) -> str: ...


def _rule(values: Sequence[Value]) -> str:
    return "one of " + ", ".join(map(repr, values))


def _code(self: Listed, value: Value) -> int:
    try:
        index = self.indices.get((bool, bool(value)) if value.__class__ in BOOLEANS else value)
    except TypeError:  # unhashable
        if isinstance(value, np.ndarray) and value.ndim == 0:
            return _code(self, value[()])
        index = None
    if index is None:
        index = _rounded(self.values, value)
    if index is None:
        raise InvalidConfig(f"hyperparameter {self.name!r} must be {self.rule}, got {value!r}")
    return index


def _value(self: Listed, code: float) -> Value:
    return self.values[int(code)]


def _to_unit(self: Listed, codes: np.ndarray) -> np.ndarray:
    return (codes + 0.5) / self.size


def _from_unit(self: Listed, unit: np.ndarray) -> np.ndarray:
    return np.clip(np.floor(unit * self.size), 0, self.size - 1)


def _draw(self: Listed, u: float) -> Value:
    """Value at `u` in [0, 1)."""
    values = self.values
    return values[min(int(u * len(values)), len(values) - 1)]


@dataclass(frozen=True)
class Ordinal:
    """One of some values whose order means something, such as 16, 32, 64; the default is the middle one."""

    name: str
    values: Sequence[Value]
    default: Value = None
    indices: dict[Hashable, int] = field(init=False, repr=False, compare=False)
    kind = "ordinal"
    weights = None

    def __post_init__(self) -> None:
        _settle_values(self)
        settle_default(self, self.values[len(self.values) // 2])

    @property
    def size(self) -> int:
        return len(self.values)

    @property
    def rule(self) -> str:
        return _rule(self.values)

    code, value, to_unit, from_unit, draw = _code, _value, _to_unit, _from_unit, _draw


@dataclass(frozen=True)
class Categorical:
    """One of some values without an order.

    Parameters
    ----------
    name
        Key of the value in a configuration.
    values
        Different from each other: strings, numbers, bools or None.
    default
        The first value if None.
    weights
        Probabilities of the values in a random sample, up to a factor; equal if None.
    """

    name: str
    values: Sequence[Value]
    default: Value = None
    weights: Sequence[float] | None = None
    indices: dict[Hashable, int] = field(init=False, repr=False, compare=False)
    kind = "categorical"

    def __post_init__(self) -> None:
        _settle_values(self)
        if self.weights is not None:
            object.__setattr__(self, "weights", _probabilities(self.name, self.weights, self.size))
        settle_default(self, self.values[0])

    @property
    def size(self) -> int:
        return len(self.values)

    @property
    def rule(self) -> str:
        return _rule(self.values)

    code, value, to_unit, from_unit = _code, _value, _to_unit, _from_unit

    def draw(self, u: float) -> Value:
        """Value at `u` in [0, 1)."""
        if self.weights is None:
            return _draw(self, u)
        index = int(np.searchsorted(np.cumsum(self.weights), u, side="right"))
        return self.values[min(index, self.size - 1)]


@dataclass(frozen=True, init=False, repr=False)
class Constant:
    """A single value; not a categorical of one value, because ConfigSpace keeps the two apart too."""

    name: str
    values: Sequence[Value]
    default: Value
    indices: dict[Hashable, int] = field(repr=False, compare=False)
    kind = "constant"
    weights = None

    def __init__(self, name: str, value: Value):
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "values", (value,))
        object.__setattr__(self, "default", value)
        _settle_values(self)

    def __repr__(self) -> str:
        return f"Constant(name={self.name!r}, value={self.values[0]!r})"

    @property
    def size(self) -> int:
        return len(self.values)

    @property
    def rule(self) -> str:
        return _rule(self.values)

    code, value, to_unit, from_unit, draw = _code, _value, _to_unit, _from_unit, _draw


Choice = Ordinal | Categorical | Constant


def _settle_values(choice: Choice) -> None:
    """Make the values a tuple of Python's own types and number them."""
    if not isinstance(choice.values, Iterable):
        raise InvalidSpace(f"values of {choice.name!r} must be a list, got {choice.values!r:.60}")
    values = tuple(value.item() if isinstance(value, np.generic) else value for value in choice.values)
    object.__setattr__(choice, "values", values)
    object.__setattr__(choice, "indices", _value_indices(choice.name, values))


def _probabilities(name: str, weights: Sequence[float], size: int) -> tuple[float, ...]:
    try:
        array = np.asarray(weights, dtype=float)
    except (TypeError, ValueError, OverflowError):
        array = np.full(size, np.nan)
    if array.shape != (size,) or not np.isfinite(array).all() or (array < 0).any() or array.sum() <= 0:
        raise InvalidSpace(f"categorical {name!r} needs one weight >= 0 per value, not all 0, got {weights!r}")
    total = array.sum()
    return tuple((array if abs(total - 1) < 1e-12 else array / total).tolist())  # probabilities stay as they are


def _value_indices(name: str, values: tuple[Value, ...]) -> dict[Hashable, int]:
    """Index of each value; 1 and 1.0 are one value, as in Python, but a bool never stands for 0 or 1."""
    if not values:
        raise InvalidSpace(f"{name!r} needs at least one value")
    try:
        n_different = len(set(values))
    except TypeError:
        raise InvalidSpace(f"values of {name!r} must be hashable (str, number, bool, None), got {values!r}") from None
    if n_different != len(values):
        raise InvalidSpace(f"values of {name!r} must differ from each other, got {values!r}")
    return {(bool, value) if value.__class__ in BOOLEANS else value: index for index, value in enumerate(values)}


def _rounded(values: Sequence[Value], value: Value) -> int | None:
    """Index of the float that a float32 or float16 is the rounded form of, or None."""
    if isinstance(value, np.floating) and value.itemsize < 8:
        for index, candidate in enumerate(values):
            if isinstance(candidate, float) and value == value.__class__(candidate):
                return index
    return None
