"""Representer points of entropy search: where the minimum may be, as a sample of the expected improvement.

Hennig and Schuler (2012) and Klein (2020, section 4.1) draw them by Markov chains, with expected improvement as
density. Here every point is the end of a separate chain: starts are drawn from the adapted random search in proportion
to the improvement, then all make some Metropolis steps together, each of one of three lengths. Equal points are counted
once, so there are fewer of them on a small finite space. A step to what is forbidden is not taken. In a space with a
list there are no steps: the starts are drawn from the list itself.
"""

from __future__ import annotations

import numpy as np

from baselines.parts.search.maximum import Score, random_points
from hpo_models.features import Features

N_REPRESENTERS = 50
N_POOL = 250
N_STEPS = 8
LENGTHS = np.array([0.2, 0.05, 0.0125])  # standard deviations in the unit cube
CHANGED = 0.2  # share of the categoricals that a step draws again


def representers(
    features: Features,
    log_improvement: Score,
    rng: np.random.Generator,
    best: np.ndarray,
    n: int = N_REPRESENTERS,
) -> np.ndarray:
    """(k, width) different rows, k <= n, a sample of a density; `best` is the first of them.

    Parameters
    ----------
    features
        Of the space that is searched.
    log_improvement
        Log density: the logarithm of the expected improvement of rows.
    rng
        Source of randomness.
    best
        (width,) row that the adapted random search is centred on.
    n
        Number of rows before equal ones are removed.

    Returns
    -------
    ndarray
        (k, width) rows.
    """
    pool = random_points(features, rng, best, N_POOL)
    values = log_improvement(pool)
    top = values.max()
    shares = np.exp(values - top) if np.isfinite(top) else np.ones(len(pool))
    starts = rng.choice(len(pool), n - 1, p=shares / shares.sum())
    rows, values = pool[starts], values[starts]
    for _ in range(N_STEPS if features.listed is None else 0):
        moved = features.settle(_moved(features, rows, rng))
        reached = log_improvement(moved)
        if features.constrained:
            reached = np.where(features.allowed(moved), reached, -np.inf)
        taken = np.log(1.0 - rng.random(n - 1)) < reached - np.where(np.isfinite(values), values, -1e300)
        rows, values = np.where(taken[:, None], moved, rows), np.where(taken, reached, values)
    rows = np.concatenate([best[None], rows])
    _, first = np.unique(rows.round(9), axis=0, return_index=True)
    return rows[np.sort(first)]


def _moved(features: Features, rows: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Rows (n, width) after a symmetric step, reflected at the walls of the unit cube."""
    lengths = rng.choice(LENGTHS, (len(rows), 1))
    numeric = rows[:, : features.n_numeric] + lengths * rng.standard_normal((len(rows), features.n_numeric))
    numeric = np.abs(numeric) % 2.0
    numeric = np.where(numeric > 1.0, 2.0 - numeric, numeric)
    drawn = (rng.random((len(rows), len(features.sizes))) * features.sizes).astype(int)
    changed = rng.random(drawn.shape) < CHANGED
    return features.join(features.snap(numeric), np.where(changed, drawn, features.codes(rows)))
