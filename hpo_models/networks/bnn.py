"""Bayesian neural network for regression, sampled by scale-adapted SGHMC (Klein, 2020, sections 3.1, 3.4 and 8.2.2).

    theta       (C, P + 1): weights and biases of `TanhNetwork`, then log sigma^2, the same noise at every input
    likelihood  y_n ~ N(f(x_n; theta), sigma^2)
    prior       weights N(0, gain^2 / inputs of the layer), biases N(0, bias^2), log sigma^2 N(mean, sd^2): all proper
    U           -log p(theta) - sum_n 1/H sum_j log p(y_n | x_nj, theta), each observation counted once

An input may be random, as the latent vector of a task is: x_nj is one of H draws, which differ in every minibatch. The
formula of section 8.2.2 divides by N as well; that would be the likelihood of a single observation, and is taken as an
error.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from hpo_core.errors import HpoError, InvalidOption
from hpo_core.single_thread import single_threaded
from hpo_models.networks.adam import WarmStart
from hpo_models.networks.chains import Progress, sample_chains
from hpo_models.networks.tanh_network import TanhNetwork

Inputs = Callable[[np.ndarray, np.random.Generator], np.ndarray]
LOG_NOISE_RANGE = (-16.0, 4.0)  # of log sigma^2, in standardised units: float32 holds the gradient between them


class WeightPrior(NamedTuple):
    """Proper prior of all parameters, for inputs and targets of about unit size."""

    gain: float = 2.0
    bias: float = 1.0
    log_noise_mean: float = -5.0
    log_noise_sd: float = 2.0


DEFAULT_PRIOR = WeightPrior()
DEFAULT_WARM_START = WarmStart()


@dataclass(frozen=True)
class Regression:
    """Potential of a network on data, estimated from minibatches.

    inputs      `inputs(rows, rng)`: (C, B, D) float32 inputs of the observations with indices `rows` (C, B)
    targets     (N,) of about zero mean and unit variance
    n_draws     H, draws of the input for each observation in a minibatch
    least_log_noise     a lower log sigma^2 counts as this: on targets without noise chains become stiff and diverge
    """

    network: TanhNetwork
    inputs: Inputs
    targets: np.ndarray
    prior: WeightPrior = DEFAULT_PRIOR
    batch_size: int = 128
    n_draws: int = 1
    least_log_noise: float = LOG_NOISE_RANGE[0]

    def start(self, n_chains: int, rng: np.random.Generator) -> np.ndarray:
        """(C, P + 1) float32 start: Glorot weights, no bias, and the prior's noise."""
        weights = rng.standard_normal((n_chains, self.network.n_parameters)) * self.network.weight_stds(1.0, 0.0)
        noise = np.full((n_chains, 1), self.prior.log_noise_mean)
        return np.concatenate([weights, noise], axis=1).astype(np.float32)

    def gradient(self, theta: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """(C, P + 1) unbiased gradient of U from a different minibatch for each chain."""
        n = len(self.targets)
        rows = rng.integers(n, size=(len(theta), min(self.batch_size, n)))
        weight = n / rows.shape[1] / self.n_draws
        rows = np.repeat(rows, self.n_draws, axis=1)
        weights, log_noise = theta[:, :-1], np.clip(theta[:, -1:], self.least_log_noise, LOG_NOISE_RANGE[1])
        outputs = self.network.forward(weights, self.inputs(rows, rng))
        residuals = outputs[-1][..., 0] - self.targets[rows]
        precision = np.exp(-log_noise)
        by_output = (weight * precision)[..., None] * residuals[..., None]
        gradient = np.empty_like(theta)
        gradient[:, :-1] = self.network.backward(weights, outputs, by_output)
        gradient[:, :-1] += weights * self.prior_precision[:-1]
        squares = np.sum(residuals * residuals, axis=1, keepdims=True)
        gradient[:, -1:] = 0.5 * weight * (rows.shape[1] - precision * squares)
        gradient[:, -1:] += (theta[:, -1:] - self.prior.log_noise_mean) / self.prior.log_noise_sd**2
        return gradient

    @cached_property
    def prior_precision(self) -> np.ndarray:
        """(P + 1,) precisions of the Gaussian prior."""
        stds = np.append(self.network.weight_stds(self.prior.gain, self.prior.bias), self.prior.log_noise_sd)
        return (stds**-2.0).astype(np.float32)


@dataclass(frozen=True)
class Posterior:
    """Draws from p(theta | data).

    theta       (C, K, P + 1) float32, K draws of each chain in the order of the chain
    """

    network: TanhNetwork
    theta: np.ndarray

    @property
    def draws(self) -> np.ndarray:
        """(C K, P + 1) all draws, in the order of the chains' steps: first the first of each chain."""
        return np.swapaxes(self.theta, 0, 1).reshape(-1, self.theta.shape[-1])

    @single_threaded
    def predict(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Means (draws, B) at inputs (B, D), and noise variances (draws,), of every draw."""
        draws = self.draws
        return self.network.output(draws[:, :-1], x), np.exp(np.clip(draws[:, -1], *LOG_NOISE_RANGE))

    @single_threaded
    def moments(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance (B,) of the predictive distribution as a Gaussian, Klein (2020), eq. 3.4."""
        means, noise = self.predict(x)
        return means.mean(axis=0), means.var(axis=0) + noise.mean()


def sample_posterior(
    model: Regression,
    seed: int,
    *,
    n_chains: int = 4,
    n_draws: int = 400,
    n_between: int = 50,
    n_burn_in: int = 3000,
    step: float = 1e-2,
    warm_start: WarmStart | None = DEFAULT_WARM_START,
    progress: Progress | None = None,
) -> Posterior:
    """At least `n_draws` draws in all from the posterior.

    Parameters
    ----------
    model
        Network, data and prior.
    seed, n_chains, n_draws, n_between, n_burn_in, step, progress
        As in `hpo_models.networks.chains.sample_chains`.
    warm_start
        Steps of Adam before the chains; None starts them at random weights, as Klein (2020) does.

    Returns
    -------
    Posterior
        Of the network's parameters.
    """
    if n_chains < 1 or n_draws < 1 or n_between < 1:
        raise InvalidOption(
            f"n_chains, n_draws and n_between must be at least 1, got {n_chains}, {n_draws} and {n_between}"
        )
    draws = sample_chains(
        model, seed, n_chains=n_chains, n_draws=n_draws, n_between=n_between, n_burn_in=n_burn_in, step=step,
        warm_start=warm_start, progress=progress,
    )  # fmt: skip
    if not (np.isfinite(draws).all() and (draws[..., -1] < LOG_NOISE_RANGE[1]).all()):
        raise Diverged(f"a chain diverged at step length {step:g}; try one of {step / 3:.1g}")
    return Posterior(model.network, np.ascontiguousarray(np.swapaxes(draws, 0, 1)))


class Diverged(HpoError, ArithmeticError):
    """A chain whose parameters grew without bound."""
