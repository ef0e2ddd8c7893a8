"""Product kernel density estimates on mixed spaces: one density over all hyperparameters, with factorised kernels.

    n, m    observations, points to evaluate; both are rows of `Features`, (n, width) and (m, width)
    h       bandwidths, numeric hyperparameters first: the std of a Gaussian kernel, or the probability that an
            Aitchison-Aitken kernel gives to all other values of a categorical together, at most (K - 1) / K

    p(x) = (sum over i of prod over j of k_j(x_j | x_ij)  +  w prior(x)) / (n + w)

The Aitchison-Aitken kernel, 1 - h for the observed value and h / (K - 1) for each other one, is Gaussian too: with
one-hot features multiplied by sqrt(log((1 - h)(K - 1) / h)), half the squared distance between two different values is
the logarithm of the ratio of their probabilities. Hence every exponent of the product kernel is half a squared distance
between rows of scaled features, and all of them come from one matrix product.

Gaussian kernels are not divided by their mass inside the unit interval. Neither are they in statsmodels, which Klein
(2020) uses. Draws are truncated to the interval.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr, ndtri

from hpo_models.features import Features

LOWEST = 1e-32


def column_stds(features: Features, rows: np.ndarray) -> np.ndarray:
    """Standard deviation of each numeric hyperparameter, then its counterpart for each categorical.

    The counterpart is sqrt((1 - sum of the squared frequencies) / 2). It does not depend on the order of the values;
    for two values it is the standard deviation of 0 and 1.
    """
    numeric = rows[:, : features.n_numeric].std(axis=0)
    if not len(features.sizes):
        return numeric
    squares = rows[:, features.n_numeric :].mean(axis=0) ** 2
    same = np.add.reduceat(squares, np.cumsum(features.sizes) - features.sizes)
    return np.concatenate([numeric, np.sqrt(np.maximum(1.0 - same, 0.0) / 2)])


def normal_reference(features: Features, rows: np.ndarray) -> np.ndarray:
    """Bandwidths by the rule of thumb 1.06 std n^(-1/(4 + d)), which statsmodels calls Scott's; numeric ones first."""
    d = features.n_numeric + len(features.sizes)
    return 1.06 * column_stds(features, rows) * len(rows) ** (-1.0 / (4 + d))


class ProductKde:
    """Density of observations, each with the same weight.

    Parameters
    ----------
    features
        Of the space.
    rows
        (n, width) features of the observations.
    stds
        Bandwidth of each numeric hyperparameter: the standard deviation of its Gaussian kernel.
    switching
        Bandwidth of each categorical, or one for all: the probability of another value than the observed one. Larger
        values than (K - 1) / K count as (K - 1) / K.
    prior_weight
        Weight w of the prior, where an observation has weight 1. The prior is uniform, but for the weights of the
        categoricals that have them.
    """

    def __init__(
        self,
        features: Features,
        rows: np.ndarray,
        stds: np.ndarray,
        switching: np.ndarray | float,
        prior_weight: float = 0.0,
    ):
        self.features, self.stds, self.prior_weight = features, stds, prior_weight
        self.switching = np.minimum(switching, features.uniform_switching)
        odds = np.log((1.0 - self.switching) * features.others / self.switching)
        self._scale = np.concatenate([1.0 / stds, np.sqrt(np.maximum(odds, 0.0)).repeat(features.sizes)])
        self._peak = math.prod((1.0 - self.switching).tolist()) / math.prod((math.sqrt(2 * math.pi) * stds).tolist())
        self.rows = rows
        self._n = len(rows)
        self._scaled = rows * self._scale
        self._norms = _half_squares(self._scaled)

    def add(self, row: np.ndarray) -> None:
        """Add an observation (width,) to the density without a change of bandwidths; `sample` does not use it."""
        if self._n == len(self._scaled):  # double the memory, so that adding is cheap on average
            self._scaled = np.concatenate([self._scaled, np.empty_like(self._scaled)])
            self._norms = np.concatenate([self._norms, np.empty_like(self._norms)])
        scaled = row * self._scale
        self._scaled[self._n] = scaled
        self._norms[self._n] = 0.5 * (scaled @ scaled)
        self._n += 1

    def log_density(self, points: np.ndarray) -> np.ndarray:
        """(m,) logarithms of the density, which is at least 1e-32, as in HpBandSter."""
        n, total = self._n, self._n + self.prior_weight
        scaled = points * self._scale
        exponents = scaled @ self._scaled[:n].T
        exponents -= self._norms[:n]
        exponents -= _half_squares(scaled)[:, None]  # now minus half the squared distances
        density = np.exp(exponents, out=exponents).sum(axis=1) * (self._peak / total)
        if self.prior_weight:
            density += np.exp(points @ self.features.log_prior) * (self.prior_weight / total)
        return np.log(np.maximum(density, LOWEST))

    def sample(self, rng: np.random.Generator, n: int, widening: float = 1.0) -> np.ndarray:
        """(n, width) draws; `widening` multiplies the standard deviations of the Gaussian kernels."""
        features = self.features
        chosen = rng.random(n) * (len(self.rows) + self.prior_weight)
        prior = chosen >= len(self.rows)
        indices = np.minimum(chosen.astype(int), len(self.rows) - 1)
        rows = self.rows[indices]
        centres, stds = self.rows[:, : features.n_numeric], self.stds * widening
        low, high = ndtr(-centres / stds), ndtr((1.0 - centres) / stds)
        quantiles = rng.random((n, features.n_numeric))
        numeric = centres[indices] + stds * ndtri(low[indices] + quantiles * (high - low)[indices])
        numeric = np.where(prior[:, None], quantiles, np.minimum(np.maximum(numeric, 0.0), 1.0))
        codes = features.codes(rows)
        change = rng.random((2, *codes.shape))
        switches = change[0] < np.where(prior[:, None], features.uniform_switching, self.switching)
        others = (codes + 1 + (change[1] * features.others).astype(int)) % features.sizes
        codes = np.where(switches, others, codes)
        for i, weights in features.weights:
            codes[prior, i] = rng.choice(len(weights), int(prior.sum()), p=weights)
        return features.join(features.snap(numeric), codes)


def _half_squares(rows: np.ndarray) -> np.ndarray:
    return 0.5 * np.einsum("nf,nf->n", rows, rows)
