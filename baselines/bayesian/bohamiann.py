"""BOHAMIANN: Bayesian optimization with a Bayesian neural network (Springenberg et al., 2016; Klein, 2020) [bohamiann].

A network of three layers of 50 tanh units models the losses; draws from the posterior of its weights, by scale-adapted
SGHMC, give a mean and a variance (Klein, 2020, eq. 3.4) for expected improvement.

Departures from Klein (2020, chapter 3): four chains go on from one proposal to the next
(`hpo_models.networks.continued_chain`), where it starts one from scratch each time; the noise is left out of the
variance of eq. 3.4, since what improves is the function (with it, two runs on Branin ended at a regret of 1.5 instead
of 1e-5); the prior of the noise, which is not given there, is narrow, log sigma^2 ~ N(-7, 0.3^2), since a wide one
explains small differences near the optimum away; minibatches of 32; losses are transformed and the maximum is sought as
for `gp`.
"""

from __future__ import annotations

from collections.abc import Sequence

from baselines.bayesian.parts.network_proposal import NetworkProposal, TaskWeights, chain_lengths, network_of
from baselines.parts.bayesian_optimizer import BayesianOptimizer
from hpo_core.space import Space
from hpo_models.features import Features


def bohamiann(
    space: Space,
    *,
    budgets: Sequence[float] = (1,),
    seed: int = 0,
    n_initial: int = 5,
    units: int = 50,
    n_chains: int = 4,
    n_adapt: int = 60,
    n_draws: int = 10,
    n_between: int = 18,
    step: float = 1.5e-2,
) -> BayesianOptimizer:
    """Optimizer by expected improvement under a Bayesian neural network.

    Parameters
    ----------
    space, budgets, seed
        As in `baselines.optimizer`; every proposal is at the full budget.
    n_initial
        Number of random configurations before the network is used.
    units
        Number of units of each of the three layers.
    n_chains
        Number of chains of SGHMC.
    n_adapt, n_draws, n_between
        For each proposal: steps of burn-in, draws that are kept of each chain, steps between two of them.
    step
        Step length of SGHMC.

    Returns
    -------
    BayesianOptimizer
        With `ask` and `tell`.
    """
    network = network_of(Features(space).width, units)
    weights = TaskWeights(network, chain_lengths(n_chains, n_adapt, n_draws, n_between, step))
    proposal = NetworkProposal(network, weights.sample)
    return BayesianOptimizer(space, proposal.propose, n_initial, seed, name="bohamiann")
