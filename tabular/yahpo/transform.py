"""`Transform`: what a network's graph does to one number before its first layer, or after its last.

    y = outer_scale * f(inner_scale * x + inner_shift) + outer_shift        f: identity, log or exp; then rounded, if so

Every chain of additions, multiplications and one logarithm or exponential has this form, so it is four numbers and a
word in the file, whatever order of operations the graph had. It is computed in float64.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from hpo_core.errors import InvalidOption

IDENTITY, LOG, EXP = "identity", "log", "exp"
LEAST_LOGIT = -700.0  # exp(-x) of a lower one overflows; its sigmoid is zero in float32
ARRAY_FUNCTIONS: Mapping[str, Callable[[np.ndarray], np.ndarray]] = {LOG: np.log, EXP: np.exp}


@dataclass(frozen=True)
class Transform:
    """A number as a function of a number, see the module's docstring."""

    function: str = IDENTITY
    inner_scale: float = 1.0
    inner_shift: float = 0.0
    outer_scale: float = 1.0
    outer_shift: float = 0.0
    rounds: bool = False

    def one(self, x: float) -> float:
        """Value at a Python float."""
        z = self.inner_scale * x + self.inner_shift
        if self.function == LOG:
            z = math.log(z)
        elif self.function == EXP:
            z = math.exp(z)
        y = self.outer_scale * z + self.outer_shift
        return float(round(y)) if self.rounds and math.isfinite(y) else y

    def many(self, x: np.ndarray) -> np.ndarray:
        """Values at an array of float64, of the same shape."""
        y = self.before_rounding(x)
        return np.rint(y) if self.rounds else y

    def before_rounding(self, x: np.ndarray) -> np.ndarray:
        """Values at an array, not rounded even if the graph rounds them."""
        z = self.inner_scale * x + self.inner_shift
        if self.function in ARRAY_FUNCTIONS:
            z = ARRAY_FUNCTIONS[self.function](z)
        return self.outer_scale * z + self.outer_shift

    def then_affine(self, scale: float, shift: float) -> Transform:
        """This transform followed by scale * y + shift."""
        if self.rounds:
            raise InvalidOption("a transform that rounds takes no further step")
        if self.function == IDENTITY:
            inner = replace(self, inner_scale=self.inner_scale * scale, inner_shift=self.inner_shift * scale + shift)
            return inner
        return replace(self, outer_scale=self.outer_scale * scale, outer_shift=self.outer_shift * scale + shift)

    def then_function(self, function: str) -> Transform:
        """This transform followed by a logarithm or an exponential; there can be one."""
        if self.rounds or self.function != IDENTITY:
            raise InvalidOption(f"a transform holds one of log and exp, and no step after rounding, got a {function}")
        return replace(self, function=function)

    def to_json(self) -> dict[str, Any]:
        """Plain data that the constructor takes."""
        return asdict(self)


def restored_logit(transform: Transform) -> Callable[[float], float]:
    """Function of a logit: the transform of its sigmoid, 0 if that is negative. It saves time where one is needed."""
    a, b, c, d = transform.inner_scale, transform.inner_shift, transform.outer_scale, transform.outer_shift
    exp, log, least = math.exp, math.log, LEAST_LOGIT

    def affine(logit: float) -> float:
        y = a / (1.0 + exp(-logit)) + b if logit > least else b
        return y if y > 0.0 else 0.0

    def exponential(logit: float) -> float:
        y = c * exp(a / (1.0 + exp(-logit)) + b if logit > least else b) + d
        return y if y > 0.0 else 0.0

    def logarithm(logit: float) -> float:
        y = c * log(a / (1.0 + exp(-logit)) + b if logit > least else b) + d
        return y if y > 0.0 else 0.0

    if transform.rounds or (transform.function == IDENTITY and (c, d) != (1.0, 0.0)):
        return lambda logit: max(transform.one(1.0 / (1.0 + exp(-max(logit, least)))), 0.0)
    return {IDENTITY: affine, EXP: exponential, LOG: logarithm}[transform.function]
