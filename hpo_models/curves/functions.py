"""The eleven parametric learning curves of Domhan et al. (2015): functions of the epoch that rise and level off.

A parameter that must be positive is given by its logarithm. Where a formula is undefined, such as the logarithm of a
negative number, its value is NaN. The boxes are an addition of this project: the paper leaves the parameters unbounded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

Formula = Callable[..., np.ndarray]


class CurveFunction(NamedTuple):
    """A curve f(t; parameters), t > 0, and the box that its parameters are drawn from.

    formula     `formula(t, log t, *parameters)`
    low, high   of each parameter
    start       a point inside the box, where the curve rises from about 0.2 to 0.8 within a hundred epochs
    """

    name: str
    formula: Formula
    low: tuple[float, ...]
    high: tuple[float, ...]
    start: tuple[float, ...]

    @property
    def n_parameters(self) -> int:
        return len(self.start)


def _vapor_pressure(t: np.ndarray, log_t: np.ndarray, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    return np.exp(a + b / t + c * log_t)


def _pow3(t: np.ndarray, log_t: np.ndarray, c: np.ndarray, a: np.ndarray, log_alpha: np.ndarray) -> np.ndarray:
    return c - a * np.exp(-np.exp(log_alpha) * log_t)


def _log_log_linear(t: np.ndarray, log_t: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.log(a * log_t + b)


def _hill3(t: np.ndarray, log_t: np.ndarray, y: np.ndarray, log_eta: np.ndarray, log_kappa: np.ndarray) -> np.ndarray:
    return y / (1.0 + np.exp(np.exp(log_eta) * (log_kappa - log_t)))


def _log_power(t: np.ndarray, log_t: np.ndarray, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    return a / (1.0 + np.exp(c * (log_t - b)))


def _pow4(
    t: np.ndarray, log_t: np.ndarray, c: np.ndarray, log_a: np.ndarray, b: np.ndarray, log_alpha: np.ndarray
) -> np.ndarray:
    return c - np.exp(-np.exp(log_alpha) * np.log(np.exp(log_a) * t + b))


def _mmf(
    t: np.ndarray, log_t: np.ndarray, alpha: np.ndarray, beta: np.ndarray, log_kappa: np.ndarray, log_delta: np.ndarray
) -> np.ndarray:
    return alpha - (alpha - beta) / (1.0 + np.exp(np.exp(log_delta) * (log_kappa + log_t)))


def _exp4(
    t: np.ndarray, log_t: np.ndarray, c: np.ndarray, log_a: np.ndarray, b: np.ndarray, log_alpha: np.ndarray
) -> np.ndarray:
    return c - np.exp(b - np.exp(log_a + np.exp(log_alpha) * log_t))


def _janoschek(
    t: np.ndarray, log_t: np.ndarray, alpha: np.ndarray, beta: np.ndarray, log_kappa: np.ndarray, log_delta: np.ndarray
) -> np.ndarray:
    return alpha - (alpha - beta) * np.exp(-np.exp(log_kappa + np.exp(log_delta) * log_t))


def _weibull(
    t: np.ndarray, log_t: np.ndarray, alpha: np.ndarray, beta: np.ndarray, log_kappa: np.ndarray, log_delta: np.ndarray
) -> np.ndarray:
    return alpha - (alpha - beta) * np.exp(-np.exp(np.exp(log_delta) * (log_kappa + log_t)))


def _ilog2(t: np.ndarray, log_t: np.ndarray, c: np.ndarray, a: np.ndarray) -> np.ndarray:
    return c - a / np.log1p(t)


FUNCTIONS = (
    CurveFunction("vapor pressure", _vapor_pressure, (-4, -10, -1), (2, 1, 1), (-0.5, -1.0, 0.05)),
    CurveFunction("pow3", _pow3, (-1, -2, -4), (2, 3, 2), (0.84, 0.6, -0.7)),
    CurveFunction("log log linear", _log_log_linear, (-1, 0), (3, 5), (0.2, 1.2)),
    CurveFunction("hill3", _hill3, (-1, -3, -5), (2, 2, 6), (0.8, -0.2, 1.0)),
    CurveFunction("log power", _log_power, (-1, -5, -5), (2, 6, 1), (0.8, 1.0, -0.8)),
    CurveFunction("pow4", _pow4, (-1, -8, 0, -4), (3, 5, 20, 2), (1.0, -1.0, 1.0, -0.7)),
    CurveFunction("mmf", _mmf, (-1, -2, -8, -3), (2, 2, 5, 2), (0.8, 0.0, -1.0, 0.0)),
    CurveFunction("exp4", _exp4, (-1, -8, -5, -3), (2, 3, 3, 1), (0.8, -1.5, -0.4, -0.5)),
    CurveFunction("janoschek", _janoschek, (-1, -2, -8, -3), (2, 2, 3, 1), (0.8, 0.1, -1.5, -0.4)),
    CurveFunction("weibull", _weibull, (-1, -2, -8, -3), (2, 2, 5, 1), (0.8, 0.1, -2.5, -0.4)),
    CurveFunction("ilog2", _ilog2, (-1, -2), (2, 3), (0.85, 0.4)),
)
