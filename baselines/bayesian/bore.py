"""BORE: Bayesian optimization by density-ratio estimation (Tiao et al., 2021) [bore].

A classifier separates the best quarter of the configurations from the others. Where it gives the highest probability of
belonging to the best, the density ratio of TPE, and so expected improvement, is highest. The classifier is a forest of
randomised trees (`hpo_models.forest`); only the order of the losses matters.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from baselines.parts.bayesian_optimizer import BayesianOptimizer
from baselines.parts.history import Snapshot
from baselines.parts.requirements import count, number
from baselines.parts.search.maximum import maximise, random_points
from hpo_core.space import Space
from hpo_models.forest import fit_forest

N_STARTS = 10  # local searches from the best known rows, and from the best random ones


def bore(
    space: Space,
    *,
    budgets: Sequence[float] = (1,),
    seed: int = 0,
    n_initial: int = 10,
    gamma: float = 0.25,
    n_trees: int = 20,
) -> BayesianOptimizer:
    """Optimizer by classification of good configurations.

    Parameters
    ----------
    space, budgets, seed
        As in `baselines.optimizer`; every proposal is at the full budget.
    n_initial
        Number of random configurations before the classifier is used.
    gamma
        Share of the configurations that counts as good.
    n_trees
        Number of trees of the classifier.

    Returns
    -------
    BayesianOptimizer
        With `ask` and `tell`.
    """
    proposal = partial(propose, gamma=number("gamma", gamma, 0.0, 1.0), n_trees=count("n_trees", n_trees))
    return BayesianOptimizer(space, proposal, n_initial, seed, name="bore")


def propose(snapshot: Snapshot, rng: np.random.Generator, *, gamma: float = 0.25, n_trees: int = 20) -> np.ndarray:
    """Row (width,) to evaluate next.

    Parameters
    ----------
    snapshot
        What is known.
    rng
        Source of randomness.
    gamma, n_trees
        As in `bore`.

    Returns
    -------
    ndarray
        (width,) row.
    """
    n, order = len(snapshot), np.argsort(snapshot.losses, kind="stable")
    good = np.zeros(n)
    good[order[: max(1, int(np.ceil(gamma * n)))]] = 1.0
    forest = fit_forest(snapshot.rows, good, rng, n_trees=n_trees, min_leaf=1, max_features=0.5)

    def score(candidates: np.ndarray) -> np.ndarray:
        return forest.predict(candidates)[0]

    points = random_points(snapshot.features, rng, snapshot.best)
    return maximise(snapshot, score, points, snapshot.rows[order[:N_STARTS]], rng, N_STARTS)
