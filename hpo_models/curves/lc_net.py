"""LC-Net: a Bayesian neural network whose last layer is a learning curve (Klein, 2020, sec. 5.3; Klein et al., 2017).

    x           (N, D) configurations, of about unit size         t      (N,) share of the full budget, in (0, 1]
    y           (N,) losses, of about zero mean and unit variance
    network     tanh units, shared by all outputs (fig. 5.2), which are for each x:
                mu       asymptote, the value at t = 1
                w        (5,) weights of the basis functions phi, see `hpo_models.curves.basis`, times 0.3
                theta    (13,) their parameters, through a sigmoid
                s        log sigma^2 minus the prior's mean: the noise of an observation of x
    g(x, t)     mu(x) + sum_i w_i(x) phi_i(t; theta_i(x))                                               eq. 5.7
    likelihood  y_n ~ N(g(x_n, t_n), sigma^2(x_n))                                                      eq. 5.3
    prior       weights N(0, gain^2 / inputs of the layer), biases N(0, bias^2), as in `hpo_models.networks.bnn`

Sampled by scale-adapted SGHMC (section 3.4) after a warm start by Adam. The weights w may be negative, so that a curve
may rise or fall.

Klein (2020) describes the noise as one number (section 5.3, item 4) and as an output of the network (fig. 5.2): here it
is an output, so that it may differ between configurations.

Departure from the paper: the factor 0.3 of w. Without it the prior expects a curve to move by more than the standard
deviation of all losses, and a curve that is flat so far is continued downwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from hpo_core.errors import InvalidOption
from hpo_core.single_thread import single_threaded
from hpo_models.curves.basis import N_FUNCTIONS, N_PARAMETERS, OWNER, basis
from hpo_models.networks.adam import WarmStart
from hpo_models.networks.bnn import LOG_NOISE_RANGE, Diverged, WeightPrior
from hpo_models.networks.chains import sample_chains
from hpo_models.networks.tanh_network import TanhNetwork

UNITS = (50, 50, 50)  # section 5.4
DEFAULT_PRIOR = WeightPrior(log_noise_mean=-4.0)
N_OUTPUTS = 1 + N_FUNCTIONS + N_PARAMETERS + 1
WEIGHTS = slice(1, 1 + N_FUNCTIONS)
PARAMETERS = slice(1 + N_FUNCTIONS, -1)
WEIGHT_SCALE = 0.3


class Sampling(NamedTuple):
    """How the posterior is sampled: Adam, burn-in, then `n_draws` in all from `n_chains`, `n_between` steps apart."""

    n_chains: int = 4
    n_draws: int = 100
    n_between: int = 20
    n_burn_in: int = 1000
    step: float = 1e-2
    warm_start: WarmStart = WarmStart(1500)


DEFAULT_SAMPLING = Sampling()


@dataclass(frozen=True)
class CurveRegression:
    """Potential of LC-Net on observations of learning curves, estimated from minibatches; arrays in float32."""

    network: TanhNetwork
    x: np.ndarray
    t: np.ndarray
    y: np.ndarray
    prior: WeightPrior = DEFAULT_PRIOR
    batch_size: int = 64

    def start(self, n_chains: int, rng: np.random.Generator) -> np.ndarray:
        """(C, P) float32 start: Glorot weights, no bias."""
        weights = rng.standard_normal((n_chains, self.network.n_parameters)) * self.network.weight_stds(1.0, 0.0)
        return weights.astype(np.float32)

    def gradient(self, theta: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """(C, P) unbiased gradient of the potential, from a different minibatch for each chain."""
        n = len(self.y)
        rows = rng.integers(n, size=(len(theta), min(self.batch_size, n)))
        outputs = self.network.forward(theta, self.x[rows])
        gradients = output_gradients(outputs[-1], self.t[rows], self.y[rows], self.prior.log_noise_mean)
        gradients *= n / rows.shape[1]
        gradient = self.network.backward(theta, outputs, gradients)
        gradient += theta * self.prior_precision
        return gradient

    @cached_property
    def prior_precision(self) -> np.ndarray:
        """(P,) precisions of the Gaussian prior."""
        return (self.network.weight_stds(self.prior.gain, self.prior.bias) ** -2.0).astype(np.float32)


def curves(outputs: np.ndarray, t: np.ndarray) -> np.ndarray:
    """g (...) at t (...), from the network's outputs (..., 20)."""
    values, _ = basis(t, _sigmoid(outputs[..., PARAMETERS]))
    return outputs[..., 0] + WEIGHT_SCALE * np.einsum("...i,...i->...", outputs[..., WEIGHTS], values)


def log_noise(outputs: np.ndarray, mean: float) -> np.ndarray:
    """log sigma^2 (...), from the network's outputs (..., 20)."""
    return np.clip(outputs[..., -1] + mean, *LOG_NOISE_RANGE)


def output_gradients(outputs: np.ndarray, t: np.ndarray, y: np.ndarray, log_noise_mean: float) -> np.ndarray:
    """Derivatives of -log N(y; g, sigma^2) with respect to the network's outputs.

    Parameters
    ----------
    outputs
        (..., 20) outputs of the network.
    t, y
        (...) times, as shares of the full budget, and observed values.
    log_noise_mean
        Mean of log sigma^2 under the prior, which the last output is added to.

    Returns
    -------
    np.ndarray
        (..., 20) derivatives.
    """
    theta = _sigmoid(outputs[..., PARAMETERS])
    values, derivatives = basis(t, theta)
    weights = WEIGHT_SCALE * outputs[..., WEIGHTS]
    residuals = outputs[..., 0] + np.einsum("...i,...i->...", weights, values) - y
    precision = np.exp(-log_noise(outputs, log_noise_mean))
    pull = precision * residuals
    gradients = np.empty_like(outputs)
    gradients[..., 0] = pull
    gradients[..., WEIGHTS] = WEIGHT_SCALE * pull[..., None] * values
    gradients[..., PARAMETERS] = pull[..., None] * weights[..., OWNER] * derivatives * theta * (1.0 - theta)
    gradients[..., -1] = 0.5 * (1.0 - pull * residuals)
    return gradients


def _sigmoid(z: np.ndarray) -> np.ndarray:
    return 0.5 * (1.0 + np.tanh(0.5 * z))


@dataclass(frozen=True)
class CurvePosterior:
    """Draws from the posterior of LC-Net, in the units of the losses that it was fitted to.

    theta        (draws, P) float32
    centre, std  mean and standard deviation of the losses
    """

    network: TanhNetwork
    theta: np.ndarray
    centre: float
    std: float
    log_noise_mean: float

    @single_threaded
    def predict(self, x: np.ndarray, t: np.ndarray | float) -> tuple[np.ndarray, np.ndarray]:
        """Means and noise variances (draws, B) of every draw at configurations (B, D) and times (B,), or one time."""
        outputs = self.network.forward(self.theta, np.asarray(x, dtype=np.float32))[-1]
        means = curves(outputs, np.broadcast_to(np.asarray(t, dtype=np.float32), outputs.shape[1:2]))
        noise = np.exp(log_noise(outputs, self.log_noise_mean))
        return self.centre + self.std * means, self.std**2 * noise

    @single_threaded
    def moments(self, x: np.ndarray, t: np.ndarray | float) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance (B,) of the predictive distribution as a Gaussian, eq. 5.6."""
        means, noise = self.predict(x, t)
        return means.mean(axis=0), means.var(axis=0) + noise.mean(axis=0)

    @single_threaded
    def asymptote(self, draw: int, x: np.ndarray) -> np.ndarray:
        """(B,) value at t = 1 of configurations (B, D) under a single draw: one function from the posterior."""
        outputs = self.network.forward(self.theta[draw : draw + 1], np.asarray(x, dtype=np.float32))[-1]
        return self.centre + self.std * outputs[0, :, 0]


@single_threaded
def fit_lc_net(
    x: np.ndarray,
    t: np.ndarray,
    losses: np.ndarray,
    seed: int,
    *,
    units: Sequence[int] = UNITS,
    prior: WeightPrior = DEFAULT_PRIOR,
    batch_size: int = 64,
    sampling: Sampling = DEFAULT_SAMPLING,
) -> CurvePosterior:
    """Posterior of LC-Net after observations of learning curves; those of one curve are several rows with the same x.

    Parameters
    ----------
    x
        (N, D) configurations, of about unit size.
    t
        (N,) times, as shares of the full budget, in (0, 1].
    losses
        (N,) observed losses.
    seed
        Of the start, of Adam and of the sampler.
    units
        Number of tanh units in each hidden layer.
    prior
        Of weights, biases and noise.
    batch_size
        Observations in a minibatch.
    sampling
        Number and length of the chains.

    Returns
    -------
    CurvePosterior
        Draws from the posterior, in the units of the losses.
    """
    x, t, losses = (np.asarray(array, dtype=np.float32) for array in (x, t, losses))
    if x.ndim != 2 or t.shape != x.shape[:1] or losses.shape != t.shape or not len(t):
        raise InvalidOption(
            f"LC-Net needs configurations (N, D), times (N,) and losses (N,), N > 0; got {x.shape}, {t.shape} and "
            f"{losses.shape}"
        )
    if not (np.isfinite(x).all() and np.isfinite(losses).all() and (t > 0).all() and (t <= 1).all()):
        raise InvalidOption("LC-Net needs finite numbers and times in (0, 1], as shares of the full budget")
    centre, std = float(losses.mean(dtype=float)), float(losses.std(dtype=float)) or 1.0
    network = TanhNetwork((x.shape[1], *units, N_OUTPUTS))
    model = CurveRegression(network, x, t, (losses - centre) / std, prior, batch_size)
    return CurvePosterior(network, _draws(model, seed, sampling), centre, std, prior.log_noise_mean)


def _draws(model: CurveRegression, seed: int, sampling: Sampling) -> np.ndarray:
    """(draws, P) of all chains: first the first of each chain."""
    found = sample_chains(model, seed, **sampling._asdict())
    if not np.isfinite(found).all():
        raise Diverged(f"a chain diverged at step length {sampling.step:g}; try a shorter one")
    return found.reshape(-1, found.shape[-1])
