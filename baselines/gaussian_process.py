"""Bayesian optimization with a Gaussian process (Snoek et al., 2012; thesis section 2.3 and app. E.5) [gp, gp-ucb].

A Matern-5/2 process with a lengthscale per hyperparameter models the losses. `gp` maximises expected improvement;
`gp-ucb` minimises the lower confidence bound mean - sqrt(beta_t) sd with beta_t = 2 log(d t^2 pi^2 / 6 delta) / 5
(Srinivas et al., 2010, theorem 1 with |D| replaced by d and the factor 1/5 of their section 6).

Where this leaves the thesis: the hyperparameters of the process are the most probable ones, not samples; the maximum of
the acquisition function is sought by the adapted random search of 500 points, then by local search from the best of
them and ever smaller steps around what that finds; losses are replaced by the logarithm of their distance to a value
below the lowest, without which one diverged training (1e7 among 1e-5) hides every other difference.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from baselines.acquisition_search import random_points
from baselines.modelled import Modelled, log_distances
from hpo_core.space import Space
from hpo_models.acquisition import log_expected_improvement
from hpo_models.gp import GP, fit

N_STARTS = 5  # local searches
DELTA = 0.1


class GaussianProcess(Modelled):
    """Expected improvement under a Gaussian process.

    Parameters
    ----------
    n_initial
        Random configurations before the process is asked.
    """

    name = "gp"

    def __init__(self, space: Space, *, budgets: Sequence[float] = (1,), seed: int = 0, n_initial: int = 5):
        super().__init__(space, seed=seed, n_initial=n_initial)

    def _suggest(self) -> np.ndarray:
        if not self._features.width:  # a space of one point
            return self._random_row()
        rows, losses = self._observed()
        values = log_distances(losses)
        # from a fixed start: one from the last hyperparameters would stay in whichever mode they were in
        process = fit(rows, values, groups=self._features.groups)
        score = self._score(process, float(values.min()))
        best = rows[int(np.argmin(values))]
        return self._maximise(score, random_points(self._features, self._rng, best), best[None], N_STARTS)

    def _score(self, process: GP, best: float) -> Callable[[np.ndarray], np.ndarray]:
        return lambda rows: log_expected_improvement(*process.predict(rows), best)


class GaussianProcessUCB(GaussianProcess):
    """Lower confidence bound under a Gaussian process."""

    name = "gp-ucb"

    def _score(self, process: GP, best: float) -> Callable[[np.ndarray], np.ndarray]:
        t = len(process.y)
        beta = 2 * math.log((self._features.groups[-1] + 1) * t**2 * math.pi**2 / (6 * DELTA)) / 5

        def score(rows: np.ndarray) -> np.ndarray:
            mean, deviation = process.predict(rows)
            return math.sqrt(beta) * deviation - mean

        return score
