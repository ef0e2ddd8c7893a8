"""Stochastic gradient Hamiltonian Monte Carlo with scale adaptation (Springenberg et al., 2016; thesis, section 3.4).

    theta       parameters, any shape; independent chains may lie along the first axis
    U           potential, -log p(theta, data); only noisy gradients of it are seen
    v           velocity, epsilon M^-1 r
    epsilon     step length
    V           running mean of the squared gradient, M^-1 = V^-1/2     (eq. 3.7)
    tau, g      length of the running means' window, running mean of the gradient     (eq. 3.8)
    alpha       share of the velocity that friction takes in a step, epsilon V^-1/2 C

All functions are pure: what a step needs comes in, what it changes goes out. `adapt` runs in burn-in only, so that the
chain that is kept has fixed parameters.

Where this leaves the thesis. The running means start at those of ten gradients at the first place, with windows of 10:
from a single gradient, which may be near zero, V would throw the chain far away, and tau = 1 with eqs 3.7 and 3.8 as
printed stays at 1 for ever. C is a diagonal matrix, with C >= epsilon V at the end of burn-in for each parameter rather
than for the worst of them. Friction stops at alpha = 1; where epsilon^2 V^1/2 lies above 1, the noise of the gradient
is more than friction can take away, and a shorter step is needed (`excess` says for which share of the parameters).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from hpo_core.errors import InvalidOption

Gradient = Callable[[np.ndarray, np.random.Generator], np.ndarray]
FIRST_WINDOW = 10
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
    """Running means to start from: those of a few gradients at one place."""
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


def adapted_dynamics(square: np.ndarray, step: float, decay: float = 0.05, *, raised: bool = True) -> Dynamics:
    """Step of eq. 3.10 for squared gradients V; `raised` friction, after burn-in, meets the rule C >= epsilon V."""
    inverse_mass = 1.0 / np.sqrt(square)
    friction = np.clip(step**2 / inverse_mass, decay, 1.0) if raised else decay
    variance = 2.0 * step**2 * friction * inverse_mass - step**4
    return Dynamics(1.0 - friction, step**2 * inverse_mass, np.sqrt(np.maximum(variance, 0.0)))


def plain_dynamics(step: float, decay: float = 0.05) -> Dynamics:
    """Step of eq. 3.6 with unit mass and no estimate of the gradient's noise, as in Chen et al. (2014)."""
    return Dynamics(1.0 - decay, step**2, step * (2.0 * decay) ** 0.5)


def excess(square: np.ndarray, step: float) -> float:
    """Share of the parameters whose gradient noise friction cannot make up for at this step length."""
    return float(np.mean(step**2 * np.sqrt(square) > 1.0))


def advance(
    theta: np.ndarray, velocity: np.ndarray, gradient: np.ndarray, dynamics: Dynamics, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Parameters and velocity one step later, eqs 3.9 and 3.10."""
    kick = rng.standard_normal(theta.shape, dtype=theta.dtype.type)
    kick *= dynamics.noise
    kick -= dynamics.drift * gradient
    kick += dynamics.keep * velocity
    return theta + kick, kick


def chain(
    gradient: Gradient,
    theta: np.ndarray,
    rng: np.random.Generator,
    *,
    n_burn_in: int,
    step: float = 1e-2,
    decay: float = 0.05,
    floor: np.ndarray | float = SMALLEST_SQUARE,
    dynamics: Dynamics | None = None,
) -> Iterator[np.ndarray]:
    """Parameters after each step that follows burn-in, without end.

    Parameters
    ----------
    gradient
        `gradient(theta, rng)` is a noisy, unbiased gradient of the potential over all data.
    theta
        Start, float32 or float64; (n_chains, ...) for independent chains.
    n_burn_in
        Steps in which the scales adapt, after their start from `FIRST_WINDOW` gradients.
    floor
        Least value of V. A parameter that only its prior knows has a gradient without noise, whose running mean comes
        close to zero now and then and would throw it away; the prior's precision, E[g^2] under the prior, prevents it.
    dynamics
        Fixed from the first step on, `plain_dynamics(...)` for instance, instead of the adapted ones.
    """
    if n_burn_in < 0 or not step > 0:
        raise InvalidOption(f"a chain needs n_burn_in >= 0 and a step > 0, got {n_burn_in} and {step}")
    velocity = np.zeros_like(theta)
    scales = first_scales([gradient(theta, rng) for _ in range(FIRST_WINDOW)], floor)
    slope = gradient(theta, rng)
    for _ in range(n_burn_in):
        if dynamics is None:
            scales = adapt(scales, slope, floor)
        now = dynamics or adapted_dynamics(scales.square, step, decay, raised=False)
        theta, velocity = advance(theta, velocity, slope, now, rng)
        slope = gradient(theta, rng)
    fixed = dynamics or adapted_dynamics(scales.square, step, decay)
    while True:
        theta, velocity = advance(theta, velocity, slope, fixed, rng)
        yield theta
        slope = gradient(theta, rng)
