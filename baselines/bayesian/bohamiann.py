"""BOHAMIANN: Bayesian optimization with a Bayesian neural network (Springenberg et al., 2016; thesis, chapter 3).

A network of three layers of 50 tanh units models the losses; draws from the posterior of its weights, by scale-adapted
SGHMC, give a mean and a variance (eq. 3.4) at which expected improvement is taken.

Where this leaves the thesis: four chains go on from one proposal to the next (`hpo_models.networks.continued_chain`),
where it starts one anew each time; the noise is left out of the variance of eq. 3.4, since what improves is the
function (with it, two runs on Branin ended at a regret of 1.5 instead of 1e-5); its prior, which the thesis does not
give, is narrow, log sigma^2 ~ N(-7, 0.3^2), since a wide one explains small differences near the optimum away;
minibatches of 32; losses enter as for `gp`, by the logarithm of their distance to the lowest; the maximum is sought as
for `gp`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from baselines.parts.acquisition_search import random_points
from baselines.parts.modelled import Modelled, log_distances
from baselines.parts.network_inputs import network_inputs
from baselines.parts.requirements import count, number
from hpo_core.space import Space
from hpo_models.acquisition import log_expected_improvement
from hpo_models.networks.bnn import Regression, WeightPrior
from hpo_models.networks.continued_chain import ContinuedChains, Lengths
from hpo_models.networks.tanh_network import TanhNetwork

PRIOR = WeightPrior(log_noise_mean=-7.0, log_noise_sd=0.3)
BATCH_SIZE = 32
N_STARTS = 3  # local searches


class Bohamiann(Modelled):
    """Expected improvement under a Bayesian neural network.

    Parameters
    ----------
    n_initial
        Random configurations before the network is asked.
    n_units
        Of each of the three layers.
    n_chains, n_adapt, n_draws, n_between
        Chains, and for each proposal: steps of burn-in, draws that are kept of each chain, steps between two of them.
    step
        Step length.
    """

    name = "bohamiann"

    def __init__(
        self,
        space: Space,
        *,
        budgets: Sequence[float] = (1,),
        seed: int = 0,
        n_initial: int = 5,
        n_units: int = 50,
        n_chains: int = 4,
        n_adapt: int = 100,
        n_draws: int = 10,
        n_between: int = 30,
        step: float = 1e-2,
    ):
        super().__init__(space, seed=seed, n_initial=n_initial)
        n = count("n_units", n_units)
        lengths = Lengths(
            count("n_chains", n_chains),
            count("n_adapt", n_adapt, 0),
            count("n_draws", n_draws),
            count("n_between", n_between),
            step=number("step", step, 1e-6, 1.0),
        )
        self._network = TanhNetwork((max(1, self._features.width), n, n, n, 1))
        self._chains = ContinuedChains(lengths)

    def _suggest(self) -> np.ndarray:
        if not self._features.width:  # a space of one point
            return self._random_row()
        rows, losses = self._observed()
        values = log_distances(losses)
        weights = self._draws(network_inputs(rows), values.astype(np.float32))

        def score(candidates: np.ndarray) -> np.ndarray:
            means = self._network.output(weights, network_inputs(candidates)).astype(float)
            return log_expected_improvement(means.mean(axis=0), means.std(axis=0), best)

        best = float(values.min())
        place = rows[int(np.argmin(values))]
        return self._maximise(score, random_points(self._features, self._rng, place), place[None], N_STARTS)

    def _draws(self, x: np.ndarray, values: np.ndarray) -> np.ndarray:
        """(draws, P) parameters of the network, given values (n,) at inputs (n, width)."""
        model = Regression(self._network, lambda places, _: x[places], values, PRIOR, BATCH_SIZE)
        return self._chains.draws(model, self._rng)[:, :-1]
