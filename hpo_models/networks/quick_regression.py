"""The potential of `hpo_models.networks.bnn.Regression` where inputs are given rows, in half of its time.

Gradients are those of `hpo_models.networks.column_network`; minibatches are drawn and gathered for `N_AHEAD` steps
together.
"""

from __future__ import annotations

import numpy as np

from hpo_models.networks.aligned import aligned
from hpo_models.networks.bnn import LOG_NOISE_RANGE, Regression, WeightPrior
from hpo_models.networks.column_network import ColumnNetwork, with_ones
from hpo_models.networks.tanh_network import TanhNetwork

N_AHEAD = 50  # steps


class QuickRegression:
    """Potential of a network on rows, estimated from minibatches.

    Parameters
    ----------
    network
        With one output.
    n_chains
        C.
    x, targets
        (N, D) inputs and (N,) values, of about zero mean and unit variance.
    prior, batch_size
        As in `Regression`.
    """

    def __init__(
        self,
        network: TanhNetwork,
        n_chains: int,
        x: np.ndarray,
        targets: np.ndarray,
        prior: WeightPrior,
        batch_size: int = 32,
    ):
        self._plain = Regression(network, lambda rows, _: x[rows], targets, prior, batch_size)
        self.start, self.prior_precision = self._plain.start, self._plain.prior_precision
        self._columns, self._targets, self._left = with_ones(x), targets.astype(np.float32), 0
        self._shape = (n_chains, min(batch_size, len(x)))
        self._network = ColumnNetwork(network, *self._shape)
        self._gradient, self._of_prior = (aligned((n_chains, network.n_parameters + 1)) for _ in range(2))
        self._parts = self._network.layers(self._gradient)
        self._theta: np.ndarray | None = None

    def gradient(self, theta: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """(C, P + 1) unbiased gradient of U from a different minibatch for each chain.

        The array is valid until the next call, and the caller may change it.
        """
        x, y = self._minibatch(rng)
        if theta is not self._theta:  # that of a chain that moves in place has the same views in every step
            self._theta, self._layers = theta, self._network.layers(theta)
        layers = self._layers
        residuals = self._network.forward(layers, x)
        residuals -= y
        self._gradient[:, -1] = self._by_noise(theta[:, -1], residuals)
        self._network.backward(layers, x, residuals, self._parts)
        np.multiply(theta, self.prior_precision, out=self._of_prior)
        self._gradient += self._of_prior
        return self._gradient

    def _minibatch(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Inputs (C, D + 1, B) and targets (C, B)."""
        if self._left == 0:
            rows = rng.integers(len(self._targets), size=(N_AHEAD, *self._shape))
            self._x, self._y, self._left = self._columns.take(rows, axis=1), self._targets.take(rows), N_AHEAD
        self._left -= 1
        return self._x[:, self._left].swapaxes(0, 1), self._y[self._left]

    def _by_noise(self, log_noise: np.ndarray, residuals: np.ndarray) -> np.ndarray:
        """(C,) gradient by log sigma^2, but for prior_precision * theta; residuals become the gradient by outputs."""
        n, prior = len(self._targets), self._plain.prior
        precision = np.exp(-np.minimum(np.maximum(log_noise, LOG_NOISE_RANGE[0]), LOG_NOISE_RANGE[1]))
        precision *= np.float32(n / self._shape[1])
        squares = np.einsum("cb,cb->c", residuals, residuals)
        squares *= precision
        residuals *= precision[:, None]
        return (0.5 * n - prior.log_noise_mean / prior.log_noise_sd**2) - 0.5 * squares
