"""Hyperparameters: a name, the values it allows, and three ways to write one value down.

    value   what a configuration holds                    "tanh", 64, 5e-4
    code    its number: the index among the values        1, 2, 0
            (an int's is its distance from `low`; a float's is the value itself, so that nothing is rounded)
    unit    its place in [0, 1], on the log scale if asked; index k of n sits in the middle of its cell, (k + 1/2) / n

The default is the middle of the range or of an ordinal's values, and a categorical's first value, unless given.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hpo_core.errors import InvalidConfig, InvalidSpace

Value = Any  # str, int, float, bool or None
BOOLEANS = frozenset({bool, np.bool_})


def _number(name: str, value: object, rule: str) -> float | int:
    """Python number equal to `value`, which may be any real number type but not a bool, NaN or infinity."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if isinstance(value, np.generic):
        value = value.item() if value.__class__ is not np.bool_ else True
    if value.__class__ in BOOLEANS or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise InvalidConfig(f"hyperparameter {name!r} must be {rule}, got {value!r}")
    return value


@dataclass(frozen=True)
class Float:
    """Real number in [low, high], uniform or log-uniform."""

    name: str
    low: float
    high: float
    log: bool = False
    default: float | None = None
    kind = "float"
    size = math.inf

    def __post_init__(self) -> None:
        _check_bounds(self)
        object.__setattr__(self, "low", float(self.low))
        object.__setattr__(self, "high", float(self.high))
        if self.low >= self.high:
            raise InvalidSpace(f"float {self.name!r} needs low < high, got {self.low} and {self.high}")
        _settle_default(self, self.draw(0.5))

    @property
    def rule(self) -> str:
        return f"a number in [{self.low}, {self.high}]"

    def code(self, value: Value) -> float:
        number = _number(self.name, value, self.rule)
        if not self.low <= number <= self.high:
            raise InvalidConfig(f"hyperparameter {self.name!r} must be {self.rule}, got {value!r}")
        return float(number)

    def value(self, code: float) -> float:
        return float(code)

    def to_unit(self, codes: np.ndarray) -> np.ndarray:
        if self.log:
            return (np.log(codes) - math.log(self.low)) / (math.log(self.high) - math.log(self.low))
        return (codes - self.low) / (self.high - self.low)

    def from_unit(self, unit: np.ndarray) -> np.ndarray:
        if self.log:
            codes = np.exp(math.log(self.low) + unit * (math.log(self.high) - math.log(self.low)))
        else:
            codes = self.low + unit * (self.high - self.low)
        return np.clip(codes, self.low, self.high)

    def draw(self, u: float) -> float:
        """Value at `u` in [0, 1); the same as `from_unit` for one number, without numpy's overhead."""
        if self.log:
            low = math.log(self.low)
            return min(max(math.exp(low + u * (math.log(self.high) - low)), self.low), self.high)
        return min(self.low + u * (self.high - self.low), self.high)


@dataclass(frozen=True)
class Int:
    """Integer in low..high, both included, uniform or log-uniform."""

    name: str
    low: int
    high: int
    log: bool = False
    default: int | None = None
    kind = "int"

    def __post_init__(self) -> None:
        _check_bounds(self)
        if int(self.low) != self.low or int(self.high) != self.high or self.low > self.high:
            raise InvalidSpace(f"int {self.name!r} needs integers low <= high, got {self.low} and {self.high}")
        object.__setattr__(self, "low", int(self.low))
        object.__setattr__(self, "high", int(self.high))
        _settle_default(self, self.draw(0.5))

    @property
    def size(self) -> int:
        return self.high - self.low + 1

    @property
    def rule(self) -> str:
        return f"an integer in {self.low}..{self.high}"

    def code(self, value: Value) -> int:
        number = _number(self.name, value, self.rule)
        if number != int(number) or not self.low <= number <= self.high:
            raise InvalidConfig(f"hyperparameter {self.name!r} must be {self.rule}, got {value!r}")
        return int(number) - self.low

    def value(self, code: float) -> int:
        return self.low + int(code)

    def _log_range(self) -> tuple[float, float]:  # a cell of half a unit to both sides, as for the linear scale
        return math.log(self.low - 0.5), math.log(self.high + 0.5)

    def to_unit(self, codes: np.ndarray) -> np.ndarray:
        if self.log:
            low, high = self._log_range()
            return (np.log(codes + self.low) - low) / (high - low)
        return (codes + 0.5) / self.size

    def from_unit(self, unit: np.ndarray) -> np.ndarray:
        if self.log:
            low, high = self._log_range()
            codes = np.rint(np.exp(low + unit * (high - low))) - self.low
        else:
            codes = np.floor(unit * self.size)
        return np.clip(codes, 0, self.size - 1)

    def draw(self, u: float) -> int:
        if self.log:
            return self.low + int(self.from_unit(np.array(u)))
        return self.low + min(int(u * self.size), self.size - 1)


@dataclass(frozen=True)
class Choice:
    """One of some listed values; made by `Ordinal`, `Categorical` or `Constant`, which is its `kind`."""

    name: str
    values: tuple[Value, ...]
    kind: str
    default: Value = None
    weights: tuple[float, ...] | None = None
    _codes: dict[Hashable, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", tuple(self.values))
        object.__setattr__(self, "_codes", _value_codes(self.name, self.values))
        if self.weights is not None:
            object.__setattr__(self, "weights", _probabilities(self.name, self.weights, self.size))
        _settle_default(self, self.values[len(self.values) // 2 if self.kind == "ordinal" else 0])

    @property
    def size(self) -> int:
        return len(self.values)

    @property
    def rule(self) -> str:
        return "one of " + ", ".join(map(repr, self.values))

    def code(self, value: Value) -> int:
        code = _find(self.values, self._codes, value)
        if code is None:
            raise InvalidConfig(f"hyperparameter {self.name!r} must be {self.rule}, got {value!r}")
        return code

    def value(self, code: float) -> Value:
        return self.values[int(code)]

    def to_unit(self, codes: np.ndarray) -> np.ndarray:
        return (codes + 0.5) / self.size

    def from_unit(self, unit: np.ndarray) -> np.ndarray:
        return np.clip(np.floor(unit * self.size), 0, self.size - 1)

    def draw(self, u: float) -> Value:
        if self.weights is None:
            return self.values[min(int(u * len(self.values)), len(self.values) - 1)]
        index = int(np.searchsorted(np.cumsum(self.weights), u, side="right"))
        return self.values[min(index, self.size - 1)]


def Ordinal(name: str, values: Sequence[Value], default: Value = None) -> Choice:
    """One of some values whose order means something, such as 16, 32, 64."""
    return Choice(name, tuple(values), "ordinal", default)


def Categorical(
    name: str, values: Sequence[Value], default: Value = None, weights: Sequence[float] | None = None
) -> Choice:
    """One of some values without an order; `weights` are the probabilities that sampling gives them."""
    return Choice(name, tuple(values), "categorical", default, None if weights is None else tuple(weights))


def Constant(name: str, value: Value) -> Choice:
    """A single value, kept apart from a categorical of one value because ConfigSpace does so too."""
    return Choice(name, (value,), "constant")


Hyperparameter = Float | Int | Choice


def _check_bounds(hyperparameter: Float | Int) -> None:
    h = hyperparameter
    for bound in (h.low, h.high):
        if isinstance(bound, bool) or not isinstance(bound, (int, float, np.number)) or not math.isfinite(bound):
            raise InvalidSpace(f"bounds of {h.name!r} must be finite numbers, got {h.low!r} and {h.high!r}")
    if h.log and h.low <= 0:
        raise InvalidSpace(f"{h.name!r} on a log scale needs low > 0, got {h.low}")


def _settle_default(hyperparameter: Hyperparameter, fallback: Value) -> None:
    """Check the default, or put the fallback in its place; always explicit, so that a conversion keeps it."""
    if hyperparameter.default is None:
        object.__setattr__(hyperparameter, "default", fallback)
    try:
        hyperparameter.code(hyperparameter.default)
    except InvalidConfig as error:
        raise InvalidSpace(f"default of {error}") from None


def _probabilities(name: str, weights: tuple[float, ...], size: int) -> tuple[float, ...]:
    array = np.asarray(weights, dtype=float)
    if array.shape != (size,) or not np.isfinite(array).all() or (array < 0).any() or array.sum() <= 0:
        raise InvalidSpace(f"categorical {name!r} needs one weight >= 0 per value, not all 0, got {weights!r}")
    total = array.sum()
    return tuple((array if abs(total - 1) < 1e-12 else array / total).tolist())  # probabilities stay as they are


def _value_codes(name: str, values: tuple[Value, ...]) -> dict[Hashable, int]:
    """Index of each value, by value; 1 and 1.0 are one value, as in Python."""
    if not values:
        raise InvalidSpace(f"{name!r} needs at least one value")
    try:
        codes = {value: i for i, value in enumerate(values)}
    except TypeError:
        raise InvalidSpace(f"values of {name!r} must be hashable (str, number, bool, None), got {values!r}") from None
    if len(codes) != len(values):
        raise InvalidSpace(f"values of {name!r} must differ from each other, got {values!r}")
    return codes


def _find(values: tuple[Value, ...], codes: dict[Hashable, int], value: Value) -> int | None:
    """Index of `value`, or None; a bool never stands for 0 or 1, and a float32 stands for the value it rounds."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    try:
        code = codes.get(value)
    except TypeError:  # unhashable
        return None
    if code is not None:
        return code if (value.__class__ in BOOLEANS) == (values[code].__class__ in BOOLEANS) else None
    if isinstance(value, np.floating) and value.itemsize < 8:
        for i, candidate in enumerate(values):
            if isinstance(candidate, float) and value == value.__class__(candidate):
                return i
    return None
