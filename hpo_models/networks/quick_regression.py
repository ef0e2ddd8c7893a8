"""The potential of `hpo_models.networks.bnn.Regression` in half to three quarters of its time.

Gradients are those of `hpo_models.networks.column_network`; minibatches are drawn and gathered for `N_AHEAD` steps
together.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hpo_models.networks.aligned import aligned
from hpo_models.networks.bnn import LOG_NOISE_RANGE, Regression, WeightPrior
from hpo_models.networks.column_network import ColumnNetwork, with_ones
from hpo_models.networks.tanh_network import TanhNetwork

Gather = Callable[[np.ndarray, np.random.Generator], np.ndarray]  # rows (A, C, B) -> (A, C, D + 1, B), ones at the end
N_AHEAD = 50  # steps


class QuickRegression:
    """Potential of C chains of a network, estimated from minibatches.

    Parameters
    ----------
    plain
        The same potential; its network has one output.
    n_chains
        C.
    gather
        What gives the inputs of observations in columns; None takes those of `plain`.
    """

    def __init__(self, plain: Regression, n_chains: int, gather: Gather | None = None):
        self._plain, self._gather = plain, gather or self._from_plain
        self.start, self.prior_precision = plain.start, plain.prior_precision
        self._targets, self._left = plain.targets.astype(np.float32), 0
        self._shape = (n_chains, min(plain.batch_size, len(plain.targets)))
        self._weight = np.float32(len(plain.targets) / self._shape[1] / plain.n_draws)
        self._network = ColumnNetwork(plain.network, n_chains, self._shape[1] * plain.n_draws)
        self._gradient, self._of_prior = (aligned((n_chains, plain.network.n_parameters + 1)) for _ in range(2))
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
            if self._plain.n_draws > 1:
                rows = np.repeat(rows, self._plain.n_draws, axis=2)
            self._x, self._y, self._left = self._gather(rows, rng), self._targets.take(rows), N_AHEAD
        self._left -= 1
        return self._x[self._left], self._y[self._left]

    def _from_plain(self, rows: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        x = self._plain.inputs(rows.reshape(-1, rows.shape[2]), rng)
        columns = np.ones((len(x), x.shape[2] + 1, x.shape[1]), dtype=np.float32)
        columns[:, :-1] = x.swapaxes(1, 2)
        return columns.reshape(*rows.shape[:2], *columns.shape[1:])

    def _by_noise(self, log_noise: np.ndarray, residuals: np.ndarray) -> np.ndarray:
        """(C,) gradient by log sigma^2, but for prior_precision * theta; residuals become the gradient by outputs."""
        n, prior = len(self._targets), self._plain.prior
        precision = np.exp(-np.minimum(np.maximum(log_noise, self._plain.least_log_noise), LOG_NOISE_RANGE[1]))
        precision *= self._weight
        squares = np.einsum("cb,cb->c", residuals, residuals)
        squares *= precision
        residuals *= precision[:, None]
        return (0.5 * n - prior.log_noise_mean / prior.log_noise_sd**2) - 0.5 * squares


def regression_on_rows(
    network: TanhNetwork, n_chains: int, x: np.ndarray, targets: np.ndarray, prior: WeightPrior, batch_size: int
) -> QuickRegression:
    """Potential of a network on given rows.

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

    Returns
    -------
    QuickRegression
        Of C chains.
    """
    columns = with_ones(x)
    plain = Regression(network, lambda rows, _: x[rows], targets, prior, batch_size)
    return QuickRegression(plain, n_chains, lambda rows, _: columns.take(rows, axis=1).transpose(1, 2, 0, 3))
