"""Densities of one hyperparameter under a prior, on the unit interval.

    u          a uniform random number in [0, 1)
    point      position in [0, 1], the unit of `hpo_core.space.hyperparameters`
    F, F^-1    distribution function of the points and its inverse

A draw is F^-1(u), and a discrete hyperparameter takes the value whose cell the point lies in. Densities are relative to
the uniform distribution: that of a value is the mass of its cell divided by the width of the cell, 1 without a prior.
"""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np

from hpo_core.space.hyperparameters import Choice, Float, Hyperparameter, Int, Value
from hpo_core.space.priors.entries import Entry, Normal, Weights, masses_of


class ColumnDensity(Protocol):
    """A hyperparameter's part of a prior."""

    @property
    def mode(self) -> Value: ...
    def quantile(self, u: np.ndarray) -> np.ndarray: ...
    def log_density(self, codes: np.ndarray) -> np.ndarray: ...


def density_of(h: Hyperparameter, entry: Entry) -> ColumnDensity:
    """The density that an entry stands for."""
    if isinstance(entry, Weights):
        return WeightedValues(h, masses_of(h, entry))  # type: ignore[arg-type]
    if isinstance(entry, Normal):
        code = entry.centre - h.low if isinstance(h, Int) else h.code(entry.centre)
        centre = float(h.to_unit(np.array(float(code))))
        return OnRange(h, TruncatedNormal(centre, entry.std), h.value(round(code) if h.size < math.inf else code))
    point = 0.5 if entry.a == entry.b else (entry.a - 1.0) / (entry.a + entry.b - 2.0)
    return OnRange(h, BetaPoints(entry.a, entry.b), h.value(float(h.from_unit(np.array(point)))))


class WeightedValues:
    """Values with (size,) probabilities; the mode is the first of the most probable."""

    def __init__(self, h: Choice, masses: np.ndarray):
        self._size, self._cumulated = h.size, np.cumsum(masses)
        self.mode = h.values[int(np.argmax(masses))]
        with np.errstate(divide="ignore"):
            self._log_densities = np.log(masses * h.size)

    def quantile(self, u: np.ndarray) -> np.ndarray:
        """(n,) middles of the cells of the values that (n,) uniform numbers stand for."""
        code = np.searchsorted(self._cumulated, u, side="right")
        last = np.searchsorted(self._cumulated, self._cumulated[-1])  # rounding must not lead to a value without mass
        return (np.minimum(code, last) + 0.5) / self._size

    def log_density(self, codes: np.ndarray) -> np.ndarray:
        """(n,) logarithms of the densities of (n,) codes, -inf without mass."""
        return self._log_densities[codes.astype(np.intp)]


class UnitLaw(Protocol):
    """A distribution on [0, 1]."""

    def quantile(self, u: np.ndarray) -> np.ndarray: ...
    def log_density(self, points: np.ndarray) -> np.ndarray: ...
    def log_mass(self, low: np.ndarray, high: np.ndarray) -> np.ndarray: ...


class OnRange:
    """A distribution on the range of a float, int or ordinal; the mode is a value."""

    def __init__(self, h: Hyperparameter, points: UnitLaw, mode: Value):
        self._h, self._points, self.mode = h, points, mode

    def quantile(self, u: np.ndarray) -> np.ndarray:
        """(n,) points that (n,) uniform numbers stand for."""
        return np.clip(self._points.quantile(u), 0.0, 1.0)

    def log_density(self, codes: np.ndarray) -> np.ndarray:
        """(n,) logarithms of the densities of (n,) codes."""
        if isinstance(self._h, Float):
            return self._points.log_density(self._h.to_unit(codes))
        low, high = cells(self._h, codes)
        return self._points.log_mass(low, high) - np.log(high - low)


def cells(h: Int | Choice, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(n,) lower and (n,) upper ends of the cells of (n,) codes in the unit interval."""
    if isinstance(h, Int) and h.log:
        low, high = h.to_unit(codes - 0.5), h.to_unit(codes + 0.5)
        return np.maximum(low, 0.0), np.minimum(high, 1.0)
    return codes / h.size, (codes + 1.0) / h.size


class TruncatedNormal:
    """A normal distribution cut to [0, 1], with its centre inside."""

    def __init__(self, centre: float, std: float):
        from scipy.special import ndtr

        self._centre, self._std = centre, std
        self._below = ndtr(-centre / std)
        self._mass = ndtr((1.0 - centre) / std) - self._below

    def quantile(self, u: np.ndarray) -> np.ndarray:
        from scipy.special import ndtri

        return self._centre + self._std * ndtri(self._below + u * self._mass)

    def log_density(self, points: np.ndarray) -> np.ndarray:
        z = (points - self._centre) / self._std
        return -0.5 * z**2 - math.log(self._std * math.sqrt(2.0 * math.pi) * self._mass)

    def log_mass(self, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """Logarithm of the mass of intervals; those above the centre are mirrored, where the difference is exact."""
        from scipy.special import ndtr

        a, b = (low - self._centre) / self._std, (high - self._centre) / self._std
        above = a > 0
        a, b = np.where(above, -b, a), np.where(above, -a, b)
        with np.errstate(divide="ignore"):
            return np.log(ndtr(b) - ndtr(a)) - math.log(self._mass)


class BetaPoints:
    """A beta distribution."""

    def __init__(self, a: float, b: float):
        self._a, self._b = a, b

    def quantile(self, u: np.ndarray) -> np.ndarray:
        from scipy.special import betaincinv

        return betaincinv(self._a, self._b, u)

    def log_density(self, points: np.ndarray) -> np.ndarray:
        from scipy.special import betaln, xlog1py, xlogy

        inside = np.clip(points, 0.0, 1.0)
        return xlogy(self._a - 1.0, inside) + xlog1py(self._b - 1.0, -inside) - betaln(self._a, self._b)

    def log_mass(self, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        from scipy.special import betainc

        with np.errstate(divide="ignore"):
            return np.log(betainc(self._a, self._b, high) - betainc(self._a, self._b, low))
