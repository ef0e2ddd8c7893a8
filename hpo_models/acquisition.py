"""Acquisition functions of a normal prediction with mean m and standard deviation s, for minimisation.

    improvement  max(best - f, 0) over a loss `best`;    z = (best - m) / s

    EI   its expectation         s (phi(z) + z Phi(z))      Mockus (1975)
    PI   its probability         Phi(z)                     Kushner (1963)
    LCB, UCB                     m - b s, m + b s           Srinivas et al. (2010), b = sqrt(beta)

EI and PI come as logarithms: after some hundred observations they are far below the smallest float64 (1e-308).
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import erfcx, log_ndtr

DELTA = 0.1  # probability with which the bounds of Srinivas et al. may fail
LOG_ROOT_2_PI = 0.5 * math.log(2.0 * math.pi)
FAR = -200.0  # from here down a series is more accurate than the difference of two nearly equal numbers


def log_expected_improvement(mean: np.ndarray, std: np.ndarray, best: float) -> np.ndarray:
    """(n,) logarithms of the expected improvement over the loss `best`; -inf where it is impossible."""
    with np.errstate(divide="ignore", invalid="ignore"):
        z = (best - mean) / std
        uncertain = np.log(std) + log_improvement(z)
        certain = np.log(np.maximum(best - mean, 0.0))
    return np.where(std > 0.0, uncertain, certain)


def log_probability_of_improvement(mean: np.ndarray, std: np.ndarray, best: float) -> np.ndarray:
    """(n,) logarithms of the probability of a loss below `best`; -inf where it is impossible."""
    with np.errstate(divide="ignore", invalid="ignore"):
        uncertain = log_ndtr((best - mean) / std)
    return np.where(std > 0.0, uncertain, np.where(mean < best, 0.0, -np.inf))


def log_improvement(z: np.ndarray) -> np.ndarray:
    """log(phi(z) + z Phi(z)), with a relative error of the argument below 1e-11 for every z.

    Above -1 the sum has no cancellation to fear. Below, phi(z) is taken out: log phi(z) + log(1 + z Phi(z) / phi(z)),
    the ratio by the scaled error function. Below -200 the bracket is 1 / z^2 - 3 / z^4 + 15 / z^6.
    """
    z = np.asarray(z, dtype=float)
    log_phi = -0.5 * z**2 - LOG_ROOT_2_PI
    logs = np.full(z.shape, np.nan)
    is_near, is_far = z > -1.0, z <= FAR
    near, far, middle = z[is_near], z[is_far], z[is_middle := (z > FAR) & ~is_near]
    logs[is_near] = np.log(np.exp(log_phi[is_near]) + near * np.exp(log_ndtr(near)))
    ratio = math.sqrt(math.pi / 2.0) * erfcx(-middle / math.sqrt(2.0))
    logs[is_middle] = log_phi[is_middle] + np.log1p(middle * ratio)
    if len(far):
        logs[is_far] = log_phi[is_far] + np.log((1.0 - 3.0 / far**2 + 15.0 / far**4) / far**2)
    return logs


def confidence_bounds(mean: np.ndarray, std: np.ndarray, beta: float) -> tuple[np.ndarray, np.ndarray]:
    """(n,) lower and (n,) upper confidence bounds, sqrt(beta) standard deviations from the mean."""
    width = math.sqrt(beta) * std
    return mean - width, mean + width


def confidence_factor(d: int, t: int, delta: float = DELTA) -> float:
    """The factor beta of the confidence bounds for d hyperparameters and t observations.

    beta = 2 log(d t^2 pi^2 / (6 delta)) / 5: Srinivas et al. (2010), theorem 1, with d in place of the number of
    configurations |D|, and divided by 5 as in their section 6.
    """
    return 2 * math.log(d * t**2 * math.pi**2 / (6 * delta)) / 5
