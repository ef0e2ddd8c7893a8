"""Thompson sampling from conformalised quantiles (Salinas et al., 2023) [cqr].

A model predicts five quantiles of the loss, at levels 1/6 ... 5/6. A tenth of the observations is kept back to correct
them, such that the intervals between two quantiles hold as many observations as they should (conformal prediction,
`hpo_models.quantile_forest`). Of 2,000 random candidates each draws one of its quantiles; the lowest wins.

The settings are those of the authors' code: five quantiles, a tenth kept back, no correction up to 32 observations, a
model from five observations on.

Departures: the quantiles are those of one forest (Meinshausen, 2006) in place of five boosted ensembles of 100 trees,
which take some sixty times as long at 100 observations; the correction has the level of Romano et al. (2019), the
coverage times 1 + 1/m, where the authors' code divides by it; losses are replaced by the logarithm of their distance to
a value below the lowest, as for `gp`, since the correction is one number for all configurations.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from baselines.parts.bayesian_optimizer import BayesianOptimizer
from baselines.parts.history import Snapshot
from baselines.parts.loss_transforms import log_distances
from baselines.parts.requirements import count
from baselines.parts.search.maximum import best_new_row, random_points
from hpo_core.space import Space
from hpo_models.quantile_forest import conformal_correction, fit_quantile_forest

N_CANDIDATES = 2000
KEPT_BACK, MOST_UNCORRECTED = 0.1, 32  # share of the observations; number up to which there is no correction
N_TREES, MIN_LEAF = 20, 3


def cqr(
    space: Space, *, budgets: Sequence[float] = (1,), seed: int = 0, n_initial: int = 5, n_quantiles: int = 5
) -> BayesianOptimizer:
    """Optimizer by Thompson sampling from conformalised quantiles.

    Parameters
    ----------
    space, budgets, seed
        As in `baselines.optimizer`; every proposal is at the full budget.
    n_initial
        Number of random configurations before the model is used.
    n_quantiles
        Number of quantiles, at levels k / (n_quantiles + 1).

    Returns
    -------
    BayesianOptimizer
        With `ask` and `tell`.

    Examples
    --------
    >>> from hpo_core import run
    >>> bool(run("protein", "cqr", n_trials=60, seed=0).best.loss < 0.26)
    True
    """
    n = count("n_quantiles", n_quantiles, 2)
    proposal = partial(propose, levels=np.arange(1, n + 1) / (n + 1))
    return BayesianOptimizer(space, proposal, n_initial, seed, name="cqr")


def propose(snapshot: Snapshot, rng: np.random.Generator, *, levels: np.ndarray) -> np.ndarray:
    """Row (width,) to evaluate next; `levels` (k,) are those of the quantiles."""
    candidates = random_points(snapshot.features, rng, None, N_CANDIDATES)
    quantiles = corrected_quantiles(snapshot.rows, log_distances(snapshot.losses), candidates, levels, rng)
    drawn = quantiles[np.arange(len(candidates)), rng.integers(len(levels), size=len(candidates))]
    return best_new_row(snapshot, candidates, -drawn, rng)


def corrected_quantiles(
    rows: np.ndarray, values: np.ndarray, candidates: np.ndarray, levels: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """(m, k) quantiles of the values at candidates (m, width), corrected if there are enough observations.

    Parameters
    ----------
    rows, values
        (n, width) and (n,) observations.
    candidates
        (m, width) rows.
    levels
        (k,) of the quantiles.
    rng
        For the forest, and for what is kept back.

    Returns
    -------
    ndarray
        Quantiles.
    """
    n = len(values)
    n_kept = int(np.ceil(KEPT_BACK * n)) if n > MOST_UNCORRECTED else 0
    kept, used = np.split(rng.permutation(n), [n_kept])
    forest = fit_quantile_forest(rows[used], values[used], rng, n_trees=N_TREES, min_leaf=MIN_LEAF)
    found = forest.quantiles(candidates, levels)
    if not n_kept:
        return found
    return found + conformal_correction(forest.quantiles(rows[kept], levels), values[kept], levels)
