"""Adam (Kingma and Ba, 2015) with a learning rate that falls along a cosine, to a hundredth of the first one.

Departure from the paper: beta_2 is 0.99, where it suggests 0.999; beta_1 is 0.9 as there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hpo_models.networks.aligned import aligned, aligned_copy
from hpo_models.networks.sghmc import Gradient

SMALLEST = 1e-8  # added to the root of the squares


class WarmStart(NamedTuple):
    """Number of steps, and the first learning rate."""

    n_steps: int = 5000
    rate: float = 1e-2


def adam(gradient: Gradient, theta: np.ndarray, rng: np.random.Generator, options: WarmStart) -> np.ndarray:
    """Parameters after all steps, float32, of the shape of theta.

    Parameters
    ----------
    gradient
        `gradient(theta, rng)` is a noisy gradient of what is minimised.
    theta
        Start, float32; summed up in float64.
    rng
        Source of randomness of the gradient.
    options
        Number of steps and learning rate.

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
        scale = np.sqrt(square / (1.0 - 0.99 ** (k + 1)))
        scale += SMALLEST
        theta = theta - learning_rate(options, k) * mean / scale
    return theta.astype(np.float32)


def adam_in_place(gradient: Gradient, theta: np.ndarray, rng: np.random.Generator, options: WarmStart) -> np.ndarray:
    """As `adam`, in float32 all through, in the quicker order of computation at the end of section 2 of the paper.

    Parameters
    ----------
    gradient, rng, options
        As in `adam`; the gradient is overwritten.
    theta
        Start, float32; overwritten.

    Returns
    -------
    ndarray
        Theta, float32.
    """
    mean, square = aligned_copy(np.zeros_like(theta)), aligned_copy(np.zeros_like(theta))
    change = aligned(theta.shape)
    for k in range(options.n_steps):
        found = gradient(theta, rng)
        np.multiply(found, found, out=change)
        change *= 0.01
        square *= 0.99
        square += change
        found *= 0.1
        mean *= 0.9
        mean += found
        np.sqrt(square, out=change)
        change += SMALLEST
        np.divide(mean, change, out=change)
        change *= float(learning_rate(options, k) * (1.0 - 0.99 ** (k + 1)) ** 0.5)
        theta -= change
    return theta


def learning_rate(options: WarmStart, k: int) -> np.float64:
    """Rate of step k, along the cosine; divided by the share of the mean's weights since its start at 0.

    A float64 of numpy's makes the products with it float64, which a number of Python's would not.
    """
    rate = np.float64(options.rate) * (0.01 + 0.99 * 0.5 * (1.0 + np.cos(np.pi * k / options.n_steps)))
    return rate / (1.0 - 0.9 ** (k + 1))
