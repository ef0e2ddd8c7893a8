"""Steps of scale-adapted SGHMC in place, with noise of random sign (Klein, 2020, section 3.4).

The noise of a step has the standard deviation of eq. 3.10 and a random sign, where it should be Gaussian: drawing that
would take longer than the rest of the step. The parameters, sums over many steps, have the same distribution; such
schemes are called weak (Kloeden and Platen, 1992, section 14.1).
"""

from __future__ import annotations

import numpy as np

from hpo_models.networks.aligned import aligned, aligned_copy
from hpo_models.networks.chains import Draws, Potential, Progress, State
from hpo_models.networks.sghmc import DECAY, Dynamics, Scales, adapted_dynamics

N_SIGNS = 32  # bits of a word
SIGN = np.uint32(1 << 31)  # bit of the sign of a float32


def weak_draws(
    model: Potential,
    state: State,
    rng: np.random.Generator,
    n_adapt: int,
    n_draws: int,
    n_between: int,
    step: float,
    progress: Progress | None = None,
) -> Draws:
    """Draws (n_draws, C, P) after burn-in, and the state after the last step.

    Parameters
    ----------
    model
        What is sampled; its gradients are overwritten.
    state
        Of the chains before.
    rng
        Source of randomness.
    n_adapt
        Steps of burn-in, in which the running means follow the gradients.
    n_draws, n_between
        Number of draws of each chain, and of steps from one to the next.
    step
        epsilon.
    progress
        Called with the number of steps after burn-in and after each draw.

    Returns
    -------
    Draws
        The draws, float32, and the last state.
    """
    chains, floor = WeakSteps(state, rng), model.prior_precision
    for _ in range(n_adapt):
        gradient = model.gradient(chains.theta, rng)
        chains.adapt(gradient, floor, step)
        chains.advance(gradient)
    if progress is not None:
        progress(n_adapt)
    chains.follow(adapted_dynamics(chains.scales.square, step))
    found = np.empty((n_draws, *chains.theta.shape), dtype=np.float32)
    for draw in found:
        for _ in range(n_between):
            chains.advance(model.gradient(chains.theta, rng))
        draw[...] = chains.theta
        if progress is not None:
            progress(n_between)
    return Draws(found, State(chains.theta, chains.velocity, chains.scales))


class WeakSteps:
    """Steps of eqs 3.9 and 3.10 in place, with noise of random sign.

    Parameters
    ----------
    state
        Of the chains before; copied.
    rng
        Source of randomness.
    """

    def __init__(self, state: State, rng: np.random.Generator):
        self.theta, self.velocity, self._rng = aligned_copy(state.theta), aligned_copy(state.velocity), rng
        self.scales = Scales(*(aligned_copy(each) for each in state.scales))
        self._keep, self._drift, self._noise, self._kick, words = (aligned(state.theta.shape) for _ in range(5))
        self._words, self._left = words.view(np.uint32), 0

    def adapt(self, gradient: np.ndarray, floor: np.ndarray, step: float) -> None:
        """Running means after one more gradient, and the next step by them: `sghmc.adapt`, `adapted_dynamics`."""
        (square, mean, window), share, change = self.scales, self._kick, self._drift
        np.divide(1.0, window, out=share)
        np.multiply(mean, mean, out=change)
        change /= square
        np.minimum(change, 1.0, out=change)
        np.subtract(1.0, change, out=change)
        window *= change
        window += 1.0
        for means, news in ((mean, gradient), (square, np.multiply(gradient, gradient, out=self._noise))):
            np.subtract(news, means, out=change)
            change *= share
            means += change
        np.maximum(square, floor, out=square)
        np.sqrt(square, out=self._drift)
        np.divide(1.0, self._drift, out=self._drift)
        np.multiply(self._drift, 2.0 * step**2 * DECAY, out=self._noise)
        self._noise -= step**4
        np.maximum(self._noise, 0.0, out=self._noise)
        np.sqrt(self._noise, out=self._noise)
        self._drift *= step**2
        self._keep.fill(1.0 - DECAY)

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
