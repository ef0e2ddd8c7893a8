"""`NetworkProposal`: the row of highest expected improvement under draws of a network's weights."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from baselines.bayesian.parts.network_inputs import WIDEST, network_inputs
from baselines.parts.history import Snapshot
from baselines.parts.loss_transforms import log_distances
from baselines.parts.requirements import count, number
from baselines.parts.search.maximum import maximise, random_points
from hpo_models.acquisition import log_expected_improvement
from hpo_models.networks.bnn import WeightPrior
from hpo_models.networks.continued_chain import ContinuedChains, Lengths
from hpo_models.networks.quick_regression import regression_on_rows
from hpo_models.networks.tanh_network import TanhNetwork

PRIOR = WeightPrior(log_noise_mean=-7.0, log_noise_sd=0.3)
BATCH_SIZE = 32
N_STARTS = 3  # local searches

SampleWeights = Callable[[np.ndarray, np.ndarray, np.random.Generator], np.ndarray]


class NetworkProposal:
    """Mean and variance of the loss over draws of the weights (Klein, 2020, eq. 3.4), without the noise.

    Parameters
    ----------
    network
        Its inputs are rows of features.
    sample_weights
        `sample_weights(x, values, rng)` are (draws, P) parameters of the network, given values (n,) at inputs (n, D).
    """

    def __init__(self, network: TanhNetwork, sample_weights: SampleWeights):
        self._network, self._sample_weights = network, sample_weights

    def propose(self, snapshot: Snapshot, rng: np.random.Generator) -> np.ndarray:
        """Row (width,) to evaluate next."""
        features, values = snapshot.features, log_distances(snapshot.losses)
        weights = self._sample_weights(network_inputs(snapshot.rows), values.astype(np.float32), rng)
        lowest = float(values.min())

        def score(candidates: np.ndarray) -> np.ndarray:
            means = self._network.output(weights, network_inputs(candidates)).astype(float)
            return log_expected_improvement(means.mean(axis=0), means.std(axis=0), lowest)

        best = snapshot.rows[int(np.argmin(values))]
        return maximise(snapshot, score, random_points(features, rng, best), best[None], rng, N_STARTS)


class TaskWeights:
    """Draws of the weights of a network of one task; the chains go on from one set of draws to the next."""

    def __init__(self, network: TanhNetwork, lengths: Lengths):
        self._network, self._chains = network, ContinuedChains(lengths)

    def sample(self, x: np.ndarray, values: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """(draws, P) parameters of the network, given values (n,) at inputs (n, D)."""
        model = regression_on_rows(self._network, self._chains.lengths.n_chains, x, values, PRIOR, BATCH_SIZE)
        return self._chains.draws(model, rng)[:, :-1]


def network_of(width: int, units: int) -> TanhNetwork:
    """Network of rows of features (width,) with three layers."""
    n = count("units", units)
    return TanhNetwork((min(max(1, width), WIDEST), n, n, n, 1))


def chain_lengths(n_chains: int, n_adapt: int, n_draws: int, n_between: int, step: float) -> Lengths:
    """Checked options of `bohamiann` and `mt-bohamiann`.

    Parameters
    ----------
    n_chains, n_adapt, n_draws, n_between, step
        As in `hpo_models.networks.continued_chain.Lengths`.

    Returns
    -------
    Lengths
        The options.
    """
    return Lengths(
        count("n_chains", n_chains),
        count("n_adapt", n_adapt, 0),
        count("n_draws", n_draws),
        count("n_between", n_between),
        step=number("step", step, 1e-6, 1.0),
    )
