"""Entropy search (Hennig and Schuler, 2012; thesis section 4.1, algorithms 2-4) [es].

A Matern-5/2 process models the losses; the proposal is what is expected to say most about where their minimum is, see
`hpo_models.gp.entropy`. Where no candidate says more than counting draws can tell, it is the highest expected
improvement.

Where this leaves the thesis: hyperparameters are the most probable ones; p_min is counted, not by expectation
propagation; the maximum is sought among the representers and the points of the adapted random search, then by local
search from the best of them, not by DIRECT; losses are transformed as for `gp`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from baselines.parts.acquisition_search import local_search, random_points, refine
from baselines.parts.information import Information, improvement
from baselines.parts.modelled import Modelled, log_distances
from hpo_core.space import Space
from hpo_models.gp.product import Points, fit

N_POINTS = 50  # of the adapted random search, besides the representers
N_STEPS, N_CLOSE = 2, 10  # of the local search, and points of each of the ever smaller steps around what it finds
N_STARTS = 3  # local searches for expected improvement


class EntropySearch(Modelled):
    """Information gain about the place of the minimum under a Gaussian process.

    Parameters
    ----------
    n_initial
        Random configurations before the process is asked.
    """

    name = "es"

    def __init__(self, space: Space, *, budgets: Sequence[float] = (1,), seed: int = 0, n_initial: int = 5):
        super().__init__(space, seed=seed, n_initial=n_initial)

    def _suggest(self) -> np.ndarray:
        if not self._features.width:  # a space of one point
            return self._random_row()
        rows, losses = self._observed()
        process = fit(_points(rows), log_distances(losses), self._features.groups)
        means, _ = process.predict(_points(rows))
        best, lowest = rows[int(np.argmin(means))], float(means.min())
        information = Information(self._features, process, _points, best, lowest, self._rng)

        def score(some: np.ndarray) -> np.ndarray:
            return information.gains(_points(some))

        points = np.concatenate([information.rows, random_points(self._features, self._rng, best, N_POINTS)])
        gains = score(points)
        if not gains.any():
            wide = random_points(self._features, self._rng, best)
            return self._maximise(improvement(process, _points, lowest), wide, best[None], N_STARTS)
        start = points[int(np.argmax(gains))]
        found, heights = local_search(self._features, start[None], score, self._rng, N_STEPS)
        close, peaks = refine(self._features, found[int(np.argmax(heights))], score, self._rng, N_CLOSE)
        return self._first_new(np.concatenate([close, found, points]), np.concatenate([peaks, heights, gains]))


def _points(rows: np.ndarray) -> Points:
    """Rows with the one constant basis function, which makes the product process an ordinary one."""
    return Points(rows, np.ones((len(rows), 1)))
