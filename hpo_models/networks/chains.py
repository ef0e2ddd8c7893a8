"""Chains of scale-adapted SGHMC for a model that is seen through minibatches, from a start near a mode."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from threadpoolctl import threadpool_limits

from hpo_models.networks.adam import WarmStart, adam
from hpo_models.networks.sghmc import Progress, chain, draw


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
    """
    first, second, third = (np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(3))
    with threadpool_limits(1):  # several threads are slower on matrices this small
        theta = model.start(n_chains, first)
        if warm_start is not None:
            theta = adam(model.gradient, theta, second, warm_start)
        if progress is not None:
            progress((0 if warm_start is None else warm_start.n_steps) + n_burn_in)
        states = chain(model.gradient, theta, third, n_burn_in=n_burn_in, step=step, floor=model.prior_precision)
        return draw(states, -(-n_draws // n_chains), n_between, progress).theta
