"""Bayesian neural network of several tasks, each with a learned embedding as further inputs (Klein, 2020, section 3.1).

    f(x, t)     h([x, psi_t]), h a network with D + L inputs, psi_t row t of the embedding psi (K, L)
    theta       (C, P + 1): parameters of h, psi row by row, log sigma^2
    prior       as in `hpo_models.networks.bnn`, and psi ~ N(0, 1), the size of the other inputs

psi_t enters through the first layer alone, W_x x + W_psi psi_t + b. A network with an input for each task, 1 for the
observation's task and 0 for the others, computes the same if its weights there are the rows of psi W_psi. Its gradient
with respect to them, G (K, units), gives the chain rule's psi^T G for W_psi and G W_psi^T for psi; and for one task the
vector psi_t W_psi is a part of the biases, so that predicting costs what it costs without tasks.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hpo_models.networks.bnn import WeightPrior
from hpo_models.networks.quick_regression import QuickRegression, regression_on_rows
from hpo_models.networks.tanh_network import TanhNetwork

N_EMBEDDED = 5  # L in Klein (2020)


@dataclass(frozen=True)
class TaskNetwork:
    """Shape of h and of the embedding: D inputs, hidden layers, K tasks, L numbers for each."""

    n_inputs: int
    units: tuple[int, ...]
    n_tasks: int
    n_embedded: int = N_EMBEDDED

    @cached_property
    def with_embedding(self) -> TanhNetwork:
        """h itself, with D + L inputs."""
        return TanhNetwork((self.n_inputs + self.n_embedded, *self.units, 1))

    @cached_property
    def with_tasks(self) -> TanhNetwork:
        """The same function with D + K inputs."""
        return TanhNetwork((self.n_inputs + self.n_tasks, *self.units, 1))

    @cached_property
    def of_one_task(self) -> TanhNetwork:
        """The same function of one task, with D inputs."""
        return TanhNetwork((self.n_inputs, *self.units, 1))

    @property
    def n_parameters(self) -> int:
        """P, of h and the embedding."""
        return self.with_embedding.n_parameters + self.n_tasks * self.n_embedded

    def parts(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """W_x flat (C, D units), W_psi (C, L, units), the other parameters of h (C, rest), psi (C, K, L)."""
        n, units = len(theta), self.units[0]
        first, second = self.n_inputs * units, (self.n_inputs + self.n_embedded) * units
        third = self.with_embedding.n_parameters
        embedding = theta[:, third : self.n_parameters].reshape(n, self.n_tasks, self.n_embedded)
        weights = theta[:, first:second].reshape(n, self.n_embedded, units)
        return theta[:, :first], weights, theta[:, second:third], embedding

    def to_tasks(self, theta: np.ndarray) -> np.ndarray:
        """Parameters of `with_tasks` for those of h and the embedding."""
        inputs, weights, rest, embedding = self.parts(theta)
        return np.concatenate([inputs, np.matmul(embedding, weights).reshape(len(theta), -1), rest], axis=1)

    def to_one_task(self, theta: np.ndarray, task: int) -> np.ndarray:
        """Parameters of `of_one_task` for those of h and the embedding."""
        inputs, weights, rest, embedding = self.parts(theta)
        biases = rest[:, : self.units[0]] + np.matmul(embedding[:, task : task + 1], weights)[:, 0]
        return np.concatenate([inputs, biases, rest[:, self.units[0] :]], axis=1)

    def gradient(self, theta: np.ndarray, wide: np.ndarray) -> np.ndarray:
        """(C, P) gradient by h and the embedding, from that by the parameters of `with_tasks`."""
        _, weights, _, embedding = self.parts(theta)
        n, units = len(theta), self.units[0]
        first, second = self.n_inputs * units, (self.n_inputs + self.n_tasks) * units
        by_task = wide[:, first:second].reshape(n, self.n_tasks, units)
        by_weights = np.matmul(np.swapaxes(embedding, 1, 2), by_task).reshape(n, -1)
        by_embedding = np.matmul(by_task, np.swapaxes(weights, 1, 2)).reshape(n, -1)
        return np.concatenate([wide[:, :first], by_weights, wide[:, second:], by_embedding], axis=1)


@dataclass(frozen=True)
class TaskRegression:
    """Potential of observations of several tasks, estimated from minibatches.

    x           (N, D) float32 inputs
    tasks       (N,) index of the task of each
    targets     (N,) of about zero mean and unit variance within each task
    """

    network: TaskNetwork
    n_chains: int
    x: np.ndarray
    tasks: np.ndarray
    targets: np.ndarray
    prior: WeightPrior
    batch_size: int = 32

    def start(self, n_chains: int, rng: np.random.Generator) -> np.ndarray:
        """(C, P + 1) float32 start: Glorot weights, no bias, an embedding from its prior, and the prior's noise."""
        network = self.network.with_embedding
        weights = rng.standard_normal((n_chains, network.n_parameters)) * network.weight_stds(1.0, 0.0)
        embedding = rng.standard_normal((n_chains, self.network.n_tasks * self.network.n_embedded))
        noise = np.full((n_chains, 1), self.prior.log_noise_mean)
        return np.concatenate([weights, embedding, noise], axis=1).astype(np.float32)

    def gradient(self, theta: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """(C, P + 1) unbiased gradient of the potential from a different minibatch for each chain."""
        network, weights = self.network, theta[:, :-1]
        wide = self._without_prior.gradient(np.concatenate([network.to_tasks(weights), theta[:, -1:]], axis=1), rng)
        gradient = network.gradient(weights, wide[:, :-1])
        gradient += weights * self.prior_precision[:-1]
        return np.concatenate([gradient, wide[:, -1:]], axis=1)

    @cached_property
    def _without_prior(self) -> QuickRegression:
        """Likelihood and the noise's prior; weights have an infinite variance there."""
        one_hot = np.eye(self.network.n_tasks, dtype=np.float32)[self.tasks]
        inputs = np.concatenate([self.x, one_hot], axis=1)
        flat = self.prior._replace(gain=np.inf, bias=np.inf)
        return regression_on_rows(self.network.with_tasks, self.n_chains, inputs, self.targets, flat, self.batch_size)

    @cached_property
    def prior_precision(self) -> np.ndarray:
        """(P + 1,) precisions of the Gaussian prior."""
        of_network = self.network.with_embedding.weight_stds(self.prior.gain, self.prior.bias)
        embedding = np.ones(self.network.n_tasks * self.network.n_embedded)
        stds = np.concatenate([of_network, embedding, [self.prior.log_noise_sd]])
        return (stds**-2.0).astype(np.float32)
