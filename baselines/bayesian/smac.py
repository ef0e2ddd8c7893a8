"""Bayesian optimization with a random forest as in SMAC (Hutter et al., 2011; settings of the thesis, app. D.3).

A forest of 10 trees models the losses; expected improvement is maximised by local search from the best known
configurations and from random ones; one proposal in three is random.

Where this leaves SMAC: every configuration is evaluated once (SMAC may repeat an incumbent up to four times); losses
are replaced by the logarithm of their distance to a value below the lowest, which SMAC3 does for its logarithmic costs,
so that a diverged training does not hide all other differences.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from baselines.parts.modelled import Modelled, log_distances
from baselines.parts.requirements import count, number
from hpo_core.space import Space
from hpo_models.acquisition import log_expected_improvement
from hpo_models.forest import fit_forest

N_RANDOM, N_STARTS = 500, 10  # random rows that are scored, and local searches from the best known ones


class SMAC(Modelled):
    """Random-forest Bayesian optimization.

    Parameters
    ----------
    n_initial
        Random configurations before the forest is asked.
    n_trees
        Of the forest.
    random_fraction
        Share of later proposals that are random.
    """

    name = "smac"

    def __init__(
        self,
        space: Space,
        *,
        budgets: Sequence[float] = (1,),
        seed: int = 0,
        n_initial: int = 10,
        n_trees: int = 10,
        random_fraction: float = 1 / 3,
    ):
        super().__init__(space, seed=seed, n_initial=n_initial)
        self.n_trees = count("n_trees", n_trees)
        self.random_fraction = number("random_fraction", random_fraction, 0.0, 1.0)

    def _suggest(self) -> np.ndarray:
        if self._rng.random() < self.random_fraction:
            return self._random_row()
        rows, losses = self._observed()
        values = log_distances(losses)
        forest = fit_forest(rows, values, self._rng, n_trees=self.n_trees)

        def score(candidates: np.ndarray) -> np.ndarray:
            mean, variance = forest.predict(candidates)
            return log_expected_improvement(mean, np.sqrt(variance), best)

        best = float(values.min())
        points = self._features.sample_prior(self._rng, N_RANDOM)
        return self._maximise(score, points, rows[np.argsort(values, kind="stable")[:N_STARTS]])
