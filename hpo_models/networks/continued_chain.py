"""Chains of scale-adapted SGHMC that go on where they ended, while the data grow (Klein, 2020, sections 3.4 and 3.6).

Each time the data have grown there are some steps in which the running means of the gradient follow the new data, a
short second burn-in, and then, with everything fixed, some draws of each chain.

Departures from Klein (2020), where a chain starts from scratch after every observation, with 100 steps of burn-in for
each of them and 10,000 steps after it. One observation more changes a posterior little, so chains that go on need a
fraction of that. The first time they start near a mode, by Adam.

The noise of their steps has random signs, see `hpo_models.networks.weak_steps`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hpo_core.single_thread import single_thread
from hpo_models.networks.adam import WarmStart, adam
from hpo_models.networks.bnn import Diverged
from hpo_models.networks.chains import Draws, Potential, State, at_rest
from hpo_models.networks.weak_steps import weak_draws

FIRST_WARM, FIRST_ADAPT = 8, 15


class Lengths(NamedTuple):
    """Numbers of chains and of steps.

    n_adapt     steps of burn-in each time the data have grown; the first time `FIRST_WARM` times as many steps of Adam
                come before them, and there are `FIRST_ADAPT` times as many
    n_draws     draws of each chain that are kept, `n_between` steps apart
    step        step length, epsilon
    """

    n_chains: int = 4
    n_adapt: int = 60
    n_draws: int = 10
    n_between: int = 18
    step: float = 1.5e-2


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
        return weak_draws(model, state, rng, n_adapt, n.n_draws, n.n_between, n.step)
