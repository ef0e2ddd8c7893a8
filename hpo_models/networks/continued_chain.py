"""Chains of scale-adapted SGHMC that go on where they ended, while the data grow (Klein, 2020, sections 3.4 and 3.6).

Each time the data have grown there are some steps in which the running means of the gradient follow the new data, a
short second burn-in, and then, with everything fixed, some draws of each chain.

Departures from Klein (2020), where a chain starts from scratch after every observation, with 100 steps of burn-in for
each of them and 10,000 steps after it. One observation more changes a posterior little, so chains that go on need a
fraction of that. The first time they start near a mode, by Adam.

The noise of a step has the standard deviation of eq. 3.10 and a random sign, where it should be Gaussian: drawing that
would take longer than the rest of the step. The parameters, sums over many steps, have the same distribution; such
schemes are called weak (Kloeden and Platen, 1992, section 14.1).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hpo_core.single_thread import single_thread
from hpo_models.networks.adam import WarmStart, adam
from hpo_models.networks.aligned import aligned, aligned_copy
from hpo_models.networks.bnn import Diverged
from hpo_models.networks.chains import Draws, Potential, State, at_rest
from hpo_models.networks.sghmc import Dynamics, adapt, adapted_dynamics

FIRST_WARM, FIRST_ADAPT = 8, 15
N_SIGNS = 32  # bits of a word
SIGN = np.uint32(1 << 31)  # bit of the sign of a float32


class Lengths(NamedTuple):
    """Numbers of chains and of steps.

    n_adapt     steps of burn-in each time the data have grown; the first time `FIRST_WARM` times as many steps of Adam
                come before them, and there are `FIRST_ADAPT` times as many
    n_draws     draws of each chain that are kept, `n_between` steps apart
    step        step length, epsilon
    """

    n_chains: int = 4
    n_adapt: int = 40
    n_draws: int = 10
    n_between: int = 15
    step: float = 2e-2


class ContinuedChains:
    """Draws from the posteriors of a sequence of models that differ little: those of data that grow."""

    def __init__(self, lengths: Lengths):
        self.lengths = lengths
        self._state: State | None = None

    def draws(self, model: Potential, rng: np.random.Generator) -> np.ndarray:
        """(n_chains * n_draws, P) parameters; chains that diverge start again, once."""
        with single_thread:
            for state in (self._state, None):
                with np.errstate(over="ignore", invalid="ignore"):
                    found, self._state = self._go_on(model, state, rng)
                if np.isfinite(found).all():
                    return found.reshape(-1, found.shape[-1])
        step = self.lengths.step
        raise Diverged(f"the chains diverged at step length {step:g}; try one of {step / 3:.1g}")

    def _go_on(self, model: Potential, state: State | None, rng: np.random.Generator) -> Draws:
        n, n_adapt = self.lengths, self.lengths.n_adapt
        floor = model.prior_precision
        if state is None:
            theta = adam(model.gradient, model.start(n.n_chains, rng), rng, WarmStart(FIRST_WARM * n_adapt))
            state, n_adapt = at_rest(model.gradient, theta, rng, floor), FIRST_ADAPT * n_adapt
        chains, scales = WeakSteps(state.theta, state.velocity, rng), state.scales
        for _ in range(n_adapt):
            gradient = model.gradient(chains.theta, rng)
            scales = adapt(scales, gradient, floor)
            chains.follow(adapted_dynamics(scales.square, n.step, raised=False))
            chains.advance(gradient)
        chains.follow(adapted_dynamics(scales.square, n.step))
        found = np.empty((n.n_draws, *chains.theta.shape), dtype=np.float32)
        for draw in found:
            for _ in range(n.n_between):
                chains.advance(model.gradient(chains.theta, rng))
            draw[...] = chains.theta
        return Draws(found, State(chains.theta, chains.velocity, scales))


class WeakSteps:
    """Steps of eqs 3.9 and 3.10 in place, with noise of random sign.

    Parameters
    ----------
    theta, velocity
        (C, P) of C chains; copied.
    rng
        Source of randomness.
    """

    def __init__(self, theta: np.ndarray, velocity: np.ndarray, rng: np.random.Generator):
        self.theta, self.velocity, self._rng = aligned_copy(theta), aligned_copy(velocity), rng
        self._keep, self._drift, self._noise, self._kick, words = (aligned(theta.shape) for _ in range(5))
        self._words, self._left = words.view(np.uint32), 0

    def follow(self, dynamics: Dynamics) -> None:
        """Makes the next steps those of the dynamics."""
        self._keep[...], self._drift[...], self._noise[...] = dynamics

    def advance(self, gradient: np.ndarray) -> None:
        """One step; the gradient (C, P) is overwritten."""
        gradient *= self._drift
        self.velocity *= self._keep
        self.velocity -= gradient
        self.velocity += self._signed_noise()
        self.theta += self.velocity

    def _signed_noise(self) -> np.ndarray:
        """(C, P) noise with random signs: a word of 32 bits for each parameter has those of 32 steps."""
        if self._left == 0:
            n_pairs = -(-self._words.size // 2)
            pairs = self._rng.integers(2**64 - 1, size=n_pairs, dtype=np.uint64, endpoint=True)
            self._words.reshape(-1)[:] = pairs.view(np.uint32)[: self._words.size]
            self._left = N_SIGNS
        self._left -= 1
        signs = self._kick.view(np.uint32)
        np.bitwise_and(self._words, SIGN, out=signs)
        np.bitwise_xor(signs, self._noise.view(np.uint32), out=signs)
        self._words += self._words  # the next bit comes to the front
        return self._kick
