"""One-dimensional Parzen estimators of TPE (Bergstra et al., 2011, section 4), with the rules that hyperopt gave them.

    n       number of observations of one hyperparameter, oldest first
    weight  of an observation, see `forgetting_weights`; the prior has weight 1 and counts as one more observation
    std     of an observation's kernel: the larger of the distances to the next observation on either side, at least
            prior std / min(100, n + 2), at most the prior's, which is the length of the range

Numbers lie in the unit interval (`Mixture`), ordinals on the lattice of their indices (`Lattice`), and categoricals
have weighted counts (`categorical_density`). Each estimates one hyperparameter independently of the others; for a joint
density see `hpo_models.densities.kde`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

FLAT = 25  # the newest observations, which keep their full weight
FINEST = 100.0  # the range divided by the smallest std of a kernel


def forgetting_weights(n: int) -> np.ndarray:
    """(n,) weights, oldest first: 1 for the newest 25, before that falling linearly to 1/n for the oldest."""
    weights = np.ones(n)
    if n > FLAT:
        ramp = n - FLAT
        weights[:ramp] = 1.0 / n + np.arange(ramp) * ((1.0 - 1.0 / n) / max(ramp - 1, 1))
    return weights


def categorical_density(mass: np.ndarray, prior: np.ndarray) -> np.ndarray:
    """(..., K) probabilities of categories, from the summed weights (..., K) of their observations.

    `prior` (..., K) sums to the number of categories: each was seen once beforehand, on average.
    """
    pseudocounts = mass + prior
    return pseudocounts / pseudocounts.sum(axis=-1, keepdims=True)


class Lattice:
    """Densities of d ordinals on their indices 0..K-1, all of them at once.

    hyperopt's `quniform(0, K - 1, 1)`: a Gaussian mixture on [0, K - 1] whose draws are rounded. The first and the last
    index cover half a unit each and have half the prior probability of the others. Arrays are padded to `width` >= K;
    padding has probability 0.
    """

    def __init__(self, sizes: np.ndarray, width: int):
        last = sizes[:, None] - 1.0  # (d, 1)
        self._values = np.arange(width, dtype=float)
        self._middle = last / 2  # the prior's mean
        self._span = np.maximum(last, 1.0)  # the prior's std
        edges = np.clip(np.arange(width + 1) - 0.5, 0.0, last)
        edges[sizes == 1, 0] = -1.0  # a single value covers more than nothing
        self._offsets = edges[:, None, :] - self._values[:, None]  # (d, K centres, K + 1 edges)
        self._prior = ndtr((edges - self._middle) / self._span)
        self._latest: tuple[tuple[bytes, bytes], np.ndarray] = ((b"", b""), self._offsets)

    def density(self, counts: np.ndarray, mass: np.ndarray) -> np.ndarray:
        """(d, K) probabilities, from the number (d, K) of observations of each value and the sum of their weights.

        Observations of one value are neighbours when sorted, and only the first and the last of them have wide kernels.
        In hyperopt the sorting algorithm decides which two those are; here all of them have their mean weight.
        """
        weights = np.empty((3, *counts.shape))  # of the first and the last, and of those between them
        weights[0] = mass / np.maximum(counts, 1)
        weights[1] = np.where(counts == 1, 0.0, weights[0])
        weights[2] = mass - weights[0] - weights[1]
        kernels = self._kernels(np.minimum(counts, 2), np.minimum(FINEST, counts.sum(axis=1, keepdims=True) + 2.0))
        cumulative = np.matmul(weights[..., None, :], kernels)[..., 0, :].sum(axis=0) + self._prior
        density = cumulative[:, 1:] - cumulative[:, :-1]
        return density / (cumulative[:, -1:] - cumulative[:, :1])

    def _kernels(self, counts: np.ndarray, fineness: np.ndarray) -> np.ndarray:
        """(3, d, K, K + 1) cumulative kernels, at the edges, of the first, the last and the inner observations.

        `fineness` (d, 1) is the range divided by the smallest std. They depend on whether a count is 0, 1 or more, and
        stop changing once there are 98 observations, so those of the latest call are kept.
        """
        key = (fineness.tobytes(), counts.tobytes())
        if self._latest[0] != key:
            left, right = self._gaps(counts > 0)
            left = np.where(counts == 1, np.maximum(left, right), left)
            left = np.where(fineness == 3.0, self._span / 2, left)  # of a single observation
            std = np.clip([left, right, np.zeros_like(right)], self._span / fineness, self._span)
            self._latest = (key, ndtr(self._offsets / std[..., None]))
        return self._latest[1]

    def _gaps(self, seen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Distances (d, K) to the next lower and the next higher observed value; 0 if there is none.

        The prior's mean counts as observed, and is sorted before an observation that equals it.
        """
        values, middle = self._values, self._middle
        end = np.full((len(seen), 1), np.inf)
        lower = np.maximum.accumulate(np.where(seen, values, -np.inf), axis=1)
        lower = np.maximum(np.hstack([-end, lower[:, :-1]]), np.where(middle <= values, middle, -np.inf))
        higher = np.minimum.accumulate(np.where(seen, values, np.inf)[:, ::-1], axis=1)[:, ::-1]
        higher = np.minimum(np.hstack([higher[:, 1:], end]), np.where(middle > values, middle, np.inf))
        below, above = values - lower, higher - values
        return np.where(np.isinf(below), 0.0, below), np.where(np.isinf(above), 0.0, above)


class Mixture(NamedTuple):
    """Gaussian mixture truncated to [0, 1]: weights (n + 1,), means and standard deviations of the components."""

    weights: np.ndarray
    means: np.ndarray
    stds: np.ndarray

    def sample(self, rng: np.random.Generator, n: int) -> np.ndarray:
        """(n,) draws in [0, 1]."""
        low, high = ndtr(-self.means / self.stds), ndtr((1.0 - self.means) / self.stds)
        inside = self.weights * (high - low)
        chosen = rng.choice(len(inside), n, p=inside / inside.sum())
        quantiles = low[chosen] + rng.random(n) * (high - low)[chosen]
        return np.clip(self.means[chosen] + self.stds[chosen] * ndtri(quantiles), 0.0, 1.0)

    @property
    def inside(self) -> float:
        """Probability of the unit interval before the mixture was truncated to it."""
        return float((ndtr((1.0 - self.means) / self.stds) - ndtr(-self.means / self.stds)) @ self.weights)

    def mass(self, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """(m,) probabilities of intervals up to a common factor; densities if every interval has length 0."""
        scaled = (low[:, None] - self.means) / self.stds
        if np.array_equal(low, high):
            return np.exp(-0.5 * scaled**2) @ (self.weights / self.stds)
        return (ndtr((high[:, None] - self.means) / self.stds) - ndtr(scaled)) @ self.weights


def adaptive_mixture(observations: np.ndarray, weights: np.ndarray) -> Mixture:
    """Mixture of a prior, mean 1/2 and std 1, and a kernel at each of n observations in the unit interval."""
    n = len(observations)
    order = np.argsort(observations, kind="stable")
    prior = int(np.searchsorted(observations[order], 0.5))  # index of the prior among the sorted observations
    means = np.insert(observations[order], prior, 0.5)
    gaps = np.diff(means)
    stds = np.maximum(np.append(0.0, gaps), np.append(gaps, 0.0)) if n != 1 else np.full(2, 0.5)
    stds = np.clip(stds, 1.0 / min(FINEST, n + 2.0), 1.0)
    stds[prior] = 1.0
    weights = np.insert(weights[order], prior, 1.0)
    return Mixture(weights / weights.sum(), means, stds)
