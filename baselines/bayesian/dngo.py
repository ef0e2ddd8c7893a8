"""DNGO: deep networks for global optimization (Snoek et al., 2015) [dngo].

Expected improvement under Bayesian linear regression on the last hidden layer of a network
(`hpo_models.networks.dngo`), averaged over draws of the regression's hyperparameters.

Departures from the paper: losses are transformed and the maximum is sought as for `gp`; for those of the model see its
file. The network is trained from scratch for each proposal: one that started at the last weights did not unlearn, and
the search stayed in one region.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from baselines.bayesian.parts.network_inputs import network_inputs
from baselines.parts.bayesian_optimizer import BayesianOptimizer
from baselines.parts.history import Snapshot
from baselines.parts.loss_transforms import log_distances
from baselines.parts.requirements import count
from baselines.parts.search.maximum import maximise, random_points
from hpo_core.space import Space
from hpo_models.acquisition import log_expected_improvement
from hpo_models.networks.dngo import fit_dngo

N_STARTS = 3  # local searches


def dngo(
    space: Space,
    *,
    budgets: Sequence[float] = (1,),
    seed: int = 0,
    n_initial: int = 5,
    units: int = 50,
    n_passes: int = 20,
    n_samples: int = 10,
) -> BayesianOptimizer:
    """Optimizer by expected improvement under Bayesian linear regression on a network's features.

    Parameters
    ----------
    space, budgets, seed
        As in `baselines.optimizer`; every proposal is at the full budget.
    n_initial
        Number of random configurations before the network is used.
    units
        Number of units of each of the three layers.
    n_passes
        Number of passes of Adam over the observations, for each proposal.
    n_samples
        Number of draws of the regression's hyperparameters.

    Returns
    -------
    BayesianOptimizer
        With `ask` and `tell`.
    """
    proposal = partial(
        propose,
        units=count("units", units),
        n_passes=count("n_passes", n_passes),
        n_samples=count("n_samples", n_samples),
    )
    return BayesianOptimizer(space, proposal, n_initial, seed, name="dngo")


def propose(
    snapshot: Snapshot, rng: np.random.Generator, *, units: int = 50, n_passes: int = 20, n_samples: int = 10
) -> np.ndarray:
    """Row (width,) to evaluate next.

    Parameters
    ----------
    snapshot
        What is known.
    rng
        Source of randomness.
    units, n_passes, n_samples
        As in `dngo`.

    Returns
    -------
    ndarray
        (width,) row.
    """
    features, inputs, values = snapshot.features, network_inputs(snapshot.rows), log_distances(snapshot.losses)
    model = fit_dngo(inputs, values, rng, units=(units,) * 3, n_passes=n_passes, n_samples=n_samples)
    lowest = model.predict(inputs)[0].min(axis=1, keepdims=True)

    def score(candidates: np.ndarray) -> np.ndarray:
        means, variances = model.predict(network_inputs(candidates))
        found = log_expected_improvement(means, np.sqrt(variances), lowest)
        return np.logaddexp.reduce(found, axis=0)

    best = snapshot.rows[int(np.argmin(values))]
    return maximise(snapshot, score, random_points(features, rng, best), best[None], rng, N_STARTS)
