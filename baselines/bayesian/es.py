"""Entropy search (Hennig and Schuler, 2012; Klein, 2020, section 4.1, algorithms 2-4) [es].

A Matern-5/2 process models the losses; the next row is expected to say most about where their minimum is, see
`hpo_models.gp.entropy`. If no candidate says more than counting draws can distinguish from nothing, the next row
maximises expected improvement.

Departures from Klein (2020): hyperparameters are the most probable ones; p_min is counted, not by expectation
propagation; the maximum is sought among the representers and the points of the adapted random search, then by local
search from the best of them, not by DIRECT; losses are transformed as for `gp`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from baselines.parts.bayesian_optimizer import BayesianOptimizer
from baselines.parts.history import Snapshot
from baselines.parts.information import Information, improvement, search_near
from baselines.parts.loss_transforms import log_distances
from baselines.parts.search.maximum import best_new_row, maximise, random_points
from hpo_core.space import Space
from hpo_models.gp.product import Points, fit

N_POINTS = 50  # of the adapted random search, besides the representers
N_STARTS = 3  # local searches for expected improvement


def es(space: Space, *, budgets: Sequence[float] = (1,), seed: int = 0, n_initial: int = 5) -> BayesianOptimizer:
    """Optimizer by the information gain about the location of the minimum under a Gaussian process.

    Parameters
    ----------
    space, budgets, seed
        As in `baselines.optimizer`; every proposal is at the full budget.
    n_initial
        Number of random configurations before the process is used.

    Returns
    -------
    BayesianOptimizer
        With `ask` and `tell`.
    """
    return BayesianOptimizer(space, propose, n_initial, seed, name="es")


def propose(snapshot: Snapshot, rng: np.random.Generator) -> np.ndarray:
    """Row (width,) to evaluate next."""
    features, rows = snapshot.features, snapshot.rows
    process = fit(_points(rows), log_distances(snapshot.losses), features.groups)
    means, _ = process.predict(_points(rows))
    best, lowest = rows[int(np.argmin(means))], float(means.min())
    information = Information(features, process, _points, best, lowest, rng)

    def score(some: np.ndarray) -> np.ndarray:
        return information.gains(_points(some))

    points = np.concatenate([information.rows, random_points(features, rng, best, N_POINTS)])
    gains = score(points)
    if not gains.any():
        wide = random_points(features, rng, best)
        return maximise(snapshot, improvement(process, _points, lowest), wide, best[None], rng, N_STARTS)
    near, near_gains = search_near(features, points[int(np.argmax(gains))], score, rng)
    return best_new_row(snapshot, np.concatenate([near, points]), np.concatenate([near_gains, gains]), rng)


def _points(rows: np.ndarray) -> Points:
    """Rows with the one constant basis function, which makes the product process an ordinary one."""
    return Points(rows, np.ones((len(rows), 1)))
