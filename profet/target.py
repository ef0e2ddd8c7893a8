"""`Target`: between a loss or a cost and the standardised number that a network learns."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

SOFTNESS = 1e-2  # width, in standard deviations of the values, of the bend at the ends of their range


class Target(NamedTuple):
    """Values are standardised, after their logarithm was taken if `log`, and come back within low..high.

    Inside the range the way back is linear. Near its ends it bends, over `SOFTNESS` standard deviations, so that a
    network that predicts less than the lowest possible loss still has one best configuration instead of a plateau.
    """

    mean: float
    sd: float
    low: float = -math.inf
    high: float = math.inf
    log: bool = False

    @classmethod
    def of(cls, values: np.ndarray, low: float = -math.inf, high: float = math.inf, log: bool = False) -> Target:
        """Target with the mean and standard deviation of some values."""
        values = np.log(values) if log else values
        return cls(float(values.mean()), float(values.std()) or 1.0, low, high, log)

    def standardise(self, values: np.ndarray) -> np.ndarray:
        """What a network should put out for `values`."""
        return ((np.log(values) if self.log else values) - self.mean) / self.sd

    def restore(self, z: np.ndarray) -> np.ndarray:
        """Values that a network's outputs stand for."""
        values = self.mean + self.sd * z
        if self.log:
            return np.exp(values)
        bend = SOFTNESS * self.sd
        if self.low > -math.inf:
            values = self.low + bend * np.logaddexp(0.0, (values - self.low) / bend)
        if self.high < math.inf:
            values = self.high - bend * np.logaddexp(0.0, (self.high - values) / bend)
        return values

    def restore_one(self, z: float) -> float:
        """`restore` of one number, without numpy's overhead."""
        value = self.mean + self.sd * z
        if self.log:
            return math.exp(value)
        bend = SOFTNESS * self.sd
        if self.low > -math.inf:
            value = self.low + bend * _softplus((value - self.low) / bend)
        if self.high < math.inf:
            value = self.high - bend * _softplus((self.high - value) / bend)
        return value

    def slope(self, z: np.ndarray) -> np.ndarray:
        """Derivative of `restore`."""
        values = self.mean + self.sd * z
        if self.log:
            return self.sd * np.exp(values)
        slope = np.full_like(values, self.sd)
        bend = SOFTNESS * self.sd
        if self.low > -math.inf:
            away = (values - self.low) / bend
            slope = slope * _sigmoid(away)
            values = self.low + bend * np.logaddexp(0.0, away)
        if self.high < math.inf:
            slope = slope * _sigmoid((self.high - values) / bend)
        return slope


def _softplus(x: float) -> float:
    """log(1 + exp(x)), in the form that does not overflow."""
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


def _sigmoid(x: np.ndarray) -> np.ndarray:
    return 0.5 * (1.0 + np.tanh(0.5 * x))
