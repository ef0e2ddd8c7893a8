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

from collections.abc import Callable, Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np

from hpo_core.errors import InvalidOption

Gradient = Callable[[np.ndarray, np.random.Generator], np.ndarray]
Progress = Callable[[int], object]
FIRST_WINDOW = 10
SMALLEST_SQUARE = 1e-12  # of a gradient; a parameter that nothing depends on has none


class Scales(NamedTuple):
    """Running means of the gradient: its square V, itself g, and the windows tau."""

    square: np.ndarray
    mean: np.ndarray
    window: np.ndarray


class State(NamedTuple):
    """Chains after a step: parameters (C, P), velocities (C, P) and running means."""

    theta: np.ndarray
    velocity: np.ndarray
    scales: Scales


class Draws(NamedTuple):
    """Parameters (n_draws, C, P) of the chains, and their state after the last step."""

    theta: np.ndarray
    state: State


class Dynamics(NamedTuple):
    """One step as numbers: v' = keep v - drift grad + noise N(0, 1), theta' = theta + v'."""

    keep: np.ndarray | float
    drift: np.ndarray | float
    noise: np.ndarray | float


Advance = Callable[[np.ndarray, np.ndarray, np.ndarray, Dynamics, np.random.Generator], tuple[np.ndarray, np.ndarray]]


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


def adapted_dynamics(square: np.ndarray, step: float, decay: float = 0.05, *, raised: bool = True) -> Dynamics:
    """Step of eq. 3.10 for squared gradients V; `raised` friction, after burn-in, meets the rule C >= epsilon V."""
    inverse_mass = 1.0 / np.sqrt(square)
    friction = np.clip(step**2 / inverse_mass, decay, 1.0) if raised else decay
    variance = 2.0 * step**2 * friction * inverse_mass - step**4
    return Dynamics(1.0 - friction, step**2 * inverse_mass, np.sqrt(np.maximum(variance, 0.0)))


def plain_dynamics(step: float, decay: float = 0.05) -> Dynamics:
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
    """
    kick = rng.standard_normal(theta.shape, dtype=theta.dtype.type)
    kick *= dynamics.noise
    kick -= dynamics.drift * gradient
    kick += dynamics.keep * velocity
    return theta + kick, kick


def at_rest(
    gradient: Gradient, theta: np.ndarray, rng: np.random.Generator, floor: np.ndarray | float = SMALLEST_SQUARE
) -> State:
    """Chains without velocity at theta (C, P), with running means of `FIRST_WINDOW` gradients there.

    Parameters
    ----------
    gradient, floor
        As in `chain`.
    theta
        (C, P) start.
    rng
        Source of randomness.
    """
    found = [gradient(theta, rng) for _ in range(FIRST_WINDOW)]
    return State(theta, np.zeros_like(theta), first_scales(found, floor))


def adapted(
    gradient: Gradient,
    state: State,
    rng: np.random.Generator,
    n_steps: int,
    step: float,
    *,
    decay: float = 0.05,
    floor: np.ndarray | float = SMALLEST_SQUARE,
    advance: Advance = advance,
) -> State:
    """The chains after some steps of burn-in, in which the running means follow the gradients.

    Parameters
    ----------
    gradient, step, decay, floor
        As in `chain`.
    state
        Of the chains before.
    rng
        Source of randomness.
    n_steps
        Number of steps.
    advance
        One step, `advance` or a function like it.
    """
    theta, velocity, scales = state
    for _ in range(n_steps):
        found = gradient(theta, rng)
        scales = adapt(scales, found, floor)
        dynamics = adapted_dynamics(scales.square, step, decay, raised=False)
        theta, velocity = advance(theta, velocity, found, dynamics, rng)
    return State(theta, velocity, scales)


def steps(
    gradient: Gradient, state: State, rng: np.random.Generator, dynamics: Dynamics, advance: Advance = advance
) -> Iterator[State]:
    """The chains after each step with fixed dynamics, without end.

    Parameters
    ----------
    gradient
        As in `chain`.
    state
        Of the chains before.
    rng
        Source of randomness.
    dynamics
        Of every step.
    advance
        One step, `advance` or a function like it.
    """
    theta, velocity, scales = state
    while True:
        theta, velocity = advance(theta, velocity, gradient(theta, rng), dynamics, rng)
        yield State(theta, velocity, scales)


def draw(states: Iterator[State], n_draws: int, n_between: int, progress: Progress | None = None) -> Draws:
    """Draws (n_draws, C, P), each after `n_between` steps, and the state after the last step.

    Parameters
    ----------
    states
        From `steps`.
    n_draws, n_between
        Number of draws of each chain, and of steps from one to the next; at least 1 each.
    progress
        Called with the number of steps after each draw.
    """
    found = []
    for _ in range(n_draws):
        state = next(islice(states, n_between - 1, None))
        found.append(state.theta)
        if progress is not None:
            progress(n_between)
    return Draws(np.stack(found), state)


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
) -> Iterator[State]:
    """The chains after each step that follows burn-in, without end.

    Parameters
    ----------
    gradient
        `gradient(theta, rng)` is a noisy, unbiased gradient of the potential over all data.
    theta
        Start, float32 or float64; (n_chains, ...) for independent chains.
    rng
        Source of randomness.
    n_burn_in
        Number of steps in which the scales adapt, after their start from `FIRST_WINDOW` gradients.
    step
        epsilon.
    decay
        alpha, before it is raised at the end of burn-in.
    floor
        Least value of V. A parameter that only its prior depends on has a gradient without noise, whose running mean
        comes close to zero now and then, and the parameter would leap far away; the prior's precision, E[g^2] under the
        prior, prevents it.
    dynamics
        Fixed from the first step on, `plain_dynamics(...)` for instance, instead of the adapted ones.
    """
    if n_burn_in < 0 or not step > 0:
        raise InvalidOption(f"a chain needs n_burn_in >= 0 and a step > 0, got {n_burn_in} and {step}")
    state = at_rest(gradient, theta, rng, floor)
    if dynamics is not None:
        yield from islice(steps(gradient, state, rng, dynamics), n_burn_in, None)
    state = adapted(gradient, state, rng, n_burn_in, step, decay=decay, floor=floor)
    yield from steps(gradient, state, rng, adapted_dynamics(state.scales.square, step, decay))
