"""Slice sampling along random directions (Neal, 2003; Murray and Adams, 2010, for hyperparameters).

From a point x, with a level drawn uniformly below the density at x:

    step out   an interval of width `width` is placed around x at random, and widened by `width` at a time on both sides
               until its ends lie below the level
    step in    a point is drawn uniformly from the interval; while it lies below the level, the interval is cut there

Makarova et al. (2021, A.1.1) use one chain, 300 steps of width 1 of which 250 are burn-in, and keep every fifth.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

N_SAMPLES, BURN_IN, THINNING = 10, 250, 5
WIDTH = 1.0
MAX_STEPS = 200  # out on each side, and in


def slice_samples(
    log_density: Callable[[np.ndarray], float],
    start: np.ndarray,
    rng: np.random.Generator,
    n_samples: int = N_SAMPLES,
    burn_in: int = BURN_IN,
    thinning: int = THINNING,
) -> np.ndarray:
    """(n_samples, d) samples of a density, known up to a constant factor, by its logarithm; -inf is allowed.

    `start` is a (d,) point of positive density. The samples of one chain are correlated.
    """
    x, height = np.array(start, dtype=float), log_density(start)
    samples = []
    for step in range(1, burn_in + n_samples * thinning + 1):
        direction = rng.standard_normal(len(x))
        direction /= np.linalg.norm(direction)
        x, height = slice_step(log_density, x, height, direction, rng)
        if step > burn_in and (step - burn_in) % thinning == 0:
            samples.append(x)
    return np.array(samples).reshape(n_samples, len(x))


def slice_step(
    log_density: Callable[[np.ndarray], float],
    x: np.ndarray,
    height: float,
    direction: np.ndarray,
    rng: np.random.Generator,
) -> tuple[np.ndarray, float]:
    """Next point of the chain and its log density, from a point with log density `height`, along a direction."""
    level = height + math.log(1.0 - rng.random())  # 1 - [0, 1) is never 0
    low = -WIDTH * rng.random()
    high = low + WIDTH
    low = _step_out(log_density, x, low, -WIDTH, direction, level)
    high = _step_out(log_density, x, high, WIDTH, direction, level)
    for _ in range(MAX_STEPS):
        place = low + (high - low) * rng.random()
        candidate = x + place * direction
        value = log_density(candidate)
        if value > level:
            return candidate, value
        if place < 0.0:
            low = place
        else:
            high = place
    return x, height


def _step_out(
    log_density: Callable[[np.ndarray], float],
    x: np.ndarray,
    end: float,
    step: float,
    direction: np.ndarray,
    level: float,
) -> float:
    for _ in range(MAX_STEPS):
        if log_density(x + end * direction) <= level:
            return end
        end += step
    return end
