"""Adam (Kingma and Ba, 2015) with a learning rate that falls along a cosine, to a hundredth of the first one.

Departure from the paper: beta_2 is 0.99, where it suggests 0.999; beta_1 is 0.9 as there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hpo_models.networks.sghmc import Gradient

SMALLEST = 1e-8  # added to the root of the squares


class WarmStart(NamedTuple):
    """Number of steps, and the first learning rate."""

    n_steps: int = 5000
    rate: float = 1e-2


def adam(
    gradient: Gradient, theta: np.ndarray, rng: np.random.Generator, options: WarmStart, *, single: bool = False
) -> np.ndarray:
    """Parameters after all steps, float32, of the shape of theta.

    Parameters
    ----------
    gradient
        `gradient(theta, rng)` is a noisy gradient of what is minimised.
    theta
        Start, float32.
    rng
        Source of randomness of the gradient.
    options
        Number of steps and learning rate.
    single
        Keep the parameters in float32 all through, with the quicker order of computation at the end of section 2 of the
        paper; otherwise they are summed up in float64.

    Returns
    -------
    ndarray
        Parameters, float32.
    """
    mean, square = np.zeros_like(theta), np.zeros_like(theta)
    for k in range(options.n_steps):
        found = gradient(theta, rng)
        mean += 0.1 * (found - mean)
        square += 0.01 * (found * found - square)
        rate = options.rate * (0.01 + 0.99 * 0.5 * (1.0 + np.cos(np.pi * k / options.n_steps)))
        rate /= 1.0 - 0.9 ** (k + 1)  # the running means start at 0
        filled = 1.0 - 0.99 ** (k + 1)
        if single:
            scale = np.sqrt(square)
            rate = np.float32(rate * filled**0.5)
        else:
            scale = np.sqrt(square / filled)
        scale += SMALLEST
        theta = theta - rate * mean / scale
    return theta.astype(np.float32)
