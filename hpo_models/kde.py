"""Product kernel density estimates on mixed spaces: one density over all hyperparameters, with factorised kernels.

    n, m    observations, points to evaluate; both are rows of `Features`, (n, width) and (m, width)
    h       bandwidths, numeric hyperparameters first: the sd of a Gaussian kernel, or the probability that an
            Aitchison-Aitken kernel gives to all other values of a categorical together, at most (K - 1) / K

    p(x) = (sum over i of prod over j of k_j(x_j | x_ij)  +  w prior(x)) / (n + w)

The Aitchison-Aitken kernel, 1 - h for the observed value and h / (K - 1) for each other one, is Gaussian too: with
one-hot features multiplied by sqrt(log((1 - h)(K - 1) / h)), half the squared distance between two different values is
the logarithm of the ratio of their probabilities. Hence every exponent of the product kernel is half a squared distance
between rows of scaled features, and all of them come from one matrix product.

Gaussian kernels are not divided by their mass inside the unit interval, as they are not in statsmodels, on which the
thesis relies; the draws are cut off at its ends.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr, ndtri

from hpo_models.features import Features

LOWEST = 1e-32


def spreads(features: Features, rows: np.ndarray) -> np.ndarray:
    """Standard deviation of each numeric hyperparameter, and its counterpart of each categorical.

    That is sqrt((1 - sum of the squared frequencies) / 2): it does not depend on the order of the values, and for two
    of them it is the standard deviation of 0 and 1.
    """
    numeric = rows[:, : features.n_numeric].std(axis=0)
    if not len(features.sizes):
        return numeric
    squares = rows[:, features.n_numeric :].mean(axis=0) ** 2
    same = np.add.reduceat(squares, np.cumsum(features.sizes) - features.sizes)
    return np.concatenate([numeric, np.sqrt(np.maximum(1.0 - same, 0.0) / 2)])


def normal_reference(features: Features, rows: np.ndarray) -> np.ndarray:
    """Bandwidths by the rule of thumb 1.06 sd n^(-1/(4 + d)), which statsmodels calls Scott's."""
    d = features.n_numeric + len(features.sizes)
    return 1.06 * spreads(features, rows) * len(rows) ** (-1.0 / (4 + d))


class ProductKde:
    """Density of observations `rows`, each with the same weight.

    Parameters
    ----------
    bandwidths
        One for each numeric hyperparameter, then one for each categorical; too large ones are cut at (K - 1) / K.
    prior_weight
        Weight w of the uniform density (of the categoricals' own weights) beside observations of weight 1.
    """

    def __init__(
        self,
        features: Features,
        rows: np.ndarray,
        bandwidths: np.ndarray,
        prior_weight: float = 0.0,
    ):
        self.features, self.rows, self.prior_weight = features, rows, prior_weight
        self.sds = bandwidths[: features.n_numeric]
        self.leaving = np.minimum(bandwidths[features.n_numeric :], 1.0 - 1.0 / features.sizes)
        odds = np.log((1.0 - self.leaving) * (features.sizes - 1) / self.leaving)
        self._scale = np.concatenate([1.0 / self.sds, np.sqrt(np.maximum(odds, 0.0)).repeat(features.sizes)])
        self._scaled = _with_norms(rows * self._scale)
        peak = (1.0 - self.leaving).prod() / (math.sqrt(2 * math.pi) * self.sds).prod()
        self._height = float(peak) / (len(rows) + prior_weight)

    def log_density(self, points: np.ndarray) -> np.ndarray:
        """(m,) logarithms of the density, which counts as 1e-32 where it is lower, as in HpBandSter."""
        exponents = _with_norms(points * self._scale, reverse=True) @ self._scaled.T  # -|x - x_i|^2 / 2
        density = np.exp(exponents, out=exponents).sum(axis=1) * self._height
        if self.prior_weight:
            share = self.prior_weight / (len(self.rows) + self.prior_weight)
            density += share * np.exp(points @ self.features.log_prior)
        return np.log(np.maximum(density, LOWEST))

    def sample(self, rng: np.random.Generator, n: int, widening: float = 1.0) -> np.ndarray:
        """(n, width) draws; `widening` multiplies the standard deviations of the Gaussian kernels."""
        features = self.features
        chosen = rng.random(n) * (len(self.rows) + self.prior_weight)
        prior = chosen >= len(self.rows)
        chosen = np.minimum(chosen.astype(int), len(self.rows) - 1)
        sds = self.sds * widening
        centres = self.rows[chosen, : features.n_numeric]
        low, high = ndtr(-centres / sds), ndtr((1.0 - centres) / sds)
        uniform = rng.random(centres.shape)
        numeric = np.minimum(np.maximum(centres + sds * ndtri(low + uniform * (high - low)), 0.0), 1.0)
        codes = features.codes(self.rows)[chosen]
        change = rng.random((2, *codes.shape))
        others = (codes + 1 + (change[1] * (features.sizes - 1)).astype(int)) % features.sizes
        rows = features.join(features.snap(numeric), np.where(change[0] < self.leaving, others, codes))
        if prior.any():
            rows[prior] = features.sample_prior(rng, int(prior.sum()))
        return rows


def _with_norms(scaled: np.ndarray, reverse: bool = False) -> np.ndarray:
    """(n, width + 2) rows x with -|x|^2 / 2 and 1 behind them, or with 1 and -|x|^2 / 2.

    The product of x and y, one of each kind, is -|x - y|^2 / 2.
    """
    width = scaled.shape[1]
    rows = np.empty((len(scaled), width + 2))
    rows[:, :width] = scaled
    rows[:, width + (1 if reverse else 0)] = -0.5 * np.einsum("nf,nf->n", scaled, scaled)
    rows[:, width + (0 if reverse else 1)] = 1.0
    return rows
