"""The trust region of `turbo`: its length, when it grows and shrinks, and candidates inside it.

Eriksson et al. (2019), section 2. The region is a box around the best row of its own history. Its side in
dimension i is the length times lambda_i / (product of all lambda)^(1/d), lambda the lengthscales of the process, so
that its volume is length^d.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from hpo_core.space.sobol import sobol
from hpo_models.features import Features

FIRST_LENGTH, SHORTEST, LONGEST = 0.8, 0.5**7, 1.6
SUCCESSES = 3  # in a row, after which the region grows
LEAST_GAIN = 1e-3  # of the best loss, below which a result is no success
PER_DIMENSION, MOST_CANDIDATES = 100, 5000
PERTURBED = 20  # dimensions in which a candidate differs from the centre, on average, where there are more


class TrustRegion(NamedTuple):
    """Length of the region, its lowest loss, and how many results in a row were successes or failures."""

    length: float = FIRST_LENGTH
    best: float = math.inf
    n_successes: int = 0
    n_failures: int = 0

    @property
    def over(self) -> bool:
        """Whether the region has become so small that another one begins."""
        return self.length < SHORTEST


def patience(n_dimensions: int, batch_size: int = 1) -> int:
    """Failures in a row after which the region shrinks, ceil(max(4, d) / q)."""
    return math.ceil(max(4, n_dimensions) / batch_size)


def after(region: TrustRegion, loss: float, most_failures: int) -> TrustRegion:
    """The region after a loss, the lowest one of a batch: twice or half as long after some successes or failures.

    A success is better than the lowest loss by a thousandth of it. Losses of a failed trial are infinite.
    """
    margin = LEAST_GAIN * abs(region.best) if math.isfinite(region.best) else 0.0
    success = loss < region.best - margin
    best = min(region.best, loss)
    successes, failures = (region.n_successes + 1, 0) if success else (0, region.n_failures + 1)
    if successes == SUCCESSES:
        return TrustRegion(min(2.0 * region.length, LONGEST), best)
    if failures == most_failures:
        return TrustRegion(region.length / 2.0, best)
    return TrustRegion(region.length, best, successes, failures)


def sides(lengthscales: np.ndarray, length: float) -> np.ndarray:
    """(d,) sides of the region, before it is cut at the bounds of the unit cube; their product is length^d."""
    return length * lengthscales / np.exp(np.log(lengthscales).mean())


def candidates(
    features: Features, centre: np.ndarray, lengthscales: np.ndarray, length: float, rng: np.random.Generator
) -> np.ndarray:
    """(n, width) rows inside the region, up to 100 for each dimension and 5,000 in all.

    They are points of a scrambled Sobol sequence; with more than 20 dimensions a candidate keeps some coordinates of
    the centre, so that 20 differ on average. The paper knows floats only. Here an int or ordinal reaches the next value
    at least, however small the region; a categorical that is to differ takes a random value with a probability equal
    to the length, and keeps its value otherwise.

    Parameters
    ----------
    features
        Of the space.
    centre
        (width,) row.
    lengthscales
        (d,) of the hyperparameters that have columns.
    length
        Of the region.
    rng
        Source of randomness.

    Returns
    -------
    ndarray
        Rows of configurations; fewer if some are forbidden.
    """
    d, n_numeric = len(lengthscales), features.n_numeric
    n = min(PER_DIMENSION * d, MOST_CANDIDATES)
    differs = rng.random((n, d)) < PERTURBED / d
    alone = np.flatnonzero(~differs.any(axis=1))
    differs[alone, rng.integers(d, size=len(alone))] = True
    numeric = np.tile(centre[:n_numeric], (n, 1))
    if n_numeric:
        reach = np.maximum(sides(lengthscales, length)[:n_numeric] / 2.0, features.cells)
        low, high = np.clip(centre[:n_numeric] - reach, 0.0, 1.0), np.clip(centre[:n_numeric] + reach, 0.0, 1.0)
        points = low + (high - low) * sobol(n_numeric, n, int(rng.integers(2**32)))
        numeric = np.where(differs[:, :n_numeric], points, numeric)
    codes = (rng.random((n, d - n_numeric)) * features.sizes).astype(int)
    changes = differs[:, n_numeric:] & (rng.random(codes.shape) < length)
    codes = np.where(changes, codes, features.codes(centre[None]))
    return features.candidates(features.join(features.snap(numeric), codes))
