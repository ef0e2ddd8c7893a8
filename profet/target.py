"""`Target`: conversion between a loss or a cost and the standardised number that a network learns."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

SOFTNESS = 1e-2  # width of the bend at the ends of the range, in standard deviations of the values


class Target(NamedTuple):
    """Values, or their logarithms if `log`, are standardised; restored ones stay within low..high.

    Inside the range `restore` is linear. Near the ends it bends, over `SOFTNESS` standard deviations, so that a network
    that predicts less than the lowest possible loss still has one best configuration instead of a plateau.
    """

    mean: float
    std: float
    low: float = -math.inf
    high: float = math.inf
    log: bool = False

    @classmethod
    def of(cls, values: np.ndarray, low: float = -math.inf, high: float = math.inf, log: bool = False) -> Target:
        """Target with the mean and standard deviation of some values.

        Parameters
        ----------
        values
            Of any shape.
        low, high
            Range of restored values.
        log
            Whether a network learns the logarithms of the values.

        Returns
        -------
        Target
            Its mean and std are those of the logarithms if `log`.
        """
        values = np.log(values) if log else values
        return cls(float(values.mean()), float(values.std()) or 1.0, low, high, log)

    def standardise(self, values: np.ndarray) -> np.ndarray:
        """Outputs that a network should have for `values`."""
        return ((np.log(values) if self.log else values) - self.mean) / self.std

    def restore(self, z: np.ndarray) -> np.ndarray:
        """Values that belong to a network's outputs."""
        values = self.mean + self.std * z
        if self.log:
            return np.exp(values)
        bend = SOFTNESS * self.std
        if self.low > -math.inf:
            values = self.low + bend * np.logaddexp(0.0, (values - self.low) / bend)
        if self.high < math.inf:
            values = self.high - bend * np.logaddexp(0.0, (self.high - values) / bend)
        return values

    def restore_one(self, z: float) -> float:
        """`restore` of one number, without numpy's overhead."""
        value = self.mean + self.std * z
        if self.log:
            return math.exp(value)
        bend = SOFTNESS * self.std
        if self.low > -math.inf:
            value = self.low + bend * _softplus((value - self.low) / bend)
        if self.high < math.inf:
            value = self.high - bend * _softplus((self.high - value) / bend)
        return value

    def derivative(self, z: np.ndarray) -> np.ndarray:
        """Derivative of `restore`."""
        values = self.mean + self.std * z
        if self.log:
            return self.std * np.exp(values)
        derivative = np.full_like(values, self.std)
        bend = SOFTNESS * self.std
        if self.low > -math.inf:
            away = (values - self.low) / bend
            derivative = derivative * _sigmoid(away)
            values = self.low + bend * np.logaddexp(0.0, away)
        if self.high < math.inf:
            derivative = derivative * _sigmoid((self.high - values) / bend)
        return derivative


def _softplus(x: float) -> float:
    """log(1 + exp(x)), in the form that does not overflow."""
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


def _sigmoid(x: np.ndarray) -> np.ndarray:
    return 0.5 * (1.0 + np.tanh(0.5 * x))
