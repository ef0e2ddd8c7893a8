"""Gaussian process whose kernel is a product: Matern-5/2 over x times a kernel of finite rank over a context.

    k((x, s), (x', s')) = k_5/2(x, x') f(s)' Sigma f(s')        Klein (2020), eq. 4.5; with f one-hot also eq. 4.3

A context, such as a task or the size of a subset, enters only by its basis functions f(s), (p,) numbers. The mean of
the process is f(s)' b. Notation of `hpo_models.gp.product_posterior`; with one constant basis function this is the
process of `hpo_models.gp.regression` with scale = Sigma.

Departures from the paper: hyperparameters are the most probable ones, or samples by slice sampling instead of emcee.
Lengthscales have the prior LogNormal(0, 1); without it the most probable ones after five observations are the ends of
their box. The noise has a Gamma prior, or a given one, instead of a horseshoe. The mean, which Klein (2020) does not
describe, varies with the context.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import lapack

from hpo_core.errors import InvalidOption
from hpo_core.single_thread import single_threaded
from hpo_models.gp.factors import cholesky
from hpo_models.gp.fit import DEFAULT, FIRST, Fitting, climb, sample_within
from hpo_models.gp.kernels import matern52, squared_distances
from hpo_models.gp.priors import Box
from hpo_models.gp.product_posterior import Parts, ProductPosterior, ProductPriors, pack, unpack, whiten

LINKS = (-10.0, 10.0)  # box of the entries of L below the diagonal
PRIORS = ProductPriors()


class Points(NamedTuple):
    """Inputs (m, d) with the basis functions (m, p) of their contexts."""

    x: np.ndarray
    basis: np.ndarray


class ProductGP(NamedTuple):
    """A process with fixed hyperparameters and its observations; made by `condition` or `fit`."""

    points: Points
    y: np.ndarray
    groups: np.ndarray
    hyperparameters: Parts
    mean_variance: float
    factor: np.ndarray
    mean: np.ndarray
    weights: np.ndarray

    @single_threaded
    def predict(self, points: Points) -> tuple[np.ndarray, np.ndarray]:
        """(m,) posterior means and (m,) standard deviations of the function."""
        cross = self._prior(self.points, points)
        whitened = lapack.dtrtrs(self.factor, cross, lower=1)[0]
        variances = self.variances(points) - np.einsum("nm,nm->m", whitened, whitened)
        return points.basis @ self.mean + self.weights @ cross, np.sqrt(np.maximum(variances, 0.0))

    @single_threaded
    def variances(self, points: Points) -> np.ndarray:
        """(m,) variances of the function before any observation."""
        mixed = points.basis @ self.hyperparameters.triangle
        return np.einsum("mp,mp->m", mixed, mixed)

    @single_threaded
    def covariance(self, points: Points, others: Points) -> np.ndarray:
        """(m, k) posterior covariances of the function between points and others."""
        left, right = (
            lapack.dtrtrs(self.factor, self._prior(self.points, some), lower=1)[0] for some in (points, others)
        )
        return self._prior(points, others) - left.T @ right

    @single_threaded
    def joint(self, points: Points) -> tuple[np.ndarray, np.ndarray]:
        """(m,) posterior mean and (m, m) posterior covariance of the function."""
        mean = points.basis @ self.mean + self.weights @ self._prior(self.points, points)
        covariance = self.covariance(points, points)
        return mean, 0.5 * (covariance + covariance.T)

    @single_threaded
    def believe(self, points: Points) -> ProductGP:
        """The process as if its means had been observed at points: same means, smaller standard deviations.

        It represents pending evaluations (the kriging believer of Ginsbourger et al., 2010).
        """
        both = Points(*(np.concatenate(parts) for parts in zip(self.points, points, strict=True)))
        y = np.concatenate([self.y, self.predict(points)[0]])
        return condition(both, y, self.hyperparameters, self.groups, self.mean_variance)

    def _prior(self, points: Points, others: Points) -> np.ndarray:
        """(m, k) prior covariances."""
        triangle = self.hyperparameters.triangle
        per_column = self.hyperparameters.lengthscales[self.groups]
        k, _ = matern52(squared_distances(points.x / per_column, others.x / per_column))
        return k * ((points.basis @ triangle) @ (others.basis @ triangle).T)


@single_threaded
def condition(
    points: Points, y: np.ndarray, hyperparameters: Parts, groups: np.ndarray, mean_variance: float = 1.0
) -> ProductGP:
    """The process with given hyperparameters after observations.

    Parameters
    ----------
    points, y
        n inputs with their basis functions, and (n,) observations.
    hyperparameters
        Lengthscales, triangle and noise.
    groups
        (d,) index of each input column's lengthscale.
    mean_variance
        Variance of the prior of the mean's weights, which is normal around 0.

    Returns
    -------
    ProductGP
        In the units of the observations.
    """
    empty = ProductGP(points, y, groups, hyperparameters, mean_variance, np.empty(0), np.empty(0), y)
    covariance = empty._prior(points, points)
    scale = float(covariance.diagonal().max())
    np.fill_diagonal(covariance, covariance.diagonal() + hyperparameters.noise)
    factor = cholesky(covariance, scale)
    mean, whitened = whiten(factor, points.basis, y, mean_variance)
    weights = lapack.dtrtrs(factor, whitened, lower=1, trans=1)[0]
    return empty._replace(factor=factor, mean=mean, weights=weights)


@single_threaded
def fit(
    points: Points,
    y: np.ndarray,
    groups: np.ndarray,
    priors: ProductPriors = PRIORS,
    fitting: Fitting = DEFAULT,
    start: Parts | None = None,
) -> ProductGP:
    """The process with the most probable hyperparameters, found by L-BFGS.

    Parameters
    ----------
    points, y
        n inputs with their basis functions, and (n,) standardised observations.
    groups
        (d,) index of each input column's lengthscale.
    priors, fitting
        Of the hyperparameters; and how they are searched for.
    start
        Hyperparameters to start from; None for fixed ones.

    Returns
    -------
    ProductGP
        In the units of the observations.
    """
    points, y = _checked(points, y)
    found = most_probable(points, y, groups, priors, fitting, start)
    return condition(points, y, found, groups, priors.mean_variance)


@single_threaded
def fit_samples(
    points: Points,
    y: np.ndarray,
    groups: np.ndarray,
    rng: np.random.Generator,
    n_samples: int,
    priors: ProductPriors = PRIORS,
    *,
    burn_in: int = 50,
    thinning: int = 3,
) -> list[ProductGP]:
    """Processes whose hyperparameters are samples of their posterior, by slice sampling from the most probable ones.

    Parameters
    ----------
    points, y, groups, priors
        As for `fit`.
    rng
        Of the sampler.
    n_samples, burn_in, thinning
        As for `hpo_models.gp.slice_sampling.slice_samples`.

    Returns
    -------
    list of ProductGP
        `n_samples` of them.
    """
    points, y = _checked(points, y)
    density = ProductPosterior(*points, y, groups, priors)
    limits = _limits(density, DEFAULT.box)

    def log_density(theta: np.ndarray) -> float:
        return density.value(theta) + float(_log_jacobian(theta, density))

    start = pack(most_probable(points, y, groups, priors))
    samples = sample_within(log_density, start, limits, rng, n_samples, burn_in, thinning)
    parts = [unpack(theta, density.n_groups, density.rank) for theta in samples]
    return [condition(points, y, part, groups, priors.mean_variance) for part in parts]


@single_threaded
def most_probable(
    points: Points,
    y: np.ndarray,
    groups: np.ndarray,
    priors: ProductPriors = PRIORS,
    fitting: Fitting = DEFAULT,
    start: Parts | None = None,
) -> Parts:
    """Hyperparameters with the highest posterior density found.

    A search over all of the box may cross to links of the wrong sign, where the density has another, far lower peak. So
    those of the first `n_alike` rows of L are kept above 0. If one of them ends at 0, the search continues without that
    limit.

    Parameters
    ----------
    points, y, groups, priors, fitting, start
        As for `fit`.

    Returns
    -------
    Parts
        For the standardised observations.
    """
    density = ProductPosterior(*points, y, groups, priors)
    limits = _limits(density, fitting.box)
    row, column = np.tril_indices(density.rank)
    alike = density.n_groups + np.flatnonzero((column < row) & (row < priors.n_alike))
    walled = limits.copy()
    walled[alike, 0] = 0.0
    found, _ = climb(density, _first(density, priors) if start is None else pack(start), walled, fitting)
    if (found[alike] <= 0.0).any():
        found, _ = climb(density, found, limits, fitting)
    return unpack(found, density.n_groups, density.rank)


def _first(density: ProductPosterior, priors: ProductPriors) -> np.ndarray:
    triangle = np.zeros((density.rank, density.rank)) if priors.link is None else np.tril(priors.link, -1)
    np.fill_diagonal(triangle, FIRST[1])
    return pack(Parts(np.full(density.n_groups, FIRST[0]), triangle, FIRST[2]))


def _limits(density: ProductPosterior, box: Box) -> np.ndarray:
    """(len(theta), 2) lowest and highest values."""
    rank = density.rank
    low, high = (np.full((rank, rank), link) for link in LINKS)
    np.fill_diagonal(low, 0.5 * np.log(box.scale[0]))
    np.fill_diagonal(high, 0.5 * np.log(box.scale[1]))
    lower = np.tril_indices(rank)
    lengthscales = np.tile(np.log(box.lengthscale), (density.n_groups, 1))
    return np.concatenate([lengthscales, np.column_stack([low[lower], high[lower]]), np.log([box.noise])])


def _log_jacobian(theta: np.ndarray, density: ProductPosterior) -> float:
    """For priors that are densities of lengthscales, squared diagonal entries of L and noise, not of logarithms."""
    diagonal = density.n_groups + np.cumsum(np.arange(1, density.rank + 1)) - 1
    return theta[: density.n_groups].sum() + 2.0 * theta[diagonal].sum() + theta[-1]


def _checked(points: Points, y: np.ndarray) -> tuple[Points, np.ndarray]:
    x, basis = (np.asarray(part, dtype=float) for part in points)
    y = np.asarray(y, dtype=float)
    if x.ndim != 2 or basis.ndim != 2 or not len(x) == len(basis) == len(y) > 0:
        raise InvalidOption(
            f"a process needs inputs (n, d), basis functions (n, p) and observations (n,), n > 0; got {x.shape}, "
            f"{basis.shape} and {y.shape}"
        )
    if not (np.isfinite(x).all() and np.isfinite(basis).all() and np.isfinite(y).all()):
        raise InvalidOption("inputs and observations of a process must be finite numbers; leave failed trials out")
    return Points(x, basis), y
