"""Entries of a prior, one for a hyperparameter, as a user writes them and as they are kept.

    "lr": (1e-3, "normal", 0.2)      `Normal`: a centre, and a standard deviation as a share of the range (of the log
                                     range where the scale is logarithmic), truncated to the range
    "dropout": ("beta", 2, 5)        `Beta`: the two shape parameters, both >= 1, on the range
    "activation": {"relu": 0.8}      `Weights`: the mass of some values; the others share the rest equally

The first two are for floats, ints and ordinals, the third for ordinals, categoricals and constants.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hpo_core.errors import InvalidConfig, InvalidPrior
from hpo_core.space.hyperparameters import BOOLEANS, Categorical, Choice, Constant, Hyperparameter, Int, Value

SLACK = 1e-9  # by which weights that were rounded may sum to more or less than 1
FORMS = '(centre, "normal", std), ("beta", a, b) or {value: weight}'


@dataclass(frozen=True)
class Normal:
    """A normal distribution on the range, truncated: its centre, a value, and its std as a share of the range."""

    centre: Value
    std: float


@dataclass(frozen=True)
class Beta:
    """A beta distribution on the range, with shape parameters `a` and `b` of at least 1."""

    a: float
    b: float


@dataclass(frozen=True)
class Weights:
    """Masses of some values, as pairs; the other values share equally what is left to 1."""

    masses: tuple[tuple[Value, float], ...]


Entry = Normal | Beta | Weights


def settled_entry(h: Hyperparameter, given: Any) -> Entry:
    """The entry that a user wrote for a hyperparameter; raises `InvalidPrior`."""
    if isinstance(given, Weights):
        given = dict(given.masses)
    if isinstance(given, Mapping):
        return _weights(h, given)
    if isinstance(given, Normal):
        given = (given.centre, "normal", given.std)
    if isinstance(given, Beta):
        given = ("beta", given.a, given.b)
    if isinstance(given, (tuple, list)) and len(given) == 3:
        if isinstance(given[1], str) and given[1] == "normal":
            return _normal(h, given[0], given[2])
        if isinstance(given[0], str) and given[0] == "beta":
            return _beta(h, given[1], given[2])
    raise InvalidPrior(f"the prior of {h.name!r} must be {FORMS}, got {given!r:.80}")


def masses_of(h: Choice, entry: Weights) -> np.ndarray:
    """(size,) probabilities of the values."""
    stated = {h.code(value): mass for value, mass in entry.masses}
    rest = max(1.0 - sum(stated.values()), 0.0) / max(h.size - len(stated), 1)
    masses = np.array([stated.get(code, rest) for code in range(h.size)])
    return masses / masses.sum()


def _normal(h: Hyperparameter, centre: Value, std: Any) -> Normal:
    _require_range(h, "normal")
    width = _number(std)
    if not 0 < width < math.inf:
        raise InvalidPrior(
            f"the std of the prior of {h.name!r} must be a finite number above 0, a share of the range, got {std!r:.60}"
        )
    if isinstance(h, Int):  # a centre between two integers is a centre too
        if not h.low <= _number(centre) <= h.high:
            raise _outside(h, centre, f"a number in [{h.low}, {h.high}]")
        return Normal(int(centre) if int(centre) == centre else float(centre), width)
    try:
        return Normal(h.value(h.code(centre)), width)
    except InvalidConfig:
        raise _outside(h, centre, h.rule) from None


def _outside(h: Hyperparameter, centre: Any, rule: str) -> InvalidPrior:
    return InvalidPrior(
        f"the centre of the prior of {h.name!r} must be {rule}, got {centre!r:.60}; move it inside, or widen the space"
    )


def _beta(h: Hyperparameter, a: Any, b: Any) -> Beta:
    _require_range(h, "beta")
    shapes = _number(a), _number(b)
    if not all(1 <= shape < math.inf for shape in shapes):
        raise InvalidPrior(
            f"the shape parameters of the beta prior of {h.name!r} must be finite numbers >= 1, so that the density is "
            f"finite, got {a!r:.60} and {b!r:.60}"
        )
    return Beta(*shapes)


def _require_range(h: Hyperparameter, kind: str) -> None:
    if isinstance(h, (Categorical, Constant)):
        raise InvalidPrior(
            f"{h.name!r} has no range for a {kind} prior, it is {h.rule}; give weights {{value: weight}}"
        )


def _weights(h: Hyperparameter, given: Mapping[Any, Any]) -> Weights:
    if not isinstance(h, Choice):
        raise InvalidPrior(
            f'weights are for listed values, and {h.name!r} must be {h.rule}; give (centre, "normal", std)'
        )
    masses: dict[int, float] = {}
    for value, weight in given.items():
        try:
            code = int(h.code(value))
        except InvalidConfig:
            raise InvalidPrior(f"a weight of the prior of {h.name!r} goes to {h.rule}, got {value!r:.60}") from None
        masses[code] = _number(weight)
        if not 0 < masses[code] <= 1 + SLACK:
            raise InvalidPrior(
                f"the weight of {h.name!r} {value!r} must be above 0 and at most 1, got {weight!r:.60}; a value that "
                "must not be tried is left out of the space"
            )
    total = sum(masses.values())
    if total > 1 + SLACK or (len(masses) == h.size and total < 1 - SLACK):
        rule = "exactly 1, since every value has one" if len(masses) == h.size else "at most 1"
        raise InvalidPrior(
            f"the weights of {h.name!r} must sum to {rule}, got {total:.6g}; divide them by {total:.6g}, or leave some "
            "out: the values without a weight share the rest"
        )
    if not masses:
        raise InvalidPrior(f"the weights of {h.name!r} need at least one value, got none; leave {h.name!r} out")
    return Weights(tuple((h.values[code], masses[code]) for code in sorted(masses)))


def _number(value: Any) -> float:
    """The number, NaN for what is none."""
    if value.__class__ in BOOLEANS or not isinstance(value, (int, float, np.integer, np.floating)):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf
