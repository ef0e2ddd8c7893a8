"""A Gaussian process of warped inputs, with the most probable lengthscales, scale, noise and warping.

    X      (n, d) inputs, of which the first k columns are warped by w, see `hpo_models.warping.kumaraswamy`
    Z      w(X) divided by the lengthscales
    B      k(Z, Z) + noise / scale I, (n, n); scale B is the covariance A of the observations
    theta  logarithms of the lengthscales (g,), of scale and noise, of a (k,) and of b (k,)

The density is that of `hpo_models.gp.posterior` at the warped inputs. As in Snoek et al. (2014) a and b are log-normal:
their logarithms are normal around 0, the identity, here with variance 3/4.

With M = scale G dk/d(r^2), elementwise, the derivative with respect to z_i is 2 sum_j M_ij (z_i - z_j). From it follow
that of a lengthscale, by z = w(x) / l, and those of a and b, by the chain rule.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.linalg import blas, lapack

from hpo_core.single_thread import single_threaded
from hpo_models.gp.factors import centred
from hpo_models.gp.fit import DEFAULT, FIRST, Fitting, Hyperparameters, climb
from hpo_models.gp.kernel_matrix import KernelMatrix
from hpo_models.gp.kernels import matern52
from hpo_models.gp.posterior import LOG_2_PI
from hpo_models.gp.priors import MAP, Priors
from hpo_models.gp.regression import GP, condition, extended
from hpo_models.warping.kumaraswamy import warp, warp_with_slopes

WARP_VARIANCE = 0.75  # of log a and log b
WARP_RANGE = (0.1, 10.0)  # of a and b


class WarpedGP(NamedTuple):
    """A process of warped inputs, with a (k,) and b (k,) of the first k columns."""

    process: GP
    a: np.ndarray
    b: np.ndarray

    @property
    def noise(self) -> float:
        """Variance of the observations around the function."""
        return self.process.hyperparameters.noise

    def predict(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(m,) posterior means and (m,) standard deviations of the function at (m, d) inputs."""
        return self.process.predict(warp_first(x, self.a, self.b))

    def extended(self, x: np.ndarray, y: np.ndarray) -> WarpedGP:
        """The process with the same hyperparameters after more observations, see `hpo_models.gp.regression`."""
        return self._replace(process=extended(self.process, warp_first(x, self.a, self.b), y))


def warp_first(x: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(n, d) inputs of which the first k columns are warped; `a` and `b` are (k,)."""
    return np.concatenate([warp(x[:, : len(a)], a, b), x[:, len(a) :]], axis=1)


@single_threaded
def fit_warped(
    x: np.ndarray,
    y: np.ndarray,
    n_warped: int,
    *,
    groups: np.ndarray,
    priors: Priors = MAP,
    fitting: Fitting = DEFAULT,
) -> WarpedGP:
    """The Matern-5/2 process with the most probable hyperparameters and warping, from one fixed start.

    Parameters
    ----------
    x, y
        (n, d) inputs in the unit cube and (n,) standardised observations.
    n_warped
        Number of columns, the first ones, that are warped.
    groups
        (d,) index of each input column's lengthscale.
    priors
        Of lengthscales, scale, noise and mean.
    fitting
        Box and tolerances of the search.

    Returns
    -------
    WarpedGP
        In the units of the observations.

    Examples
    --------
    >>> import numpy as np
    >>> from hpo_models.warping.warped_process import fit_warped
    >>> x = np.linspace(0.0, 1.0, 12)[:, None]
    >>> found = fit_warped(x, np.sin(10.0 * x[:, 0] ** 4), 1, groups=np.array([0]))
    >>> bool(found.a[0] > 1.5)  # nothing happens near 0
    True
    """
    density = WarpedLogPosterior(x, y, n_warped, groups, priors)
    n_groups, box = int(groups.max()) + 1, fitting.box
    limits = np.log([box.lengthscale] * n_groups + [box.scale, box.noise] + [WARP_RANGE] * (2 * n_warped))
    first = np.concatenate([np.full(n_groups, FIRST[0]), FIRST[1:], np.ones(2 * n_warped)])
    theta, _ = climb(density, np.log(first), limits, fitting)
    values = np.exp(theta)
    a, b = values[n_groups + 2 : n_groups + 2 + n_warped], values[n_groups + 2 + n_warped :]
    hyperparameters = Hyperparameters(values[:n_groups], float(values[n_groups]), float(values[n_groups + 1]))
    warped = warp_first(x, a, b)
    process = condition(warped, y, hyperparameters, groups=groups, mean_variance=priors.mean_variance)
    return WarpedGP(process, a, b)


class WarpedLogPosterior:
    """Log posterior density as a function of theta, for fixed observations.

    Parameters
    ----------
    x, y, n_warped, groups, priors
        As for `fit_warped`.
    """

    def __init__(self, x: np.ndarray, y: np.ndarray, n_warped: int, groups: np.ndarray, priors: Priors):
        self._x, self._k, self._groups, self._priors = x, n_warped, groups, priors
        self._n_groups = int(groups.max()) + 1
        self._columns = np.column_stack([np.ones(len(y)), y])
        self._matrix = KernelMatrix(len(y), matern52)
        self._mean_precision = 0.0 if priors.mean_variance is None else 1.0 / priors.mean_variance

    def value_and_gradient(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """Log density up to a constant, and its gradient (g + 2 + 2 k,) with respect to theta."""
        g, k, n = self._n_groups, self._k, len(self._x)
        scale, noise = math.exp(theta[g]), math.exp(theta[g + 1])
        warped = warp_with_slopes(self._x[:, :k], *np.exp(theta[g + 2 :]).reshape(2, k))
        inverse_lengths = np.exp(-theta[:g])[self._groups]
        z = np.concatenate([warped.inputs, self._x[:, k:]], axis=1) * inverse_lengths
        w = self._matrix.inverse_factor(z, noise / scale)
        mean, residuals = centred(w @ self._columns, scale * self._mean_precision)
        squares, log_root = float(residuals @ residuals), -float(np.log(w.diagonal()).sum())
        value = -0.5 * squares / scale - log_root - 0.5 * n * (float(theta[g]) + LOG_2_PI)
        value -= 0.5 * mean**2 * self._mean_precision
        minus_g = _minus_scaled_g(w, residuals @ w, scale)
        trace = noise / scale * float(minus_g.trace())
        slopes = self._slopes(z, minus_g)
        by_column = slopes[:, :k] * inverse_lengths[:k]
        gradient = np.concatenate(
            [
                np.bincount(self._groups, weights=-np.einsum("nd,nd->d", slopes, z), minlength=g),
                [0.5 * (squares / scale - n + trace), -0.5 * trace],
                np.einsum("nk,nk->k", by_column, warped.along_log_a),
                np.einsum("nk,nk->k", by_column, warped.along_log_b),
            ]
        )
        prior, prior_gradient = self._prior(theta)
        return value + prior, gradient + prior_gradient

    def _slopes(self, z: np.ndarray, minus_g: np.ndarray) -> np.ndarray:
        """(n, d) derivatives with respect to the scaled inputs z; the lower triangle of `minus_g` is overwritten."""
        minus_m = self._matrix.times_derivative(minus_g)
        product = blas.dsymm(1.0, minus_m.T, np.column_stack([z, self._columns[:, 0]]), lower=0)
        return 2.0 * (product[:, :-1] - z * product[:, -1:])

    def _prior(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """Log density of the priors, and its gradient."""
        p, g = self._priors, self._n_groups
        warping = theta[g + 2 :]
        value, gradient = -0.5 * float(warping @ warping) / WARP_VARIANCE, np.zeros_like(theta)
        gradient[g + 2 :] = -warping / WARP_VARIANCE
        for index in range(g + 2):
            prior = p.lengthscale if index < g else p.scale if index == g else p.noise
            if prior is not None:
                at = math.exp(theta[index])
                value += prior.log_density(at)
                gradient[index] = prior.derivative(at) * at
        return value, gradient


def _minus_scaled_g(w: np.ndarray, weights: np.ndarray, scale: float) -> np.ndarray:
    """Lower triangle (n, n), zeros above, of -scale G; `w` is overwritten, see `hpo_models.gp.posterior`."""
    inverse = lapack.dlauum(w.T, lower=0, overwrite_c=1)[0]  # of B; .T: LAPACK's order
    return blas.dsyr(-1.0 / scale, weights, lower=0, a=inverse, overwrite_a=1).T
