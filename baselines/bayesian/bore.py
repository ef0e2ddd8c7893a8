"""BORE: Bayesian optimization by density-ratio estimation (Tiao et al., 2021).

A classifier tells the best quarter of the configurations from the others; where it believes most that a configuration
belongs to the best, the density ratio of TPE, and so expected improvement, is highest. The classifier is a forest of
randomised trees on scikit-learn; the losses enter by their order alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from baselines.parts.acquisition_search import random_points
from baselines.parts.modelled import Modelled
from baselines.parts.requirements import count, number
from hpo_core.space import Space
from hpo_models.forest import fit_forest

N_RANDOM, N_STARTS = 500, 10


class BORE(Modelled):
    """Classification of good configurations.

    Parameters
    ----------
    n_initial
        Random configurations before the classifier is asked.
    gamma
        Share of the configurations that counts as good.
    n_trees
        Of the classifier.
    """

    name = "bore"

    def __init__(
        self,
        space: Space,
        *,
        budgets: Sequence[float] = (1,),
        seed: int = 0,
        n_initial: int = 10,
        gamma: float = 0.25,
        n_trees: int = 20,
    ):
        super().__init__(space, seed=seed, n_initial=n_initial)
        self.gamma = number("gamma", gamma, 0.0, 1.0)
        self.n_trees = count("n_trees", n_trees)

    def _suggest(self) -> np.ndarray:
        rows, losses = self._observed()
        good = np.zeros(len(losses))
        good[np.argsort(losses, kind="stable")[: max(1, int(np.ceil(self.gamma * len(losses))))]] = 1.0
        forest = fit_forest(rows, good, self._rng, n_trees=self.n_trees, min_leaf=1, max_features=0.5)

        def score(candidates: np.ndarray) -> np.ndarray:
            return forest.predict(candidates)[0]

        points = random_points(self._features, self._rng, self._best_row(), N_RANDOM)
        return self._maximise(score, points, rows[np.argsort(losses, kind="stable")[:N_STARTS]])
