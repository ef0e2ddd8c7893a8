"""Gaussian process regression (Rasmussen and Williams, 2006, chapter 2): float64, numpy and LAPACK.

    X   (n, d) inputs, meant for the unit cube         k   kernel with variance 1, lengthscales per group of columns
    y   (n,) observations, meant to be standardised    L   lower Cholesky factor of scale k(X, X) + noise I, (n, n)
    m   constant mean                                  a   L^-T L^-1 (y - m), (n,)

    posterior mean at x      m + scale k(x, X) a
    posterior variance       scale - |L^-1 scale k(X, x)|^2          of the function, without the noise

A `GP` is immutable: more observations make another one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import lapack

from hpo_core.errors import InvalidOption
from hpo_models.gp.fit import DEFAULT, Fitting, Hyperparameters, most_probable, posterior_samples
from hpo_models.gp.kernels import kernel_named, squared_distances
from hpo_models.gp.posterior import cholesky, whiten
from hpo_models.gp.priors import MAP, Priors

CHUNK = 256  # inputs that are predicted at a time: the matrices between them and the observations stay in the cache


class GP(NamedTuple):
    """A Gaussian process with fixed hyperparameters and its observations; made by `condition` or `fit`."""

    x: np.ndarray
    y: np.ndarray
    groups: np.ndarray
    hyperparameters: Hyperparameters
    kernel: str
    mean_variance: float | None
    factor: np.ndarray
    mean: float
    weights: np.ndarray

    def predict(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(m,) posterior means and (m,) standard deviations of the function at (m, d) inputs."""
        means, stds = np.empty(len(x)), np.empty(len(x))
        memory = np.empty((3, min(CHUNK, len(x)), len(self.x)))
        for start in range(0, len(x), CHUNK):
            part = slice(start, start + CHUNK)
            cross = self._covariances(x[part], memory[:, : len(x) - start])
            means[part] = self.mean + self.weights @ cross
            whitened = lapack.dtrtrs(self.factor, cross, lower=1, overwrite_b=1)[0]
            variances = self.hyperparameters.scale - np.einsum("nm,nm->m", whitened, whitened)
            stds[part] = np.sqrt(np.maximum(variances, 0.0))
        return means, stds

    def left_out(self) -> np.ndarray:
        """(n,) standardised residuals of the observations, each predicted from the others; same hyperparameters.

        With C = scale k(X, X) + noise I the residual of observation i is a_i / (C^-1)_ii, its variance 1 / (C^-1)_ii
        (Rasmussen and Williams, 2006, eq. 5.12).
        """
        inverse = lapack.dpotri(self.factor, lower=1)[0]
        return self.weights / np.sqrt(np.diag(inverse))

    def joint(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(m,) posterior mean and (m, m) posterior covariance of the function at (m, d) inputs."""
        cross = self._covariances(x)
        whitened = lapack.dtrtrs(self.factor, cross, lower=1)[0]
        scaled = x / self.hyperparameters.lengthscales[self.groups]
        prior = self.hyperparameters.scale * kernel_named(self.kernel)(squared_distances(scaled, scaled))[0]
        return self.mean + self.weights @ cross, prior - whitened.T @ whitened

    def sample(self, x: np.ndarray, rng: np.random.Generator, n_samples: int = 1) -> np.ndarray:
        """(n_samples, m) draws of the function from its posterior, at (m, d) inputs together."""
        mean, covariance = self.joint(x)
        factor = cholesky(covariance, self.hyperparameters.scale)
        return mean + rng.standard_normal((n_samples, len(x))) @ factor.T

    def _covariances(self, x: np.ndarray, memory: np.ndarray | None = None) -> np.ndarray:
        """(n, m) prior covariances between the observed inputs and others; `memory` (3, m, n) is overwritten."""
        lengthscales = self.hyperparameters.lengthscales[self.groups]
        distances, values, derivatives = (None, None, None) if memory is None else memory
        r2 = squared_distances(x / lengthscales, self.x / lengthscales, distances)
        value, _ = kernel_named(self.kernel)(r2, values, derivatives)
        value *= self.hyperparameters.scale
        return value.T


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
    covariance = hyperparameters.scale * kernel_named(kernel)(squared_distances(scaled, scaled))[0]
    covariance[np.diag_indices_from(covariance)] = hyperparameters.scale + hyperparameters.noise
    factor = cholesky(covariance, hyperparameters.scale)
    mean, whitened = whiten(factor, y, mean_variance)
    weights = lapack.dtrtrs(factor, whitened, lower=1, trans=1)[0]
    return GP(x, y, groups, hyperparameters, kernel, mean_variance, factor, mean, weights)


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


def fit_samples(
    x: np.ndarray,
    y: np.ndarray,
    rng: np.random.Generator,
    *,
    groups: np.ndarray | None = None,
    kernel: str = "matern52",
    priors: Priors = MAP,
) -> list[GP]:
    """Processes whose hyperparameters are samples of their posterior, to be averaged over (Makarova et al., 2021).

    Parameters
    ----------
    x, y, groups, kernel, priors
        As for `fit`.
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
