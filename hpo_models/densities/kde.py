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

A space with conditions. What is switched off at x has no factor in p(x). An observation where a hyperparameter is
switched off says nothing about it: there k_j is the prior's density, so that a draw that begins at such an observation
and switches it on takes a value of the prior. See `hpo_models.densities.masked`.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr, ndtri

from hpo_core.single_thread import single_threaded
from hpo_models.densities.masked import column_counts, masked_observations, masked_points, masked_stds
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
    """Bandwidths by the rule of thumb 1.06 std n^(-1/(4 + d)), which statsmodels calls Scott's; numeric ones first.

    With conditions n and std are those of the rows in which a hyperparameter is active, see `masked_stds`.
    """
    d = features.n_numeric + len(features.sizes)
    if features.conditional:
        n = np.maximum(column_counts(features, rows), 1)
        return 1.06 * masked_stds(features, rows) * n ** (-1.0 / (4 + d))
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
        peaks = (1.0 - self.switching).tolist(), (math.sqrt(2 * math.pi) * stds).tolist()
        self._peak = math.prod(peaks[0]) / math.prod(peaks[1])
        self.rows = rows
        self._n = len(rows)
        if features.conditional:  # every kernel has a peak of its own
            self._peak, self._log_peaks = 1.0, np.log([1.0 / peak for peak in peaks[1]] + peaks[0])
        self._scaled, self._norms = self._observations(rows)

    def add(self, row: np.ndarray) -> None:
        """Add an observation (width,) to the density without a change of bandwidths; `sample` does not use it."""
        if self._n == len(self._scaled):  # double the memory, so that adding is cheap on average
            self._scaled = np.concatenate([self._scaled, np.empty_like(self._scaled)])
            self._norms = np.concatenate([self._norms, np.empty_like(self._norms)])
        if self.features.conditional:
            (scaled,), (norm,) = self._observations(row[None])
        else:
            scaled = row * self._scale
            norm = 0.5 * (scaled @ scaled)
        self._scaled[self._n], self._norms[self._n] = scaled, norm
        self._n += 1

    def _observations(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Factors (n, k) of the exponents and (n,) what is taken off them."""
        if self.features.conditional:
            return masked_observations(self.features, rows, self._scale, self._log_peaks), np.zeros(len(rows))
        scaled = rows * self._scale
        return scaled, _half_squares(scaled)

    def _points(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Factors (m, k) of the exponents and (m,) what is taken off them."""
        if self.features.conditional:
            factors, log_prior = masked_points(self.features, points, self._scale)
            return factors, -log_prior
        scaled = points * self._scale
        return scaled, _half_squares(scaled)

    @single_threaded
    def log_density(self, points: np.ndarray) -> np.ndarray:
        """(m,) logarithms of the density, which is at least 1e-32, as in HpBandSter."""
        n, total = self._n, self._n + self.prior_weight
        scaled, norms = self._points(points)
        exponents = scaled @ self._scaled[:n].T
        exponents -= self._norms[:n]
        exponents -= norms[:, None]  # now minus half the squared distances
        density = np.exp(exponents, out=exponents).sum(axis=1) * (self._peak / total)
        if self.prior_weight:
            log_prior = -norms if self.features.conditional else points @ self.features.log_prior
            density += np.exp(log_prior) * (self.prior_weight / total)
        return np.log(np.maximum(density, LOWEST))

    def widened(self, widening: float) -> ProductKde:
        """The same with Gaussian kernels of so many times the standard deviation."""
        return ProductKde(self.features, self.rows, self.stds * widening, self.switching, self.prior_weight)

    def sample(self, rng: np.random.Generator, n: int, widening: float = 1.0) -> np.ndarray:
        """(n, width) draws, settled; `widening` multiplies the standard deviations of the Gaussian kernels."""
        features = self.features
        chosen = rng.random(n) * (len(self.rows) + self.prior_weight)
        prior = chosen >= len(self.rows)
        indices = np.minimum(chosen.astype(int), len(self.rows) - 1)
        rows = self.rows[indices]
        centres, stds = self.rows[:, : features.n_numeric], self.stds * widening
        low, high = ndtr(-centres / stds), ndtr((1.0 - centres) / stds)
        free, free_codes = self._free(prior, indices)
        quantiles = rng.random((n, features.n_numeric))
        numeric = centres[indices] + stds * ndtri(low[indices] + quantiles * (high - low)[indices])
        numeric = np.where(free, quantiles, np.minimum(np.maximum(numeric, 0.0), 1.0))
        codes = features.codes(rows)
        change = rng.random((2, *codes.shape))
        switches = change[0] < np.where(free_codes, features.uniform_switching, self.switching)
        others = (codes + 1 + (change[1] * features.others).astype(int)) % features.sizes
        codes = np.where(switches, others, codes)
        for i, weights in features.weights:
            drawn = free_codes[:, i if features.conditional else 0]
            codes[drawn, i] = rng.choice(len(weights), int(drawn.sum()), p=weights)
        return features.settle(features.join(features.snap(numeric), codes))

    def _free(self, prior: np.ndarray, indices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Which numbers and which categoricals of draws come from the prior: whole rows, and what a centre lacks."""
        if not self.features.conditional:
            return prior[:, None], prior[:, None]
        free = prior[:, None] | ~self.features.present(self.rows)[indices]
        return free[:, : self.features.n_numeric], free[:, self.features.first_columns[self.features.n_numeric :]]


def _half_squares(rows: np.ndarray) -> np.ndarray:
    return 0.5 * np.einsum("nf,nf->n", rows, rows)
