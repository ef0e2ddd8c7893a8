"""Bayesian optimization with a random forest as in SMAC (Hutter et al., 2011) [smac].

A forest of 10 trees models the losses; expected improvement is maximised by local search from the best known
configurations and from random ones; one proposal in three is random. Settings as in Klein (2020, app. D.3).

Departures from SMAC: every configuration is evaluated once (SMAC may repeat an incumbent up to four times); losses are
replaced by the logarithm of their distance to a value below the lowest, which SMAC3 does for its logarithmic costs, so
that a diverged training does not hide all other differences.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from baselines.parts.bayesian_optimizer import BayesianOptimizer
from baselines.parts.history import Snapshot
from baselines.parts.loss_transforms import log_distances
from baselines.parts.requirements import count, number
from baselines.parts.search.maximum import maximise, random_new_row, random_points
from hpo_core.space import Space
from hpo_models.acquisition import log_expected_improvement
from hpo_models.forest import fit_forest

N_RANDOM, N_STARTS = 500, 10  # random rows that are scored, and local searches from the best known ones


def smac(
    space: Space,
    *,
    budgets: Sequence[float] = (1,),
    seed: int = 0,
    n_initial: int = 10,
    n_trees: int = 10,
    random_fraction: float = 1 / 3,
) -> BayesianOptimizer:
    """Optimizer by expected improvement under a random forest.

    Parameters
    ----------
    space, budgets, seed
        As in `baselines.optimizer`; every proposal is at the full budget.
    n_initial
        Number of random configurations before the forest is used.
    n_trees
        Number of trees of the forest.
    random_fraction
        Share of the later proposals that are random.

    Returns
    -------
    BayesianOptimizer
        With `ask` and `tell`.
    """
    fraction = number("random_fraction", random_fraction, 0.0, 1.0)
    proposal = partial(propose, n_trees=count("n_trees", n_trees), random_fraction=fraction)
    return BayesianOptimizer(space, proposal, n_initial, seed, name="smac")


def propose(
    snapshot: Snapshot, rng: np.random.Generator, *, n_trees: int = 10, random_fraction: float = 1 / 3
) -> np.ndarray:
    """Row (width,) to evaluate next.

    Parameters
    ----------
    snapshot
        What is known.
    rng
        Source of randomness.
    n_trees, random_fraction
        As in `smac`.

    Returns
    -------
    ndarray
        (width,) row.
    """
    if rng.random() < random_fraction:
        return random_new_row(snapshot, rng)
    values = log_distances(snapshot.losses)
    forest, best = fit_forest(snapshot.rows, values, rng, n_trees=n_trees), float(values.min())

    def score(candidates: np.ndarray) -> np.ndarray:
        mean, variance = forest.predict(candidates)
        return log_expected_improvement(mean, np.sqrt(variance), best)

    points = random_points(snapshot.features, rng, None, N_RANDOM)
    return maximise(snapshot, score, points, snapshot.rows[np.argsort(values, kind="stable")[:N_STARTS]], rng)
