"""Bayesian linear regression on given features (Bishop, 2006, section 3.5; Snoek et al., 2015, eqs 3 to 6).

    Phi (N, D)        features of the observations, y (N,) their values
    w ~ N(0, I/alpha), y ~ N(Phi w, I/beta)
    A = alpha I + beta Phi^T Phi              precision of w given y
    m = beta A^-1 Phi^T y                     its mean
    phi^T m, phi^T A^-1 phi                   mean and variance of phi^T w at features phi

Phi^T Phi = U diag(lambda) U^T is decomposed once, O(D^3); after that each (alpha, beta) costs O(D):

    log p(y | alpha, beta) = D/2 log alpha + N/2 log beta - 1/2 sum log(alpha + beta lambda) - N/2 log 2 pi
                             - beta/2 (y^T y - beta sum c^2 / (alpha + beta lambda)),       c = U^T Phi^T y

Snoek et al. integrate alpha and beta out by slice sampling and name no prior. There are only two of them, so here they
are drawn from their posterior on a grid: independent draws, in a tenth of the time of a chain. The prior, for values of
unit variance with little noise, is log alpha ~ N(0, 2^2), log beta ~ N(7, 2^2).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hpo_core.single_thread import single_threaded

LOG_ALPHAS, LOG_BETAS = np.linspace(-6.0, 6.0, 25), np.linspace(0.0, 14.0, 29)
PRIOR_MEANS, PRIOR_SD = (0.0, 7.0), 2.0  # of log alpha and log beta
GRID = np.stack(np.meshgrid(LOG_ALPHAS, LOG_BETAS, indexing="ij"), axis=-1).reshape(-1, 2)


@dataclass(frozen=True)
class LinearModel:
    """Features and values in the basis in which the posterior is diagonal.

    basis       U (D, D)
    lengths     lambda (D,)
    products    c (D,)
    square      y^T y
    n           N
    """

    basis: np.ndarray
    lengths: np.ndarray
    products: np.ndarray
    square: float
    n: int

    @classmethod
    def of(cls, features: np.ndarray, values: np.ndarray) -> LinearModel:
        """The model of features (N, D) and values (N,)."""
        lengths, basis = np.linalg.eigh(features.T @ features)
        products = basis.T @ (features.T @ values)
        return cls(basis, np.maximum(lengths, 0.0), products, float(values @ values), len(values))

    def log_evidence(self, logs: np.ndarray) -> np.ndarray:
        """(S,) log p(y | alpha, beta) at rows (S, 2) of (log alpha, log beta)."""
        alpha, beta = np.exp(logs).T[:, :, None]
        precisions = alpha + beta * self.lengths
        misfit = self.square - np.sum(beta * self.products**2 / precisions, axis=1)
        sizes = len(self.lengths) * logs[:, 0] + self.n * (logs[:, 1] - math.log(2.0 * math.pi))
        return 0.5 * (sizes - np.log(precisions).sum(axis=1) - beta[:, 0] * misfit)

    @single_threaded
    def sample_hyperparameters(self, rng: np.random.Generator, n: int) -> np.ndarray:
        """(n, 2) draws of (log alpha, log beta) given y, evenly over the grid's distribution."""
        log_density = self.log_evidence(GRID) - 0.5 * np.sum((GRID - PRIOR_MEANS) ** 2, axis=1) / PRIOR_SD**2
        shares = np.cumsum(np.exp(log_density - log_density.max()))
        quantiles = (np.arange(n) + rng.random()) / n  # systematic resampling
        return GRID[np.searchsorted(shares, quantiles * shares[-1])]

    def predict(self, features: np.ndarray, logs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Means (S, B) and variances (S, B) of phi^T w at features (B, D), for each (log alpha, log beta) of (S, 2)."""
        alpha, beta = np.exp(logs).T[:, :, None]
        precisions = alpha + beta * self.lengths
        turned = features @ self.basis
        return (beta * self.products / precisions) @ turned.T, (1.0 / precisions) @ (turned**2).T
