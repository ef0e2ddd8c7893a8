"""Hyperparameters: a name, the values it allows, and three ways to write one value down.

    value   what a configuration holds                    "tanh", 64, 5e-4
    code    its number: the index among the values        1, 2, 0
            (an int's is its distance from `low`; a float's is the value itself, so that nothing is rounded)
    unit    its position in [0, 1], on the log scale if asked; index k of n is the middle of its cell, (k + 1/2) / n

The default is the middle of the range or of an ordinal's values, and a categorical's first value, unless given.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from hpo_core.errors import InvalidConfig, InvalidSpace
from hpo_core.space.choices import BOOLEANS, Categorical, Choice, Constant, Ordinal, Value, settle_default

__all__ = [
    "BOOLEANS",
    "Categorical",
    "Choice",
    "Constant",
    "Float",
    "Hyperparameter",
    "Int",
    "Ordinal",
    "Value",
]


Part = TypeVar("Part")
LARGEST_INT = 2**53  # up to which every integer is a float64, as codes and unit points are


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
    """Real number in [low, high], uniform or log-uniform.

    Parameters
    ----------
    name
        Key of the value in a configuration.
    low, high
        Bounds, both included.
    log
        Whether the scale is logarithmic; needs low > 0.
    default
        The middle of the range, on its scale, if None.
    """

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
        if not math.isfinite(self.high - self.low):
            raise InvalidSpace(
                f"float {self.name!r} needs a range of at most 1.7e308, got {self.low} to {self.high}; scale it"
            )
        settle_default(self, self.draw(0.5))

    @property
    def rule(self) -> str:
        return f"a number in [{self.low}, {self.high}]"

    def code(self, value: Value) -> float:
        if value.__class__ is float and self.low <= value <= self.high:  # nearly always, and at a third of the time
            return value
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
    """Integer in low..high, uniform or log-uniform.

    Parameters
    ----------
    name
        Key of the value in a configuration.
    low, high
        Bounds, both included.
    log
        Whether the scale is logarithmic; needs low > 0.
    default
        The middle of the range, on its scale, if None.
    """

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
        if max(abs(int(self.low)), abs(int(self.high))) > LARGEST_INT:
            raise InvalidSpace(
                f"int {self.name!r} needs bounds within -2**53..2**53, got {self.low:.6g} and {self.high:.6g}; "
                "take a Float, or an Int of the exponent"
            )
        object.__setattr__(self, "low", int(self.low))
        object.__setattr__(self, "high", int(self.high))
        settle_default(self, self.draw(0.5))

    @property
    def size(self) -> int:
        return self.high - self.low + 1

    @property
    def rule(self) -> str:
        return f"an integer in {self.low}..{self.high}"

    def code(self, value: Value) -> int:
        if value.__class__ is int and self.low <= value <= self.high:
            return value - self.low
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


Hyperparameter = Float | Int | Ordinal | Categorical | Constant


def parts_of(given: Iterable[Part], what: str) -> tuple[Part, ...]:
    """What a list of hyperparameters, conditions or clauses holds; raises `InvalidSpace` if it is no list."""
    try:
        return tuple(given)
    except TypeError:
        raise InvalidSpace(f"the {what} of a space must be a list, got {given!r:.60}") from None


def named(hyperparameters: tuple[Hyperparameter, ...]) -> dict[str, Hyperparameter]:
    """Hyperparameters by name; raises `InvalidSpace` if they do not make up a space."""
    for h in hyperparameters:
        if not isinstance(h, Hyperparameter):
            raise InvalidSpace(f"a space is made of Float, Int, Ordinal, Categorical and Constant, got {h!r}")
        if not isinstance(h.name, str) or not h.name:
            raise InvalidSpace(f"a hyperparameter's name must be a non-empty string, got {h.name!r}")
    by_name = {h.name: h for h in hyperparameters}
    if len(by_name) != len(hyperparameters) or not by_name:
        raise InvalidSpace("a space needs at least one hyperparameter, and each name once")
    return by_name


def _is_number(bound: object) -> bool:
    """Whether it is a finite real number that a float can hold."""
    if isinstance(bound, (bool, np.bool_)) or not isinstance(bound, (int, float, np.integer, np.floating)):
        return False
    try:
        return math.isfinite(bound)
    except OverflowError:  # of an int that no float holds
        return False


def _check_bounds(hyperparameter: Float | Int) -> None:
    h = hyperparameter
    for bound in (h.low, h.high):
        if not _is_number(bound):
            raise InvalidSpace(f"bounds of {h.name!r} must be finite numbers, got {bound!r:.60}")
    if not isinstance(h.log, (int, np.bool_)):
        raise InvalidSpace(f"log of {h.name!r} must be True or False, got {h.log!r:.60}")
    if h.log and h.low <= 0:
        raise InvalidSpace(f"{h.name!r} on a log scale needs low > 0, got {h.low}")
