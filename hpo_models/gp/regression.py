"""Gaussian process regression (Rasmussen and Williams, 2006, chapter 2): float64, numpy and LAPACK.

    X   (n, d) inputs, meant for the unit cube         k   kernel with variance 1, lengthscales per group of columns
    y   (n,) observations, meant to be standardised    L   lower Cholesky factor of k(X, X) + noise / scale I, (n, n)
    m   constant mean                                  a   L^-T L^-1 (y - m), (n,)

    posterior mean at x      m + k(x, X) a
    posterior variance       scale (1 - |L^-1 k(X, x)|^2)            of the function, without the noise

The inverse of L is kept: predictions are many, and a product with it takes less than half the time of solving with L.

A `GP` is immutable: more observations make another one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import blas

from hpo_core.errors import InvalidOption
from hpo_core.single_thread import single_threaded
from hpo_models.gp.factors import centred, cholesky, invert
from hpo_models.gp.fit import DEFAULT, Fitting, Hyperparameters, most_probable, posterior_samples
from hpo_models.gp.kernel_matrix import KernelMatrix
from hpo_models.gp.kernels import kernel_named, squared_distances
from hpo_models.gp.priors import MAP, SAMPLING, Priors

CHUNK = 256  # inputs that are predicted at a time: the matrices between them and the observations stay in the cache


class GP(NamedTuple):
    """A Gaussian process with fixed hyperparameters and its observations; made by `condition` or `fit`.

    `inverse` is L^-1, (n, n) with zeros above the diagonal, and `weights` are a.
    """

    x: np.ndarray
    y: np.ndarray
    groups: np.ndarray
    hyperparameters: Hyperparameters
    kernel: str
    mean_variance: float | None
    inverse: np.ndarray
    mean: float
    weights: np.ndarray

    @single_threaded
    def predict(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(m,) posterior means and (m,) standard deviations of the function at (m, d) inputs."""
        means, stds = np.empty(len(x)), np.empty(len(x))
        memory = np.empty((3, min(CHUNK, len(x)), len(self.x)))
        for start in range(0, len(x), CHUNK):
            part = slice(start, start + CHUNK)
            cross = self._correlations(x[part], memory[:, : len(x) - start])
            means[part] = self.mean + self.weights @ cross
            whitened = blas.dtrmm(1.0, self.inverse.T, cross, lower=0, trans_a=1, overwrite_b=1)  # .T: BLAS' order
            variances = 1.0 - np.einsum("nm,nm->m", whitened, whitened)
            stds[part] = np.sqrt(self.hyperparameters.scale * np.maximum(variances, 0.0))
        return means, stds

    @single_threaded
    def left_out(self) -> np.ndarray:
        """(n,) standardised residuals of the observations, each predicted from the others; same hyperparameters.

        With B = k(X, X) + noise / scale I the residual of observation i is a_i / (B^-1)_ii, its variance
        scale / (B^-1)_ii (Rasmussen and Williams, 2006, eq. 5.12).
        """
        precisions = np.einsum("ij,ij->j", self.inverse, self.inverse)
        return self.weights / np.sqrt(self.hyperparameters.scale * precisions)

    @single_threaded
    def joint(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(m,) posterior mean and (m, m) posterior covariance of the function at (m, d) inputs."""
        cross = self._correlations(x)
        whitened = self.inverse @ cross
        scaled = x / self.hyperparameters.lengthscales[self.groups]
        prior = kernel_named(self.kernel)(squared_distances(scaled, scaled))[0]
        return self.mean + self.weights @ cross, self.hyperparameters.scale * (prior - whitened.T @ whitened)

    @single_threaded
    def sample(self, x: np.ndarray, rng: np.random.Generator, n_samples: int = 1) -> np.ndarray:
        """(n_samples, m) draws of the function from its posterior, at (m, d) inputs together."""
        mean, covariance = self.joint(x)
        factor = cholesky(covariance, self.hyperparameters.scale)
        return mean + rng.standard_normal((n_samples, len(x))) @ factor.T

    def _correlations(self, x: np.ndarray, memory: np.ndarray | None = None) -> np.ndarray:
        """(n, m) prior correlations between the observed inputs and others; `memory` (3, m, n) is overwritten."""
        lengthscales = self.hyperparameters.lengthscales[self.groups]
        distances, values, derivatives = (None, None, None) if memory is None else memory
        r2 = squared_distances(x / lengthscales, self.x / lengthscales, distances)
        return kernel_named(self.kernel)(r2, values, derivatives)[0].T


@single_threaded
def condition(
    x: np.ndarray,
    y: np.ndarray,
    hyperparameters: Hyperparameters,
    *,
    groups: np.ndarray | None = None,
    kernel: str = "matern52",
    mean_variance: float | None = MAP.mean_variance,
) -> GP:
    """The process with given hyperparameters after observations; the constant mean takes its most probable value.

    Parameters
    ----------
    x, y
        (n, d) inputs and (n,) observations.
    hyperparameters
        Lengthscales, scale and noise.
    groups
        (d,) index of each input column's lengthscale; None gives every column a separate one.
    kernel
        `matern52` or `rbf`.
    mean_variance
        Variance of the prior of the mean, which is normal around 0; None for a flat prior.

    Returns
    -------
    GP
        In the units of the observations.
    """
    x, y, groups = _checked(x, y, groups)
    scaled = x / hyperparameters.lengthscales[groups]
    noise = hyperparameters.noise / hyperparameters.scale
    inverse = KernelMatrix(len(y), kernel_named(kernel)).inverse_factor(scaled, noise)
    return _with_inverse(x, y, groups, hyperparameters, kernel, mean_variance, inverse)


@single_threaded
def extended(process: GP, x: np.ndarray, y: np.ndarray) -> GP:
    """The process with the same hyperparameters after more observations, in O(n^2) for each of them.

    With the old inputs first, the inverse factor keeps its rows. The new ones are those of the block that is factorised
    next, see `hpo_models.gp.factors.invert_into`.

    Parameters
    ----------
    process
        With n observations.
    x, y
        (n + k, d) inputs, of which the first n are those of the process, and (n + k,) observations, all of which may
        have changed.

    Returns
    -------
    GP
        In the units of the observations; up to rounding what `condition` makes of them.
    """
    x, y, groups = _checked(x, y, process.groups)
    n, h = len(process.y), process.hyperparameters
    if len(y) < n or not np.array_equal(x[:n], process.x):
        raise InvalidOption(f"the first {n} inputs must be those of the process; `condition` takes any")
    scaled = x[n:] / h.lengthscales[groups]
    corner = kernel_named(process.kernel)(squared_distances(scaled, scaled))[0]
    np.fill_diagonal(corner, 1.0 + h.noise / h.scale)
    below = process._correlations(x[n:]).T @ process.inverse.T
    inverse = np.zeros((len(y), len(y)))
    inverse[:n, :n] = process.inverse
    inverse[n:, n:] = invert(cholesky(corner - below @ below.T, 1.0))
    inverse[n:, :n] = -inverse[n:, n:] @ (below @ process.inverse)
    return _with_inverse(x, y, groups, h, process.kernel, process.mean_variance, inverse)


def _with_inverse(
    x: np.ndarray,
    y: np.ndarray,
    groups: np.ndarray,
    hyperparameters: Hyperparameters,
    kernel: str,
    mean_variance: float | None,
    inverse: np.ndarray,
) -> GP:
    precision = 0.0 if mean_variance is None else hyperparameters.scale / mean_variance
    mean, residuals = centred(inverse @ np.column_stack([np.ones_like(y), y]), precision)
    return GP(x, y, groups, hyperparameters, kernel, mean_variance, inverse, mean, residuals @ inverse)


@single_threaded
def fit(
    x: np.ndarray,
    y: np.ndarray,
    *,
    groups: np.ndarray | None = None,
    kernel: str = "matern52",
    priors: Priors = MAP,
    fitting: Fitting = DEFAULT,
    start: Hyperparameters | None = None,
    rng: np.random.Generator | None = None,
) -> GP:
    """The process with the most probable hyperparameters.

    Parameters
    ----------
    x, y
        (n, d) inputs, meant for the unit cube, and (n,) standardised observations.
    groups
        (d,) index of each input column's lengthscale; None gives every column a separate one.
    kernel
        `matern52` or `rbf`.
    priors
        `MAP` or, for type II maximum likelihood, `MARGINAL_LIKELIHOOD`.
    fitting
        Number of starts, box and tolerances of the search.
    start
        Hyperparameters that the first search starts from, such as those before the last observation.
    rng
        For further starts, which are random.

    Returns
    -------
    GP
        In the units of the observations.

    Examples
    --------
    >>> import numpy as np
    >>> from hpo_models.gp.regression import fit
    >>> x = np.linspace(0.0, 1.0, 8)[:, None]
    >>> gp = fit(x, np.sin(6.0 * x[:, 0]))
    >>> mean, std = gp.predict(np.array([[0.5]]))
    >>> bool(abs(mean[0] - np.sin(3.0)) < 0.02)
    True
    """
    x, y, groups = _checked(x, y, groups)
    found = most_probable(x, y, groups, kernel_named(kernel), priors, fitting, start, rng)
    return condition(x, y, found, groups=groups, kernel=kernel, mean_variance=priors.mean_variance)


@single_threaded
def fit_samples(
    x: np.ndarray,
    y: np.ndarray,
    rng: np.random.Generator,
    *,
    groups: np.ndarray | None = None,
    kernel: str = "matern52",
    priors: Priors = SAMPLING,
) -> list[GP]:
    """Processes whose hyperparameters are samples of their posterior, to be averaged over (Makarova et al., 2021).

    Parameters
    ----------
    x, y, groups, kernel
        As for `fit`.
    priors
        `SAMPLING`: the lengthscales need a prior, see `hpo_models.gp.priors`.
    rng
        Of the sampler.

    Returns
    -------
    list of GP
        Ten of them.
    """
    x, y, groups = _checked(x, y, groups)
    start = most_probable(x, y, groups, kernel_named(kernel), priors)
    samples = posterior_samples(x, y, groups, kernel_named(kernel), priors, rng, start)
    return [condition(x, y, s, groups=groups, kernel=kernel, mean_variance=priors.mean_variance) for s in samples]


def standardise(y: np.ndarray) -> tuple[np.ndarray, float, float]:
    """Observations with mean 0 and standard deviation 1, and the mean and standard deviation that they had before.

    If all observations are equal, the last is 1.
    """
    centre, std = float(np.mean(y)), float(np.std(y))
    std = std if std > 1e-12 * max(1e-300, float(np.abs(y).max())) else 1.0
    return (y - centre) / std, centre, std


def _checked(x: np.ndarray, y: np.ndarray, groups: np.ndarray | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if x.ndim != 2 or y.shape != x.shape[:1] or not len(y):
        raise InvalidOption(f"a GP needs inputs (n, d) and observations (n,), n > 0; got {x.shape} and {y.shape}")
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise InvalidOption("inputs and observations of a GP must be finite numbers; leave failed trials out")
    return x, y, np.arange(x.shape[1]) if groups is None else np.asarray(groups)
