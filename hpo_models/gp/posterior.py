"""Logarithm of the posterior density of a Gaussian process' hyperparameters, with its gradient.

    X     (n, d) inputs                     theta  logarithms of the lengthscales (g,), of the scale and of the noise
    y     (n,) observations                 B      k(X, X) + noise / scale I, (n, n); scale B is their covariance A
    Z     X divided by the lengthscales     W      inverse of the Cholesky factor of B
    m     constant mean                     b      B^-1 (y - m) = W' W (y - m)

    log p(y | theta) = -1/2 (y - m)' A^-1 (y - m) - 1/2 log |A| - n/2 log 2 pi        Rasmussen and Williams, eq. 5.8

The mean is not searched for: its most probable value given the other hyperparameters has a closed form,

    m = 1' A^-1 y / (1' A^-1 1 + 1 / variance of its prior)

and because the density is stationary there, the gradient with respect to theta is that with m fixed. Densities of the
priors are those of the values themselves (lengthscale, scale, noise), not of their logarithms.

With G = A^-1 (y - m) (y - m)' A^-1 - A^-1, the derivative with respect to a hyperparameter is 1/2 tr(G dA). Scale and
noise need no more than tr G: A is linear in both, and tr(G A) = (y - m)' A^-1 (y - m) - n. For a lengthscale it is a
sum over pairs (i, j) of H_ij (z_i - z_j)^2, which is 2 (sum_i z_i^2 sum_j H_ij - z' H z): one product H Z gives all of
them, without an (n, n, d) array of differences.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg import blas, lapack

from hpo_models.gp.factors import centred
from hpo_models.gp.kernel_matrix import KernelMatrix
from hpo_models.gp.kernels import Kernel
from hpo_models.gp.priors import Prior, Priors

LOG_2_PI = math.log(2.0 * math.pi)


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
        self._x, self._groups, self._priors = x, groups, priors
        self._n_groups, n = int(groups.max()) + 1, len(y)
        self._columns = np.asfortranarray(np.column_stack([np.ones(n), y]))
        self._matrix = KernelMatrix(n, kernel)
        variance = priors.mean_variance
        self._mean_precision = 0.0 if variance is None else 1.0 / variance

    def value(self, theta: np.ndarray) -> float:
        """Log density up to a constant."""
        scale, noise = math.exp(theta[-2]), math.exp(theta[-1])
        z = self._scaled(theta)
        upper, failed = lapack.dpotrf(self._matrix.fill(z, noise / scale).T, lower=0, clean=0, overwrite_a=1)
        if failed:
            upper = self._matrix.jittered_factor(z, noise / scale).T
        mean, residuals = self._centred(lapack.dtrtrs(upper, self._columns, lower=0, trans=1)[0], scale)
        return self._density(theta, mean, residuals @ residuals, float(np.log(upper.diagonal()).sum()))

    def value_and_gradient(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """Log density up to a constant, and its gradient (g + 2,) with respect to theta."""
        scale, noise = math.exp(theta[-2]), math.exp(theta[-1])
        z = self._scaled(theta)
        w = self._matrix.inverse_factor(z, noise / scale)
        mean, residuals = self._centred(w @ self._columns, scale)
        squares = float(residuals @ residuals)
        value = self._density(theta, mean, squares, -float(np.log(w.diagonal()).sum()))
        weights = residuals @ w
        inverse = lapack.dlauum(w.T, lower=0, overwrite_c=1)[0]  # of B; .T: LAPACK's order
        g = blas.dsyr(-1.0 / scale, weights, lower=0, a=inverse, overwrite_a=1)  # -scale G
        trace = noise / scale * float(g.trace())
        gradient = np.empty_like(theta)
        gradient[-2] = 0.5 * (squares / scale - len(w) + trace)
        gradient[-1] = -0.5 * trace
        gradient[:-2] = self._along_lengthscales(z, g.T)
        return value, gradient + self._prior_gradient(theta)

    def _along_lengthscales(self, z: np.ndarray, g: np.ndarray) -> np.ndarray:
        """(g,) derivatives; the lower triangle of `g`, (n, n) with zeros above, is overwritten."""
        h = self._matrix.times_derivative(g)
        product = blas.dsymm(1.0, h.T, np.column_stack([z, self._columns[:, 0]]), lower=0)
        per_column = 2.0 * (product[:, -1] @ z**2 - np.einsum("id,id->d", z, product[:, :-1]))
        return np.bincount(self._groups, weights=per_column, minlength=self._n_groups)

    def _scaled(self, theta: np.ndarray) -> np.ndarray:
        return self._x * np.exp(-theta)[self._groups]

    def _centred(self, whitened: np.ndarray, scale: float) -> tuple[float, np.ndarray]:
        return centred(whitened, scale * self._mean_precision)

    def _density(self, theta: np.ndarray, mean: float, squares: float, log_root: float) -> float:
        """Log density from |W (y - m)|^2 and half the logarithm of |B|."""
        n = len(self._x)
        value = -0.5 * squares * math.exp(-theta[-2]) - log_root - 0.5 * n * (float(theta[-2]) + LOG_2_PI)
        value -= 0.5 * mean**2 * self._mean_precision
        for prior, at in self._assigned():
            if prior is not None:
                value += sum(prior.log_density(math.exp(log)) for log in theta[at].tolist())
        return value

    def _prior_gradient(self, theta: np.ndarray) -> np.ndarray:
        gradient = np.zeros_like(theta)
        for prior, at in self._assigned():
            if prior is not None:
                gradient[at] = [prior.derivative(math.exp(log)) * math.exp(log) for log in theta[at].tolist()]
        return gradient

    def _assigned(self) -> list[tuple[Prior | None, slice]]:
        p = self._priors
        return [(p.lengthscale, slice(0, -2)), (p.scale, slice(-2, -1)), (p.noise, slice(-1, None))]
