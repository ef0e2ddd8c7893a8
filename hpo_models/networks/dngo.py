"""DNGO: Bayesian linear regression on what the last hidden layer of a network puts out (Snoek et al., 2015).

    network     (D, 50, 50, 50, 1), tanh; from a draw of the weights w ~ N(0, s_w^2), the prior of `networks.bnn`,
                some steps of Adam on  1/2 mean (f(x) - y)^2 + sigma^2 / 2N sum w^2 / s_w^2
    features    the 50 outputs of its last hidden layer, and a 1
    regression  `hpo_models.networks.bayesian_linear` on them, with draws of its two hyperparameters

The regression takes the features for given. Once they are trained to fit the observations it knows no doubt: with 60
observations of Hartmann-6 and steps ten times as long, errors were 9 and 17 times the standard deviation. So training
stops early, after 50 passes over the data. The prior is wide, a gain of 3: with 1.5 the features are so smooth that
runs on Branin and Hartmann-3 stayed at an edge of the space.

Where this leaves the paper: no prior mean that is quadratic in the inputs; Adam instead of momentum; the learning rate,
the decay of the weights and the layers are fixed instead of being optimized themselves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits

from hpo_models.networks.bayesian_linear import LinearModel
from hpo_models.networks.bnn import WeightPrior
from hpo_models.networks.tanh_network import TanhNetwork

PRIOR = WeightPrior(gain=3.0, log_noise_mean=-4.0)
BATCH_SIZE = 32
RATE = 1e-3  # of Adam; falls to a hundredth along a cosine
MAX_STEPS = 500


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

    def predict(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Means (S, B) and variances (S, B), without noise, at float32 inputs (B, D), for every draw."""
        return self.linear.predict(last_layer(self.network, self.theta, x), self.logs)


def fit_dngo(
    x: np.ndarray,
    values: np.ndarray,
    rng: np.random.Generator,
    *,
    units: tuple[int, ...] = (50, 50, 50),
    n_passes: int = 50,
    n_samples: int = 10,
) -> DNGO:
    """Model of values (N,), standardised, at inputs (N, D) of about unit size."""
    network = TanhNetwork((x.shape[1], *units, 1))
    with threadpool_limits(1):  # matrices this small only lose time when they are shared out
        theta = train(network, x.astype(np.float32), values.astype(np.float32), rng, n_passes)
        linear = LinearModel.of(last_layer(network, theta, x.astype(np.float32)), values)
    return DNGO(network, theta, linear, linear.sample_hyperparameters(rng, n_samples))


def last_layer(network: TanhNetwork, theta: np.ndarray, x: np.ndarray) -> np.ndarray:
    """(B, units + 1) float64 outputs of the last hidden layer at inputs (B, D), and a 1."""
    hidden = network.forward(theta, x)[-2][0]
    return np.concatenate([hidden, np.ones((len(hidden), 1))], axis=1)


def train(network: TanhNetwork, x: np.ndarray, y: np.ndarray, rng: np.random.Generator, n_passes: int) -> np.ndarray:
    """(1, P) parameters after Adam (Kingma and Ba, 2015) has passed over the data; arrays in float32."""
    spread = network.spread(PRIOR.gain, PRIOR.bias)
    theta = (rng.standard_normal((1, network.n_parameters)) * spread).astype(np.float32)
    decay = (np.exp(PRIOR.log_noise_mean) / len(y) / spread**2).astype(np.float32)
    mean, square, size = np.zeros_like(theta), np.zeros_like(theta), min(BATCH_SIZE, len(y))
    n_steps = min(-(-n_passes * len(y) // size), MAX_STEPS)
    for k, rows in enumerate(_batches(len(y), size, n_steps, rng)):
        slope = gradient(network, theta, x[rows][None], y[rows])
        slope += decay * theta
        mean += np.float32(0.1) * (slope - mean)
        slope *= slope
        square += np.float32(0.01) * (slope - square)
        rate = RATE * (0.01 + 0.99 * 0.5 * (1.0 + np.cos(np.pi * k / n_steps))) / (1.0 - 0.9 ** (k + 1))
        scale = np.sqrt(square)
        scale += np.float32(1e-8)
        theta -= np.float32(rate * (1.0 - 0.99 ** (k + 1)) ** 0.5) * mean / scale
    return theta


def gradient(network: TanhNetwork, theta: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """(1, P) gradient of half the mean squared error at inputs (1, B, D) and values (B,)."""
    outputs = network.forward(theta, x)
    slopes = (outputs[-1] - y[:, None]) / np.float32(len(y))
    return network.backward(theta, outputs, slopes)


def _batches(n: int, size: int, n_steps: int, rng: np.random.Generator) -> np.ndarray:
    """(n_steps, size) numbers of observations: a new order of all for each pass."""
    n_passes = -(-n_steps * size // n)
    orders = rng.permuted(np.tile(np.arange(n), (n_passes, 1)), axis=1)
    return orders.reshape(-1)[: n_steps * size].reshape(n_steps, size)
