"""Chains of scale-adapted SGHMC that go on where they stopped, while the data grow (thesis, sections 3.4 and 3.6).

    State       of C chains: theta (C, P), velocity (C, P), running means of the gradient (`sghmc.Scales`)
    `adapted`   some steps in which the running means follow the new data: a short second burn-in
    `drawn`     then, with everything fixed, some draws of each chain, a number of steps apart

The thesis starts a chain anew after every observation, with 100 steps of burn-in for each of them and 10,000 steps
after it. One observation more changes a posterior little, so chains that go on need a fraction of that. The first time
they start near a mode, by Adam.

The noise of a step is uniform with the variance of eq. 3.10, not Gaussian: it is drawn in a fifth of the time, which
was half of a step's. The parameters, sums over many steps, do not tell the difference; such schemes are called weak
(Kloeden and Platen, 1992, chapter 14).
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from threadpoolctl import threadpool_limits

from hpo_models.networks.bnn import Diverged, WarmStart, adam
from hpo_models.networks.sghmc import FIRST_WINDOW, Dynamics, Scales, adapt, adapted_dynamics, first_scales

FIRST_WARM, FIRST_ADAPT = 3, 6
ROOT_12 = np.float32(12.0**0.5)  # one over the standard deviation of a number between 0 and 1


class Potential(Protocol):
    """What is sampled: `hpo_models.networks.bnn.Regression`, or one of several tasks."""

    @property
    def prior_precision(self) -> np.ndarray: ...
    def start(self, n_chains: int, rng: np.random.Generator) -> np.ndarray: ...
    def gradient(self, theta: np.ndarray, rng: np.random.Generator) -> np.ndarray: ...


class State(NamedTuple):
    """Where the chains are, (C, P) each."""

    theta: np.ndarray
    velocity: np.ndarray
    scales: Scales


class Lengths(NamedTuple):
    """Numbers of chains and of steps.

    n_adapt     steps of burn-in each time the data have grown; the first time `FIRST_WARM` times as many steps of Adam
                come before them, and there are `FIRST_ADAPT` times as many
    n_draws     draws of each chain that are kept, `n_between` steps apart
    step        epsilon of the thesis
    """

    n_chains: int = 4
    n_adapt: int = 100
    n_draws: int = 10
    n_between: int = 30
    step: float = 1e-2


class ContinuedChains:
    """Draws from the posteriors of a sequence of models that differ little: those of data that grow."""

    def __init__(self, lengths: Lengths):
        self.lengths = lengths
        self._state: State | None = None

    def draws(self, model: Potential, rng: np.random.Generator) -> np.ndarray:
        """(n_chains * n_draws, P) parameters; the chains start anew if they left the finite numbers."""
        with threadpool_limits(1):  # matrices this small only lose time when they are shared out
            for state in (self._state, None):
                with np.errstate(over="ignore", invalid="ignore"):
                    self._state, found = self._go_on(model, state, rng)
                if np.isfinite(found).all():
                    return found.reshape(-1, found.shape[-1])
        step = self.lengths.step
        raise Diverged(f"the chains left the finite numbers at step length {step:g}; try one of {step / 3:.1g}")

    def _go_on(self, model: Potential, state: State | None, rng: np.random.Generator) -> tuple[State, np.ndarray]:
        n, n_adapt = self.lengths, self.lengths.n_adapt
        if state is None:
            theta = adam(model.gradient, model.start(n.n_chains, rng), rng, WarmStart(FIRST_WARM * n_adapt))
            state, n_adapt = at_rest(model, theta, rng), FIRST_ADAPT * n_adapt
        state = adapted(model, state, rng, n_adapt, n.step)
        return drawn(model, state, rng, n.n_draws, n.n_between, n.step)


def at_rest(model: Potential, theta: np.ndarray, rng: np.random.Generator) -> State:
    """Chains that stand still at theta (C, P), with running means of a few gradients there."""
    slopes = [model.gradient(theta, rng) for _ in range(FIRST_WINDOW)]
    return State(theta, np.zeros_like(theta), first_scales(slopes, model.prior_precision))


def adapted(model: Potential, state: State, rng: np.random.Generator, n_steps: int, step: float) -> State:
    """The chains after `n_steps` of burn-in."""
    theta, velocity, scales = state
    for _ in range(n_steps):
        slope = model.gradient(theta, rng)
        scales = adapt(scales, slope, model.prior_precision)
        dynamics = adapted_dynamics(scales.square, step, raised=False)
        theta, velocity = advance_weakly(theta, velocity, slope, dynamics, rng)
    return State(theta, velocity, scales)


def drawn(
    model: Potential, state: State, rng: np.random.Generator, n_draws: int, n_between: int, step: float
) -> tuple[State, np.ndarray]:
    """The chains after `n_draws * n_between` steps with fixed scales, and the draws (n_draws, C, P) on the way."""
    theta, velocity, scales = state
    dynamics = adapted_dynamics(scales.square, step)
    draws = np.empty((n_draws, *theta.shape), dtype=theta.dtype)
    for k in range(n_draws):
        for _ in range(n_between):
            theta, velocity = advance_weakly(theta, velocity, model.gradient(theta, rng), dynamics, rng)
        draws[k] = theta
    return State(theta, velocity, scales), draws


def advance_weakly(
    theta: np.ndarray, velocity: np.ndarray, gradient: np.ndarray, dynamics: Dynamics, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """As `sghmc.advance`, with uniform noise of the same variance."""
    kick = rng.random(theta.shape, dtype=theta.dtype.type)
    kick -= theta.dtype.type(0.5)
    kick *= ROOT_12 * dynamics.noise
    kick -= dynamics.drift * gradient
    kick += dynamics.keep * velocity
    return theta + kick, kick
