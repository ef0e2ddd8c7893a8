"""`Information`: how much candidates say about where the minimum is, under one process of the losses."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from baselines.parts.representers import representers
from baselines.parts.search.maximum import Score, local_search, refine
from hpo_models.acquisition import log_expected_improvement
from hpo_models.features import Features
from hpo_models.gp.entropy import Minimum
from hpo_models.gp.product import Points, ProductGP

LEAST_GAIN = 2e-3  # nats; below, the errors of counting decide
N_STEPS, N_CLOSE = 2, 10  # of the local search, and points of each length of the refinement


class Information:
    """Representers of a process, `rows` (Z, width), and the information gain of observations.

    Parameters
    ----------
    features
        Of the space that is searched.
    process
        Of the losses.
    target
        Points of the process for rows (n, width) where the minimum counts, such as the full budget.
    best
        Row (width,) with the lowest prediction of those evaluated.
    lowest
        Its predicted value.
    rng
        Source of randomness.
    """

    def __init__(
        self,
        features: Features,
        process: ProductGP,
        target: Callable[[np.ndarray], Points],
        best: np.ndarray,
        lowest: float,
        rng: np.random.Generator,
    ):
        self._process = process
        self.rows = representers(features, improvement(process, target, lowest), rng, best)
        self._target = target(self.rows)
        scale = float(process.variances(self._target).max())
        self._minimum = Minimum(*process.joint(self._target), rng, scale=scale)

    def gains(self, points: Points) -> np.ndarray:
        """(m,) expected reductions of the entropy in nats; those that counting cannot distinguish from 0 are 0."""
        cross = self._process.covariance(points, self._target)
        variances = self._process.predict(points)[1] ** 2
        gains = self._minimum.gains(cross, variances, self._process.hyperparameters.noise)
        return np.where(gains < LEAST_GAIN, 0.0, gains)


def improvement(process: ProductGP, target: Callable[[np.ndarray], Points], lowest: float) -> Score:
    """Score of rows: logarithm of the expected improvement over the value `lowest` where the minimum counts."""
    return lambda rows: log_expected_improvement(*process.predict(target(rows)), lowest)


def search_near(
    features: Features, start: np.ndarray, score: Score, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Rows (k, width) around a start (width,), by a short local search and refinement, and their scores (k,).

    Parameters
    ----------
    features
        Of the space that is searched.
    start
        (width,) row.
    score
        What is maximised; information gains take long, so there are few steps.
    rng
        Source of randomness.

    Returns
    -------
    tuple of ndarray
        (k, width) rows and (k,) scores.
    """
    found, scores = local_search(features, start[None], score, rng, N_STEPS)
    close, close_scores = refine(features, found[int(np.argmax(scores))], score, rng, N_CLOSE)
    return np.concatenate([close, found]), np.concatenate([close_scores, scores])
