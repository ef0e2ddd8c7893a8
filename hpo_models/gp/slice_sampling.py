"""Slice sampling along random directions (Neal, 2003; Murray and Adams, 2010, for hyperparameters).

From a point x, with a level drawn uniformly below the density at x:

    step out   an interval of width `width` is placed around x at random, and widened by `width` at a time on both sides
               until its ends lie below the level
    step in    a point is drawn uniformly from the interval; while it lies below the level, it becomes an end of the
               interval

Stepping out may be left out (Neal, 2003, section 4.1, a limit of one on the size of the interval): a step is then never
longer than `width`, and takes two evaluations of the density less. That suits a chain that has found its place, on
slices that are narrower than `width`.

Makarova et al. (2021, A.1.1) use one chain of 300 steps of width 1, of which 250 are burn-in, and keep every fifth.
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
    step_out: bool = True,
) -> np.ndarray:
    """Samples of a density that is known up to a constant factor; they are correlated, since they are of one chain.

    Parameters
    ----------
    log_density
        Logarithm of the density at a point (d,); -inf is allowed.
    start
        (d,) start of the chain, where the density is positive.
    rng
        Source of the steps.
    n_samples, burn_in, thinning
        After `burn_in` steps every `thinning`-th is kept, until there are `n_samples`.
    step_out
        Whether intervals are widened.

    Returns
    -------
    np.ndarray
        (n_samples, d) samples.
    """
    x, height = np.array(start, dtype=float), log_density(start)
    samples = []
    for step in range(1, burn_in + n_samples * thinning + 1):
        direction = rng.standard_normal(len(x))
        direction /= np.linalg.norm(direction)
        x, height = slice_step(log_density, x, height, direction, rng, step_out)
        if step > burn_in and (step - burn_in) % thinning == 0:
            samples.append(x)
    return np.array(samples).reshape(n_samples, len(x))


def slice_step(
    log_density: Callable[[np.ndarray], float],
    x: np.ndarray,
    height: float,
    direction: np.ndarray,
    rng: np.random.Generator,
    step_out: bool = True,
) -> tuple[np.ndarray, float]:
    """Next point of the chain and its log density.

    Parameters
    ----------
    log_density
        Logarithm of the density at a point (d,).
    x, height
        Current point (d,) and its log density.
    direction
        (d,) unit vector along which the next point lies.
    rng
        Source of the level, of the interval and of the candidates.
    step_out
        Whether the interval is widened.

    Returns
    -------
    tuple of np.ndarray and float
        The point (d,) and its log density; the current ones if no candidate was found.
    """
    level = height + math.log(1.0 - rng.random())  # 1 - [0, 1) is never 0
    low = -WIDTH * rng.random()
    high = low + WIDTH
    if step_out:
        low = _step_out(log_density, x, low, -WIDTH, direction, level)
        high = _step_out(log_density, x, high, WIDTH, direction, level)
    for _ in range(MAX_STEPS):
        offset = low + (high - low) * rng.random()
        candidate = x + offset * direction
        value = log_density(candidate)
        if value > level:
            return candidate, value
        if offset < 0.0:
            low = offset
        else:
            high = offset
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
