"""Kernel statistics under Gaussian inputs, with their gradients: the terms of the bound of `hpo_models.gplvm.bayesian`.

    T, M, Q     number of tasks, of inducing points, of latent dimensions
    means       (T, Q) m, of q(h_t) = N(m_t, diag S_t)
    variances   (T, Q) S
    inducing    (M, Q) Z
    variance    v, of the kernel
    scales      (Q,) lengthscales l, one for each dimension (ARD)
    psi0        sum_t E k(h_t, h_t), T v for a stationary kernel
    psi1        (T, M) E k(h_t, z_m)
    psi2        (M, M) sum_t E k(h_t, z_m) k(h_t, z_m')

For the squared exponential they are closed forms (Titsias and Lawrence, 2010, eqs 29 and 30). Those of the Matern-5/2
kernel are means over quasi-random standard normal numbers e_s in Q dimensions: h_ts = m_t + sqrt(S_t) e_s, the same e_s
for every task, so that the statistics are smooth functions of m and S.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from hpo_models.gp.kernels import Kernel, matern52, rbf, squared_distances


class Latent(NamedTuple):
    """Parameters of the model, or the derivatives of something with respect to them, all natural (no logarithms)."""

    means: np.ndarray
    variances: np.ndarray
    inducing: np.ndarray
    variance: float
    scales: np.ndarray


class Psi(NamedTuple):
    """Statistics, or derivatives with respect to them."""

    psi1: np.ndarray
    psi2: np.ndarray


class Statistics(Protocol):
    """psi1 and psi2 of a kernel, and gradients through them, from the derivatives `upstream` with respect to them."""

    @property
    def kernel(self) -> Kernel: ...
    def __call__(self, latent: Latent) -> Psi: ...
    def gradients(self, latent: Latent, upstream: Psi) -> Latent: ...


def covariance(kernel: Kernel, a: np.ndarray, b: np.ndarray, variance: float, scales: np.ndarray) -> np.ndarray:
    """Covariances of two sets of points.

    Parameters
    ----------
    kernel
        With variance 1 and lengthscale 1.
    a, b
        (n, Q) and (m, Q) points.
    variance, scales
        Variance and lengthscales (Q,).

    Returns
    -------
    np.ndarray
        (n, m) covariances.
    """
    return variance * kernel(squared_distances(a / scales, b / scales))[0]


def covariance_gradients(
    kernel: Kernel, a: np.ndarray, b: np.ndarray, variance: float, scales: np.ndarray, upstream: np.ndarray
) -> tuple[np.ndarray, np.ndarray, float, np.ndarray]:
    """Derivatives of a function of `covariance(kernel, a, b, variance, scales)` with respect to all but the kernel.

    Parameters
    ----------
    kernel, a, b, variance, scales
        As for `covariance`.
    upstream
        (n, m) derivatives with respect to the covariances.

    Returns
    -------
    tuple
        Derivatives with respect to a (n, Q), b (m, Q), variance and scales (Q,).
    """
    a, b = a / scales, b / scales
    value, derivative = kernel(squared_distances(a, b))
    weights = upstream * derivative * variance  # of the squared distances
    rows, columns = weights.sum(axis=1)[:, None], weights.sum(axis=0)[:, None]
    mixed = weights @ b
    d_a = 2.0 * (rows * a - mixed) / scales
    d_b = 2.0 * (columns * b - weights.T @ a) / scales
    squares = np.sum(rows * a * a, axis=0) + np.sum(columns * b * b, axis=0) - 2.0 * np.sum(mixed * a, axis=0)
    return d_a, d_b, float(np.sum(upstream * value)), -2.0 * squares / scales


class ClosedForm:
    """Statistics of the squared exponential kernel."""

    kernel: Kernel = staticmethod(rbf)

    def __call__(self, latent: Latent) -> Psi:
        return Psi(self._psi1(latent), self._psi2_of_tasks(latent).sum(axis=0))

    def _psi1(self, latent: Latent) -> np.ndarray:
        widths = latent.scales**2 + latent.variances
        away = latent.means[:, None] - latent.inducing
        exponents = -0.5 * np.einsum("tmq,tq->tm", away * away, 1.0 / widths)
        shrunk = -0.5 * np.sum(np.log(widths / latent.scales**2), axis=1)
        return latent.variance * np.exp(exponents + shrunk[:, None])

    def _psi2_of_tasks(self, latent: Latent) -> np.ndarray:
        """(T, M, M) the terms of psi2's sum."""
        squared = latent.scales**2
        widths = squared + 2.0 * latent.variances
        apart = latent.inducing[:, None] - latent.inducing
        away = latent.means[:, None, None] - _middles(latent.inducing)
        exponents = -np.einsum("tmnq,tq->tmn", away * away, 1.0 / widths)
        exponents -= 0.25 * np.sum(apart * apart / squared, axis=2)
        shrunk = -0.5 * np.sum(np.log(widths / squared), axis=1)
        return latent.variance**2 * np.exp(exponents + shrunk[:, None, None])

    def gradients(self, latent: Latent, upstream: Psi) -> Latent:
        first = self._through_psi1(latent, upstream.psi1 * self._psi1(latent))
        second = self._through_psi2(latent, upstream.psi2 * self._psi2_of_tasks(latent))
        return Latent(
            means=first.means + second.means,
            variances=first.variances + second.variances,
            inducing=first.inducing + second.inducing,
            variance=first.variance + second.variance,
            scales=first.scales + second.scales,
        )

    def _through_psi1(self, latent: Latent, weights: np.ndarray) -> Latent:
        """Gradients through log psi1, whose derivatives are `weights` (T, M)."""
        squared = latent.scales**2
        widths = squared + latent.variances
        away = (latent.means[:, None] - latent.inducing) / widths[:, None]
        linear = np.einsum("tm,tmq->tq", weights, away)
        quadratic = 0.5 * np.einsum("tm,tmq->tq", weights, away * away)
        total = weights.sum(axis=1)[:, None]
        d_squared = np.sum(quadratic + 0.5 * total * latent.variances / (squared * widths), axis=0)
        return Latent(
            means=-linear,
            variances=quadratic - 0.5 * total / widths,
            inducing=np.einsum("tm,tmq->mq", weights, away),
            variance=float(weights.sum()) / latent.variance,
            scales=2.0 * latent.scales * d_squared,
        )

    def _through_psi2(self, latent: Latent, weights: np.ndarray) -> Latent:
        """Gradients through the logarithms of psi2's terms, whose derivatives are `weights` (T, M, M)."""
        squared = latent.scales**2
        widths = squared + 2.0 * latent.variances
        apart = (latent.inducing[:, None] - latent.inducing) / squared
        away = (latent.means[:, None, None] - _middles(latent.inducing)) / widths[:, None, None]
        linear = np.einsum("tmn,tmnq->tq", weights, away)
        quadratic = np.einsum("tmn,tmnq->tq", weights, away * away)
        total = weights.sum(axis=(1, 2))[:, None]
        pairs = weights.sum(axis=0)
        towards = np.einsum("tmn,tmnq->mnq", weights, away)
        d_inducing = towards.sum(axis=0) + towards.sum(axis=1) - 0.5 * np.einsum("mn,mnq->mq", pairs + pairs.T, apart)
        d_squared = np.sum(quadratic + total * latent.variances / (squared * widths), axis=0)
        d_squared = d_squared + 0.25 * np.einsum("mn,mnq->q", pairs, apart * apart)
        return Latent(
            means=-2.0 * linear,
            variances=2.0 * quadratic - total / widths,
            inducing=d_inducing,
            variance=2.0 * float(weights.sum()) / latent.variance,
            scales=2.0 * latent.scales * d_squared,
        )


def _middles(points: np.ndarray) -> np.ndarray:
    """(M, M, Q) middles between all pairs of points."""
    return 0.5 * (points[:, None] + points)


class QuasiMonteCarlo:
    """Statistics of the Matern-5/2 kernel from `n_points` (a power of two) scrambled Sobol points."""

    kernel: Kernel = staticmethod(matern52)

    def __init__(self, n_dimensions: int, n_points: int, rng: np.random.Generator):
        from scipy.special import ndtri
        from scipy.stats import qmc

        unit = qmc.Sobol(n_dimensions, seed=rng).random(n_points)
        self.points: np.ndarray = ndtri(np.clip(unit, 1e-12, 1.0 - 1e-12))

    def _draws(self, latent: Latent) -> np.ndarray:
        """(T n_points, Q) draws of all h_t."""
        offsets = np.sqrt(latent.variances)[:, None] * self.points
        return (latent.means[:, None] + offsets).reshape(-1, latent.means.shape[1])

    def _covariance(self, latent: Latent) -> np.ndarray:
        return covariance(self.kernel, self._draws(latent), latent.inducing, latent.variance, latent.scales)

    def __call__(self, latent: Latent) -> Psi:
        k = self._covariance(latent)
        psi1 = k.reshape(len(latent.means), len(self.points), -1).mean(axis=1)
        return Psi(psi1, k.T @ k / len(self.points))

    def gradients(self, latent: Latent, upstream: Psi) -> Latent:
        n_tasks, n_points = len(latent.means), len(self.points)
        k = self._covariance(latent)
        d_k = k @ (upstream.psi2 + upstream.psi2.T)
        d_k += np.repeat(upstream.psi1, n_points, axis=0)
        d_k /= n_points
        d_draws, d_inducing, d_variance, d_scales = covariance_gradients(
            self.kernel, self._draws(latent), latent.inducing, latent.variance, latent.scales, d_k
        )
        d_draws = d_draws.reshape(n_tasks, n_points, -1)
        d_variances = np.einsum("tsq,sq->tq", d_draws, self.points) / (2.0 * np.sqrt(latent.variances))
        return Latent(d_draws.sum(axis=1), d_variances, d_inducing, d_variance, d_scales)
