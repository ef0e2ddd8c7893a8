"""Logarithm of the posterior density of the hyperparameters of `hpo_models.gp.product`, with its gradient.

    X     (n, d) inputs              L   (p, p) lower triangular, Sigma = L L'
    F     (n, p) basis functions     A   (F Sigma F') o k(X, X) + noise I, (n, n); o is the product by elements
    y     (n,) observations          b   (p,) weights of the mean F b, normal around 0
    theta logarithms of the lengthscales (g,), the lower triangle of L by rows with its diagonal as logarithms, the
          logarithm of the noise

    log p(y | theta) = -1/2 (y - F b)' A^-1 (y - F b) - 1/2 log |A| - n/2 log 2 pi

As in `hpo_models.gp.posterior` the mean is not searched for: the most probable weights have a closed form,

    b = (F' A^-1 F + I / variance of their prior)^-1 F' A^-1 y

and the gradient with respect to theta is that with b fixed. With G = a a' - A^-1 and a = A^-1 (y - F b), it is
1/2 tr(G dA) for each hyperparameter, which for L is the lower triangle of F' (G o k) F L.
"""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.linalg import lapack

from hpo_models.gp.factors import cholesky
from hpo_models.gp.kernels import matern52, squared_distances
from hpo_models.gp.posterior import LOG_2_PI
from hpo_models.gp.priors import Gamma, LogNormal, Prior


class ProductPriors(NamedTuple):
    """Priors of the hyperparameters.

    lengthscale     None for a flat one
    scale           of the first entry of the diagonal of L, squared
    rest            of the other entries of the diagonal, squared
    link            (p, p) means of the entries of L below its diagonal, which are normal; None for 0
    link_std        their standard deviation
    noise           variance of the observations around the function
    mean_variance   of each weight of the mean
    n_alike         number of rows of L whose entries below the diagonal are searched for above 0 first
    """

    lengthscale: Prior | None = LogNormal(0.0, 1.0)
    scale: Prior = LogNormal(0.0, 1.0)
    rest: Prior = LogNormal(0.0, 1.0)
    link: np.ndarray | None = None
    link_std: float = 1.0
    noise: Prior = Gamma(0.1, 0.1)
    mean_variance: float = 1.0
    n_alike: int = 0


class Parts(NamedTuple):
    """The hyperparameters that theta encodes: lengthscales (g,), L (p, p), noise."""

    lengthscales: np.ndarray
    triangle: np.ndarray
    noise: float


def unpack(theta: np.ndarray, n_groups: int, rank: int) -> Parts:
    """The hyperparameters that a theta encodes."""
    triangle = np.zeros((rank, rank))
    triangle[_lower(rank)] = theta[n_groups:-1]
    np.fill_diagonal(triangle, np.exp(triangle.diagonal()))
    return Parts(np.exp(theta[:n_groups]), triangle, math.exp(theta[-1]))


def pack(parts: Parts) -> np.ndarray:
    """theta, the vector that encodes hyperparameters."""
    triangle = parts.triangle.copy()
    np.fill_diagonal(triangle, np.log(triangle.diagonal()))
    return np.concatenate([np.log(parts.lengthscales), triangle[_lower(len(triangle))], [math.log(parts.noise)]])


@cache
def _lower(rank: int) -> tuple[np.ndarray, np.ndarray]:
    """Indices of a lower triangle, by rows."""
    return np.tril_indices(rank)


def whiten(factor: np.ndarray, basis: np.ndarray, y: np.ndarray, mean_variance: float) -> tuple[np.ndarray, np.ndarray]:
    """Most probable weights b of the mean, and whitened residuals C^-1 (y - F b), for observations of covariance C C'.

    Parameters
    ----------
    factor
        (n, n) C, lower triangular.
    basis
        (n, p) F.
    y
        (n,) observations.
    mean_variance
        Variance of the prior of each weight.

    Returns
    -------
    tuple of np.ndarray
        Weights (p,) and whitened residuals (n,).
    """
    columns = lapack.dtrtrs(factor, np.column_stack([basis, y]), lower=1)[0]
    white, target = columns[:, :-1], columns[:, -1]
    precision = white.T @ white
    np.fill_diagonal(precision, precision.diagonal() + 1.0 / mean_variance)
    mean = lapack.dposv(precision, white.T @ target)[1]
    return mean, target - white @ mean


class ProductPosterior:
    """Log posterior density as a function of theta, for fixed observations.

    Parameters
    ----------
    x, basis, y
        (n, d) inputs X, (n, p) basis functions F and (n,) observations.
    groups
        (d,) index of each input column's lengthscale.
    priors
        Of the hyperparameters.
    """

    def __init__(self, x: np.ndarray, basis: np.ndarray, y: np.ndarray, groups: np.ndarray, priors: ProductPriors):
        self._x, self._basis, self._y, self._groups, self._priors = x, basis, y, groups, priors
        self.n_groups, self.rank = int(groups.max()) + 1, basis.shape[1]
        self._ones = np.ones(len(y))
        self._diagonal = self.n_groups + np.cumsum(np.arange(1, self.rank + 1)) - 1  # indices of log L_ii in theta
        self._scales = [priors.scale] + [priors.rest] * (self.rank - 1)
        below = np.zeros((self.rank, self.rank)) if priors.link is None else priors.link
        self._link = below[_lower(self.rank)]

    def value(self, theta: np.ndarray) -> float:
        """Log density up to a constant."""
        parts = unpack(theta, self.n_groups, self.rank)
        _, k, _, between = self._kernels(parts)
        factor = self._factor(k * between, parts.noise)
        return self._density(theta, factor, *whiten(factor, self._basis, self._y, self._priors.mean_variance))

    def value_and_gradient(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """Log density up to a constant, and its gradient with respect to theta."""
        parts = unpack(theta, self.n_groups, self.rank)
        z, k, derivative, between = self._kernels(parts)
        factor = self._factor(k * between, parts.noise)
        mean, whitened = whiten(factor, self._basis, self._y, self._priors.mean_variance)
        value = self._density(theta, factor, mean, whitened)
        a = lapack.dtrtrs(factor, whitened, lower=1, trans=1)[0]
        lower = lapack.dpotri(factor, lower=1)[0]  # zeros above the diagonal, as in the factor
        np.fill_diagonal(lower, 0.5 * lower.diagonal())
        g = np.outer(a, a)
        g -= lower
        g -= lower.T
        gradient = np.empty_like(theta)
        gradient[-1] = 0.5 * parts.noise * g.trace()
        gradient[self.n_groups : -1] = self._triangle_gradient((g * k) @ self._basis, parts.triangle)
        g *= derivative
        g *= between
        product = g @ np.column_stack([z, self._ones])
        per_column = -2.0 * (product[:, -1] @ z**2 - np.einsum("id,id->d", z, product[:, :-1]))
        gradient[: self.n_groups] = np.bincount(self._groups, weights=per_column, minlength=self.n_groups)
        return value, gradient + self._prior_gradient(theta)

    def _triangle_gradient(self, product: np.ndarray, triangle: np.ndarray) -> np.ndarray:
        """Gradient with respect to the entries of L as theta encodes them, from (G o k) F."""
        gradient = self._basis.T @ product @ triangle
        np.fill_diagonal(gradient, gradient.diagonal() * triangle.diagonal())
        return gradient[_lower(self.rank)]

    def _kernels(self, parts: Parts) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        z = self._x / parts.lengthscales[self._groups]
        r2 = squared_distances(z, z)
        np.fill_diagonal(r2, 0.0)
        k, derivative = matern52(r2)
        mixed = self._basis @ parts.triangle
        return z, k, derivative, mixed @ mixed.T

    def _factor(self, covariance: np.ndarray, noise: float) -> np.ndarray:
        scale = float(covariance.diagonal().max())
        np.fill_diagonal(covariance, covariance.diagonal() + noise)
        return cholesky(covariance, scale)

    def _density(self, theta: np.ndarray, factor: np.ndarray, mean: np.ndarray, whitened: np.ndarray) -> float:
        likelihood = -0.5 * whitened @ whitened - np.log(factor.diagonal()).sum() - 0.5 * len(whitened) * LOG_2_PI
        value = float(likelihood) - 0.5 * float(mean @ mean) / self._priors.mean_variance
        if self._priors.lengthscale is not None:
            value += sum(self._priors.lengthscale.log_density(math.exp(log)) for log in theta[: self.n_groups])
        for prior, log in zip(self._scales, theta[self._diagonal], strict=True):
            value += prior.log_density(math.exp(2.0 * log))
        value += self._priors.noise.log_density(math.exp(theta[-1]))
        return value - 0.5 * float(np.sum(self._link_residuals(theta) ** 2))

    def _link_residuals(self, theta: np.ndarray) -> np.ndarray:
        """Entries of L minus the means of their prior, in standard deviations; 0 on the diagonal."""
        residuals = (theta[self.n_groups : -1] - self._link) / self._priors.link_std
        residuals[self._diagonal - self.n_groups] = 0.0
        return residuals

    def _prior_gradient(self, theta: np.ndarray) -> np.ndarray:
        gradient = np.zeros_like(theta)
        gradient[self.n_groups : -1] = -self._link_residuals(theta) / self._priors.link_std
        if self._priors.lengthscale is not None:
            gradient[: self.n_groups] = [
                _log_derivative(self._priors.lengthscale, log) for log in theta[: self.n_groups]
            ]
        pairs = zip(self._scales, theta[self._diagonal], strict=True)
        gradient[self._diagonal] = [2.0 * _log_derivative(prior, 2.0 * log) for prior, log in pairs]
        gradient[-1] = _log_derivative(self._priors.noise, theta[-1])
        return gradient


def _log_derivative(prior: Prior, log: float) -> float:
    """Derivative of a prior's log density with respect to the logarithm of the value."""
    return prior.derivative(math.exp(log)) * math.exp(log)
