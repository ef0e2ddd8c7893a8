"""Stochastic gradient Hamiltonian Monte Carlo with scale adaptation (Springenberg et al., 2016; Klein, 2020, 3.4).

    theta       parameters, any shape; independent chains may lie along the first axis
    U           potential, -log p(theta, data); only noisy gradients of it are known
    v           velocity, epsilon M^-1 r
    epsilon     step length
    V           running mean of the squared gradient, M^-1 = V^-1/2     (Klein, 2020, eq. 3.7)
    tau, g      length of the running means' window, running mean of the gradient     (eq. 3.8)
    alpha       share of the velocity that friction takes in a step, epsilon V^-1/2 C

All functions are pure: what a step needs comes in, what it changes goes out. `adapt` runs in burn-in only, so that the
chain that is kept has fixed parameters.

Departures from Klein (2020): the running means start at those of ten gradients at the start, with windows of 10: from
a single gradient, which may be near zero, V would make the first step far too long, and tau = 1 with eqs 3.7 and 3.8 as
printed stays at 1 for ever. C is a diagonal matrix, with C >= epsilon V at the end of burn-in for each parameter rather
than for the worst of them. Friction stops at alpha = 1; where epsilon^2 V^1/2 is above 1, the noise of the gradient is
more than friction can take away, and a shorter step is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

Gradient = Callable[[np.ndarray, np.random.Generator], np.ndarray]
FIRST_WINDOW = 10
DECAY = 0.05  # alpha in burn-in
SMALLEST_SQUARE = 1e-12  # of a gradient; a parameter that nothing depends on has none


class Scales(NamedTuple):
    """Running means of the gradient: its square V, itself g, and the windows tau."""

    square: np.ndarray
    mean: np.ndarray
    window: np.ndarray


class Dynamics(NamedTuple):
    """One step as numbers: v' = keep v - drift grad + noise N(0, 1), theta' = theta + v'."""

    keep: np.ndarray | float
    drift: np.ndarray | float
    noise: np.ndarray | float


def first_scales(gradients: list[np.ndarray], floor: np.ndarray | float = SMALLEST_SQUARE) -> Scales:
    """Running means to start from: those of a few gradients at the same theta."""
    square = np.mean([gradient * gradient for gradient in gradients], axis=0)
    mean = np.mean(gradients, axis=0)
    return Scales(np.maximum(square, floor), mean, np.full_like(mean, float(FIRST_WINDOW)))


def adapt(scales: Scales, gradient: np.ndarray, floor: np.ndarray | float = SMALLEST_SQUARE) -> Scales:
    """Running means after one more gradient, eqs 3.7 and 3.8; all three from the old values, V not below `floor`."""
    square, mean, window = scales
    share = 1.0 / window
    return Scales(
        square=np.maximum(square + share * (gradient * gradient - square), floor),
        mean=mean + share * (gradient - mean),
        window=window * (1.0 - np.minimum(mean * mean / square, 1.0)) + 1.0,
    )


def adapted_dynamics(square: np.ndarray, step: float, decay: float = DECAY, *, raised: bool = True) -> Dynamics:
    """Step of eq. 3.10.

    Parameters
    ----------
    square
        V, squared gradients.
    step
        epsilon.
    decay
        alpha, before it is raised.
    raised
        Whether friction is raised to satisfy C >= epsilon V, as it is after burn-in.

    Returns
    -------
    Dynamics
        Coefficients of the step, of the shape of V.
    """
    inverse_mass = 1.0 / np.sqrt(square)
    friction = np.clip(step**2 / inverse_mass, decay, 1.0) if raised else decay
    variance = 2.0 * step**2 * friction * inverse_mass - step**4
    return Dynamics(1.0 - friction, step**2 * inverse_mass, np.sqrt(np.maximum(variance, 0.0)))


def plain_dynamics(step: float, decay: float = DECAY) -> Dynamics:
    """Step of eq. 3.6 with unit mass and no estimate of the gradient's noise, as in Chen et al. (2014)."""
    return Dynamics(1.0 - decay, step**2, step * (2.0 * decay) ** 0.5)


def advance(
    theta: np.ndarray, velocity: np.ndarray, gradient: np.ndarray, dynamics: Dynamics, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Parameters and velocity one step later, eqs 3.9 and 3.10.

    Parameters
    ----------
    theta, velocity, gradient
        (C, P) each, of C chains.
    dynamics
        Of the step.
    rng
        Source of randomness.

    Returns
    -------
    tuple of ndarray
        (C, P) parameters and (C, P) velocities.
    """
    kick = rng.standard_normal(theta.shape, dtype=theta.dtype.type)
    kick *= dynamics.noise
    kick -= dynamics.drift * gradient
    kick += dynamics.keep * velocity
    return theta + kick, kick
