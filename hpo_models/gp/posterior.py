"""Logarithm of the posterior density of a Gaussian process' hyperparameters, with its gradient.

    X     (n, d) inputs                     theta  logarithms of the lengthscales (g,), of the scale and of the noise
    y     (n,) observations                 A      scale k(X, X) + noise I, (n, n)
    Z     X divided by the lengthscales     m      constant mean

    log p(y | theta) = -1/2 (y - m)' A^-1 (y - m) - 1/2 log |A| - n/2 log 2 pi        Rasmussen and Williams, eq. 5.8

The mean is not searched for: its most probable value given the other hyperparameters has a closed form,

    m = 1' A^-1 y / (1' A^-1 1 + 1 / variance of its prior)

and because the density is stationary there, the gradient with respect to theta is that with m fixed. Densities of the
priors are those of the values themselves (lengthscale, scale, noise), not of their logarithms.

With G = a a' - A^-1 and a = A^-1 (y - m), the derivative with respect to a hyperparameter is 1/2 tr(G dA). For a
lengthscale that is a sum over pairs (i, j) of H_ij (z_i - z_j)^2, which is 2 (sum_i z_i^2 sum_j H_ij - z' H z): one
product H Z gives all of them, without an (n, n, d) array of differences.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg import blas, lapack

from hpo_core.errors import HpoError
from hpo_models.gp.kernels import Kernel, squared_distances
from hpo_models.gp.priors import Prior, Priors

LOG_2_PI = math.log(2.0 * math.pi)
BLOCK = 64  # rows of a triangular matrix up to which LAPACK inverts it
JITTER = 1e-10  # of the scale: added to the diagonal first, and ten times more after each failure


class NotPositiveDefinite(HpoError, ArithmeticError):
    """A covariance matrix that has no Cholesky factor even with a large jitter."""


def cholesky(covariance: np.ndarray, scale: float) -> np.ndarray:
    """Lower Cholesky factor (n, n), zeros above, of a symmetric matrix, with as much jitter as it needs.

    The jitter starts at 1e-10 of `scale`; a matrix that needs more than a thousandth raises `NotPositiveDefinite`.
    """
    jitter = JITTER * scale
    while jitter <= 1e-3 * scale:
        jittered = covariance.copy()
        np.fill_diagonal(jittered, covariance.diagonal() + jitter)
        factor, failed = lapack.dpotrf(jittered.T, lower=1, clean=1, overwrite_a=1)  # .T: LAPACK's order
        if not failed:
            return factor
        jitter *= 10.0
    raise NotPositiveDefinite(
        "a covariance matrix must be positive definite; this one is not, even with a thousandth of its scale added "
        "to the diagonal: look for NaN or huge values among the inputs"
    )


def whiten(factor: np.ndarray, y: np.ndarray, mean_variance: float | None) -> tuple[float, np.ndarray]:
    """Most probable constant mean m of observations whose covariance is L L', and L^-1 (y - m), (n,)."""
    columns = lapack.dtrtrs(factor, np.column_stack([np.ones_like(y), y]), lower=1)[0]
    ones, whitened = columns[:, 0], columns[:, 1]
    precision = 0.0 if mean_variance is None else 1.0 / mean_variance
    mean = float(ones @ whitened / (ones @ ones + precision))
    return mean, whitened - mean * ones


def inverse_factor(factor: np.ndarray) -> np.ndarray:
    """Inverse (n, n) of a lower triangular matrix with zeros above.

    Recursive in halves, so that most of the work is matrix products: LAPACK's routine takes twice as long at n = 250.
    """
    n = len(factor)
    if n <= BLOCK:
        return lapack.dtrtri(factor, lower=1)[0]
    half = n // 2
    inverse = np.zeros_like(factor)
    first = inverse[:half, :half] = inverse_factor(factor[:half, :half])
    second = inverse[half:, half:] = inverse_factor(factor[half:, half:])
    inverse[half:, :half] = -second @ (factor[half:, :half] @ first)
    return inverse


class LogPosterior:
    """Log posterior density as a function of theta, for fixed observations.

    Parameters
    ----------
    x, y
        (n, d) inputs and (n,) observations.
    groups
        (d,) index of each input column's lengthscale.
    kernel, priors
        See `hpo_models.gp.kernels` and `hpo_models.gp.priors`.
    """

    def __init__(self, x: np.ndarray, y: np.ndarray, groups: np.ndarray, kernel: Kernel, priors: Priors):
        self._x, self._y, self._groups, self._kernel, self._priors = x, y, groups, kernel, priors
        self._n_groups = int(groups.max()) + 1
        self._ones = np.ones(len(y))
        self._memory = np.empty((4, len(y), len(y)))

    def value(self, theta: np.ndarray) -> float:
        """Log density up to a constant."""
        _, k, _, scale, noise = self._kernel_matrix(theta)
        factor = self._factor(k, scale, noise)
        return self._density(theta, factor, *whiten(factor, self._y, self._priors.mean_variance))

    def value_and_gradient(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """Log density up to a constant, and its gradient (g + 2,) with respect to theta."""
        z, k, derivative, scale, noise = self._kernel_matrix(theta)
        factor = self._factor(k, scale, noise)
        mean, whitened = whiten(factor, self._y, self._priors.mean_variance)
        value = self._density(theta, factor, mean, whitened)
        a = lapack.dtrtrs(factor, whitened, lower=1, trans=1)[0]
        inverse = lapack.dlauum(inverse_factor(factor), lower=1, overwrite_c=1)[0]  # its lower triangle; zeros above
        g = blas.dsyr(-1.0, a, lower=1, a=inverse, overwrite_a=1)  # -G, in the lower triangle
        trace = g.trace()
        gradient = np.empty_like(theta)
        gradient[-2] = scale * (0.5 * trace - np.vdot(g.T, k))  # the triangle counts twice; k is 1 on the diagonal
        gradient[-1] = -0.5 * noise * trace
        g.T[...] *= derivative
        product = blas.dsymm(scale, g, np.column_stack([z, self._ones]), lower=1)
        per_column = 2.0 * (product[:, -1] @ z**2 - np.einsum("id,id->d", z, product[:, :-1]))
        gradient[:-2] = np.bincount(self._groups, weights=per_column, minlength=self._n_groups)
        return value, gradient + self._prior_gradient(theta)

    def _kernel_matrix(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, float, float]:
        z = self._x * np.exp(-theta[self._groups])
        r2 = squared_distances(z, z, out=self._memory[0])
        np.fill_diagonal(r2, 0.0)
        k, derivative = self._kernel(r2, self._memory[1], self._memory[2])
        return z, k, derivative, math.exp(theta[-2]), math.exp(theta[-1])

    def _factor(self, k: np.ndarray, scale: float, noise: float) -> np.ndarray:
        """Cholesky factor of A, in memory that the next call overwrites."""
        covariance = np.multiply(k, scale, out=self._memory[3])
        np.fill_diagonal(covariance, scale * (1.0 + JITTER) + noise)
        factor, failed = lapack.dpotrf(covariance.T, lower=1, clean=1, overwrite_a=1)
        return cholesky(scale * k + noise * np.eye(len(k)), scale) if failed else factor

    def _density(self, theta: np.ndarray, factor: np.ndarray, mean: float, whitened: np.ndarray) -> float:
        likelihood = -0.5 * whitened @ whitened - np.log(factor.diagonal()).sum() - 0.5 * len(whitened) * LOG_2_PI
        value = float(likelihood)
        if self._priors.mean_variance is not None:
            value -= 0.5 * mean**2 / self._priors.mean_variance
        for prior, at in self._assigned():
            if prior is not None:
                value += sum(prior.log_density(math.exp(log)) for log in theta[at])
        return value

    def _prior_gradient(self, theta: np.ndarray) -> np.ndarray:
        gradient = np.zeros_like(theta)
        for prior, at in self._assigned():
            if prior is not None:
                gradient[at] = [prior.derivative(math.exp(log)) * math.exp(log) for log in theta[at]]
        return gradient

    def _assigned(self) -> list[tuple[Prior | None, slice]]:
        p = self._priors
        return [(p.lengthscale, slice(0, -2)), (p.scale, slice(-2, -1)), (p.noise, slice(-1, None))]
