"""Bayesian neural network for regression, sampled by scale-adapted SGHMC (thesis, sections 3.1, 3.4 and 8.2.2).

    theta       (C, P + 1): weights and biases of `TanhNetwork`, then log sigma^2, the same noise at every input
    likelihood  y_n ~ N(f(x_n; theta), sigma^2)
    prior       weights N(0, gain^2 / inputs of the layer), biases N(0, bias^2), log sigma^2 N(mean, sd^2): all proper
    U           -log p(theta) - sum_n 1/H sum_j log p(y_n | x_nj, theta), each observation counted once

An input may be random, as the latent vector of a task is: x_nj is one of H draws, made anew for every minibatch. The
formula of 8.2.2 divides by N as well; that would be a likelihood of a single observation, and is taken as a slip.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from hpo_core.errors import HpoError, InvalidOption
from hpo_models.networks.sghmc import chain
from hpo_models.networks.tanh_network import TanhNetwork

Inputs = Callable[[np.ndarray, np.random.Generator], np.ndarray]
Progress = Callable[[int], object]
LOG_NOISE_RANGE = (-16.0, 4.0)  # of log sigma^2, in standardised units: float32 holds the gradient between them


class WeightPrior(NamedTuple):
    """Proper prior of all parameters, for inputs and targets of about unit size."""

    gain: float = 2.0
    bias: float = 1.0
    log_noise_mean: float = -5.0
    log_noise_sd: float = 2.0


DEFAULT_PRIOR = WeightPrior()


@dataclass(frozen=True)
class Regression:
    """Potential of a network on data, seen through minibatches.

    inputs      `inputs(rows, rng)`: (C, B, D) float32 inputs of the observations with numbers `rows` (C, B)
    targets     (N,) of about zero mean and unit variance
    n_draws     H, draws of the input for each observation in a minibatch
    least_log_noise     log sigma^2 counts as no less: where targets have no noise, chains become stiff, and leave
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
        weights = rng.standard_normal((n_chains, self.network.n_parameters)) * self.network.spread(1.0, 0.0)
        noise = np.full((n_chains, 1), self.prior.log_noise_mean)
        return np.concatenate([weights, noise], axis=1).astype(np.float32)

    def gradient(self, theta: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """(C, P + 1) unbiased gradient of U from a minibatch of its own for every chain."""
        n = len(self.targets)
        rows = rng.integers(n, size=(len(theta), min(self.batch_size, n)))
        weight = n / rows.shape[1] / self.n_draws
        rows = np.repeat(rows, self.n_draws, axis=1)
        weights, log_noise = theta[:, :-1], np.clip(theta[:, -1:], self.least_log_noise, LOG_NOISE_RANGE[1])
        outputs = self.network.forward(weights, self.inputs(rows, rng))
        residuals = outputs[-1][..., 0] - self.targets[rows]
        precision = np.exp(-log_noise)
        slopes = (weight * precision)[..., None] * residuals[..., None]
        gradient = np.empty_like(theta)
        gradient[:, :-1] = self.network.backward(weights, outputs, slopes)
        gradient[:, :-1] += weights * self.prior_precision[:-1]
        squares = np.sum(residuals * residuals, axis=1, keepdims=True)
        gradient[:, -1:] = 0.5 * weight * (rows.shape[1] - precision * squares)
        gradient[:, -1:] += (theta[:, -1:] - self.prior.log_noise_mean) / self.prior.log_noise_sd**2
        return gradient

    @cached_property
    def prior_precision(self) -> np.ndarray:
        """(P + 1,) of the Gaussian prior."""
        spread = np.append(self.network.spread(self.prior.gain, self.prior.bias), self.prior.log_noise_sd)
        return (spread**-2.0).astype(np.float32)


class WarmStart(NamedTuple):
    """Steps of Adam before the chains, and its first learning rate, which falls to a hundredth along a cosine."""

    n_steps: int = 5000
    rate: float = 1e-2


DEFAULT_WARM_START = WarmStart()


@dataclass(frozen=True)
class Posterior:
    """Draws from p(theta | data).

    theta       (C, K, P + 1) float32, K draws of each chain in the order of the chain
    """

    network: TanhNetwork
    theta: np.ndarray

    @property
    def draws(self) -> np.ndarray:
        """(C K, P + 1) all draws, those of different chains next to each other."""
        return np.swapaxes(self.theta, 0, 1).reshape(-1, self.theta.shape[-1])

    def predict(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Means (draws, B) at inputs (B, D), and noise variances (draws,), of every draw."""
        draws = self.draws
        return self.network.output(draws[:, :-1], x), np.exp(np.clip(draws[:, -1], *LOG_NOISE_RANGE))

    def moments(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance (B,) of the predictive distribution as a Gaussian, eq. 3.4."""
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
    """At least `n_draws` draws in all from the posterior, `n_between` steps apart in each of `n_chains` chains.

    `warm_start=None` starts the chains at random weights, as the thesis does. `progress(k)` is told of k more steps.
    """
    if n_chains < 1 or n_draws < 1 or n_between < 1:
        raise InvalidOption(
            f"n_chains, n_draws and n_between must be at least 1, got {n_chains}, {n_draws} and {n_between}"
        )
    first, second, third = (np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(3))
    tell = progress or _silent
    per_chain = -(-n_draws // n_chains)
    with threadpool_limits(1):  # matrices this small only lose time when they are shared out
        theta = model.start(n_chains, first)
        if warm_start is not None:
            theta = adam(model.gradient, theta, second, warm_start)
            tell(warm_start.n_steps)
        kept = np.empty((n_chains, per_chain, theta.shape[1]), dtype=theta.dtype)
        states = chain(model.gradient, theta, third, n_burn_in=n_burn_in, step=step, floor=model.prior_precision)
        for k in range(per_chain):
            for _ in range(n_between):
                theta = next(states)
            kept[:, k] = theta
            tell(n_between + (n_burn_in if k == 0 else 0))
    if not (np.isfinite(kept).all() and (kept[..., -1] < LOG_NOISE_RANGE[1]).all()):
        raise Diverged(f"a chain left what the data allow at step length {step:g}; try one of {step / 3:.1g}")
    return Posterior(model.network, kept)


def adam(gradient: Inputs, theta: np.ndarray, rng: np.random.Generator, options: WarmStart) -> np.ndarray:
    """Parameters near a mode of the posterior: Adam (Kingma and Ba, 2015) with a learning rate that falls."""
    mean, square = np.zeros_like(theta), np.zeros_like(theta)
    for k in range(options.n_steps):
        slope = gradient(theta, rng)
        mean += 0.1 * (slope - mean)
        square += 0.01 * (slope * slope - square)
        rate = options.rate * (0.01 + 0.99 * 0.5 * (1.0 + np.cos(np.pi * k / options.n_steps)))
        scale = np.sqrt(square / (1.0 - 0.99 ** (k + 1)))
        scale += 1e-8
        theta = theta - (rate / (1.0 - 0.9 ** (k + 1))) * mean / scale
    return theta.astype(np.float32)


def _silent(n_steps: int) -> None:
    pass


class Diverged(HpoError, ArithmeticError):
    """A chain whose parameters grew without bound."""
