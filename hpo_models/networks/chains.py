"""Chains of scale-adapted SGHMC: burn-in, steps with fixed scales, draws; for a model, from a start near a mode.

State       of C chains: theta (C, P), velocity (C, P), running means of the gradient
`adapted`   steps in which the running means follow the gradients: burn-in
`steps`     steps with everything fixed, from which `draw` takes every k-th
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import NamedTuple, Protocol

import numpy as np

from hpo_core.errors import InvalidOption
from hpo_core.single_thread import single_thread
from hpo_models.networks.adam import WarmStart, adam
from hpo_models.networks.sghmc import (
    DECAY,
    FIRST_WINDOW,
    SMALLEST_SQUARE,
    Dynamics,
    Gradient,
    Scales,
    adapt,
    adapted_dynamics,
    advance,
    first_scales,
)

Progress = Callable[[int], object]
Advance = Callable[[np.ndarray, np.ndarray, np.ndarray, Dynamics, np.random.Generator], tuple[np.ndarray, np.ndarray]]


class State(NamedTuple):
    """Chains after a step: parameters (C, P), velocities (C, P) and running means."""

    theta: np.ndarray
    velocity: np.ndarray
    scales: Scales


class Draws(NamedTuple):
    """Parameters (n_draws, C, P) of the chains, and their state after the last step."""

    theta: np.ndarray
    state: State


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

    Returns
    -------
    State
        Of the chains.
    """
    found = [gradient(theta, rng).copy() for _ in range(FIRST_WINDOW)]
    return State(theta, np.zeros_like(theta), first_scales(found, floor))


def adapted(
    gradient: Gradient,
    state: State,
    rng: np.random.Generator,
    n_steps: int,
    step: float,
    *,
    decay: float = DECAY,
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

    Returns
    -------
    State
        Of the chains after the last step.
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

    Returns
    -------
    iterator of State
        One for each step.
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

    Returns
    -------
    Draws
        The draws and the last state.
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
    decay: float = DECAY,
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

    Returns
    -------
    iterator of State
        One for each step.
    """
    if n_burn_in < 0 or not step > 0:
        raise InvalidOption(f"a chain needs n_burn_in >= 0 and a step > 0, got {n_burn_in} and {step}")
    state = at_rest(gradient, theta, rng, floor)
    if dynamics is not None:
        yield from islice(steps(gradient, state, rng, dynamics), n_burn_in, None)
    state = adapted(gradient, state, rng, n_burn_in, step, decay=decay, floor=floor)
    yield from steps(gradient, state, rng, adapted_dynamics(state.scales.square, step, decay))


class Potential(Protocol):
    """What is sampled, such as `hpo_models.networks.bnn.Regression`."""

    @property
    def prior_precision(self) -> np.ndarray: ...
    def start(self, n_chains: int, rng: np.random.Generator) -> np.ndarray: ...
    def gradient(self, theta: np.ndarray, rng: np.random.Generator) -> np.ndarray: ...


def sample_chains(
    model: Potential,
    seed: int,
    *,
    n_chains: int,
    n_draws: int,
    n_between: int,
    n_burn_in: int,
    step: float,
    warm_start: WarmStart | None,
    progress: Progress | None = None,
) -> np.ndarray:
    """Draws (K, n_chains, P) float32, K n_chains >= n_draws; they may be infinite or NaN if a chain diverged.

    Parameters
    ----------
    model
        What is sampled.
    seed
        Fixes everything that is random.
    n_chains
        Number of independent chains.
    n_draws
        Number of draws of all chains together, rounded up to a multiple of `n_chains`.
    n_between
        Number of steps from one draw of a chain to the next.
    n_burn_in
        Number of steps before the first draw in which the scales adapt.
    step
        Step length.
    warm_start
        Steps of Adam before the chains; None starts them at random weights.
    progress
        Called with the number of steps since the last call, steps of Adam included.

    Returns
    -------
    ndarray
        (K, n_chains, P) float32.
    """
    first, second, third = (np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(3))
    with single_thread:
        theta = model.start(n_chains, first)
        if warm_start is not None:
            theta = adam(model.gradient, theta, second, warm_start)
        if progress is not None:
            progress((0 if warm_start is None else warm_start.n_steps) + n_burn_in)
        states = chain(model.gradient, theta, third, n_burn_in=n_burn_in, step=step, floor=model.prior_precision)
        return draw(states, -(-n_draws // n_chains), n_between, progress).theta
