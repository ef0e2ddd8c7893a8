"""`Information`: what candidates of an optimizer say about where the minimum is, under one process of its losses."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from baselines.parts.acquisition_search import Score
from baselines.parts.representers import representers
from hpo_models.acquisition import log_expected_improvement
from hpo_models.features import Features
from hpo_models.gp.entropy import Minimum
from hpo_models.gp.product import Points, ProductGP

LEAST_GAIN = 2e-3  # nats; below, the errors of counting decide


class Information:
    """Representers of a process, and the gain of observing elsewhere.

    Parameters
    ----------
    target
        Points of the process that rows (n, width) stand for where the minimum counts, such as the full budget.
    best
        Row (width,) that is predicted to be the lowest of those evaluated, and its predicted value `lowest`.

    rows     (Z, width) the representers
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
        """(m,) expected losses of entropy in nats; those that counting cannot tell from 0 are 0."""
        cross = self._process.covariance(points, self._target)
        variances = self._process.predict(points)[1] ** 2
        gains = self._minimum.gains(cross, variances, self._process.hyperparameters.noise)
        return np.where(gains < LEAST_GAIN, 0.0, gains)


def improvement(process: ProductGP, target: Callable[[np.ndarray], Points], lowest: float) -> Score:
    """Logarithm of the expected improvement over the value `lowest` where the minimum counts, as a score of rows."""
    return lambda rows: log_expected_improvement(*process.predict(target(rows)), lowest)
