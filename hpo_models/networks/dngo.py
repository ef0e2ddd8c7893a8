"""DNGO: Bayesian linear regression on the outputs of the last hidden layer of a network (Snoek et al., 2015).

    network     (D, 50, 50, 50, 1), tanh; from a draw of the weights w ~ N(0, s_w^2), the prior of `networks.bnn`,
                some steps of Adam on  1/2 mean (f(x) - y)^2 + sigma^2 / 2N sum w^2 / s_w^2
    features    the 50 outputs of its last hidden layer, and a 1
    regression  `hpo_models.networks.bayesian_linear` on them, with draws of its two hyperparameters

The regression takes the features for given. Once they are trained to fit the observations it is overconfident: with 60
observations of Hartmann-6 and steps ten times as long, errors were 9 and 17 times the standard deviation. So training
stops early, after 20 passes over the data. The prior is wide, a gain of 3: with 1.5 the features are so smooth that
runs on Branin and Hartmann-3 stayed at an edge of the space.

Departures from the paper: no prior mean that is quadratic in the inputs; Adam instead of momentum; the learning rate,
the decay of the weights and the layers are fixed instead of being optimized themselves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hpo_core.single_thread import single_threaded
from hpo_models.networks.adam import WarmStart, adam_in_place
from hpo_models.networks.aligned import aligned, aligned_copy
from hpo_models.networks.bayesian_linear import LinearModel
from hpo_models.networks.bnn import WeightPrior
from hpo_models.networks.column_network import ColumnNetwork, with_ones
from hpo_models.networks.tanh_network import TanhNetwork

PRIOR = WeightPrior(gain=3.0, log_noise_mean=-4.0)
BATCH_SIZE = 32
RATE = 2.5e-3  # of Adam; falls to a hundredth along a cosine
MAX_STEPS = 200


@dataclass(frozen=True)
class DNGO:
    """A trained network, the regression on its features, and draws of the regression's hyperparameters.

    theta       (1, P) float32 parameters of the network
    logs        (S, 2) draws of (log alpha, log beta)
    """

    network: TanhNetwork
    theta: np.ndarray
    linear: LinearModel
    logs: np.ndarray

    @single_threaded
    def predict(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Means (S, B) and variances (S, B), without noise, at float32 inputs (B, D), for every draw."""
        return self.linear.predict(last_layer(self.network, self.theta, x), self.logs)


@single_threaded
def fit_dngo(
    x: np.ndarray,
    values: np.ndarray,
    rng: np.random.Generator,
    *,
    units: tuple[int, ...] = (50, 50, 50),
    n_passes: int = 20,
    n_samples: int = 10,
) -> DNGO:
    """Model of values at inputs.

    Parameters
    ----------
    x
        (N, D) inputs of about unit size.
    values
        (N,) standardised.
    rng
        Source of randomness.
    units
        Number of units of each hidden layer.
    n_passes
        Number of passes of Adam over the data.
    n_samples
        Number of draws of the regression's hyperparameters.

    Returns
    -------
    DNGO
        Predicts values.
    """
    network = TanhNetwork((x.shape[1], *units, 1))
    theta = train(network, x.astype(np.float32), values.astype(np.float32), rng, n_passes)
    linear = LinearModel.of(last_layer(network, theta, x.astype(np.float32)), values)
    return DNGO(network, theta, linear, linear.sample_hyperparameters(rng, n_samples))


def last_layer(network: TanhNetwork, theta: np.ndarray, x: np.ndarray) -> np.ndarray:
    """(B, units + 1) float64 outputs of the last hidden layer at inputs (B, D), and a 1."""
    hidden = network.forward(theta, x)[-2][0]
    return np.concatenate([hidden, np.ones((len(hidden), 1))], axis=1)


def train(network: TanhNetwork, x: np.ndarray, y: np.ndarray, rng: np.random.Generator, n_passes: int) -> np.ndarray:
    """(1, P) parameters after Adam has passed over the data; arrays in float32.

    Parameters
    ----------
    network
        Shape of the network.
    x, y
        (N, D) inputs and (N,) values.
    rng
        Source of randomness.
    n_passes
        Number of passes, of at most `MAX_STEPS` steps together.

    Returns
    -------
    ndarray
        (1, P) float32.
    """
    stds = network.weight_stds(PRIOR.gain, PRIOR.bias)
    theta = aligned_copy(rng.standard_normal((1, network.n_parameters)) * stds)
    size = min(BATCH_SIZE, len(y))
    n_steps = min(-(-n_passes * len(y) // size), MAX_STEPS)
    objective = Objective(network, x, y, batches(len(y), size, n_steps, rng))
    return adam_in_place(objective.gradient, theta, rng, WarmStart(n_steps, RATE))


class Objective:
    """What training minimises, on given minibatches one after the other.

    Parameters
    ----------
    network
        Shape of the network.
    x, y
        (N, D) inputs and (N,) values, float32.
    rows
        (n_steps, B) indices of observations.
    """

    def __init__(self, network: TanhNetwork, x: np.ndarray, y: np.ndarray, rows: np.ndarray):
        stds = network.weight_stds(PRIOR.gain, PRIOR.bias)
        self._decay = aligned_copy(np.exp(PRIOR.log_noise_mean) / len(y) / stds[None] ** 2)
        self._inputs, self._targets = with_ones(x).take(rows, axis=1), y.take(rows)
        self._network = ColumnNetwork(network, 1, rows.shape[1])
        self._gradient, self._of_decay = (aligned((1, network.n_parameters)) for _ in range(2))
        self._parts = self._network.layers(self._gradient)
        self._n_done = 0

    def gradient(self, theta: np.ndarray, _: np.random.Generator | None = None) -> np.ndarray:
        """(1, P) gradient on the next minibatch; valid until the next call, and the caller may change it."""
        layers, x = self._network.layers(theta), self._inputs[None, :, self._n_done]
        residuals = self._network.forward(layers, x)
        residuals -= self._targets[self._n_done]
        residuals /= np.float32(residuals.size)
        self._network.backward(layers, x, residuals, self._parts)
        np.multiply(self._decay, theta, out=self._of_decay)
        self._gradient += self._of_decay
        self._n_done += 1
        return self._gradient


def batches(n: int, size: int, n_steps: int, rng: np.random.Generator) -> np.ndarray:
    """(n_steps, size) indices of observations: a new order of all n for each pass.

    Parameters
    ----------
    n
        Number of observations.
    size
        Of a minibatch.
    n_steps
        Number of minibatches.
    rng
        Source of randomness.

    Returns
    -------
    ndarray
        (n_steps, size) integers.
    """
    n_passes = -(-n_steps * size // n)
    orders = rng.permuted(np.tile(np.arange(n), (n_passes, 1)), axis=1)
    return orders.reshape(-1)[: n_steps * size].reshape(n_steps, size)
