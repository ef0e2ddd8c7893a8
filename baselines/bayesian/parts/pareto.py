"""Search for the Pareto front of several scores of rows by evolution, all scores to be maximised.

A row dominates another one if no score of it is lower and one is higher. The rank of a row is the number of rows that
dominate it (Fonseca and Fleming, 1993); those of rank 0 are the front. Of rows on the front those count more that are
far from others in the scores: the crowding distance of NSGA-II (Deb et al., 2002, section III.B), whose ranks, found
front by front, take several times as long.

Parents are the winners of tournaments of two. A child has each hyperparameter from one of two parents, and one of its
hyperparameters, on average, is changed: a number by a Gaussian step of a random length, long or short, a categorical to
a random value. The operators of NSGA-II (simulated binary crossover, polynomial mutation) are for floats alone.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hpo_models.features import Features

Scores = Callable[[np.ndarray], np.ndarray]  # rows (n, width) -> (n, number of scores)
POPULATION = 100
LONGEST, SCALES = 0.3, 3.0  # standard deviation of a number's change, in the unit cube: 0.3 down to 0.3 / 10^3


def ranks(scores: np.ndarray) -> np.ndarray:
    """(n,) number of rows that dominate each row of scores (n, m)."""
    at_least = np.ones((len(scores), len(scores)), dtype=bool)
    for column in scores.T:
        at_least &= column[:, None] >= column
    return (at_least & ~at_least.T).sum(axis=0)


def crowding(scores: np.ndarray) -> np.ndarray:
    """(n,) distances to the neighbours in each score, relative to its range and added up; infinite at the ends."""
    distances = np.zeros(len(scores))
    for column in scores.T:
        order = np.argsort(column, kind="stable")
        ordered = column[order]
        distances[order[[0, -1]]] = np.inf
        if ordered[-1] > ordered[0]:
            distances[order[1:-1]] += (ordered[2:] - ordered[:-2]) / (ordered[-1] - ordered[0])
    return distances


def pareto_front(
    features: Features, points: np.ndarray, scores: Scores, rng: np.random.Generator, n_generations: int
) -> np.ndarray:
    """(k, width) rows of the front that the search ends with, at most 100.

    Parameters
    ----------
    features
        Of the space that is searched.
    points
        (n, width) rows to begin with; the best 100 of them are the first population. If they are a whole list of
        configurations, nothing else is looked at.
    scores
        What is maximised, finite numbers.
    rng
        Source of randomness.
    n_generations
        Number of populations that follow the first one.

    Returns
    -------
    ndarray
        Rows.
    """
    whole = features.listed is not None and len(points) == len(features.listed)
    key = rng.standard_normal(features.width)  # rows with equal products are the same row
    rows, found, rank = _fittest(points, scores(points), key)
    for _ in range(0 if whole else n_generations):
        children = _children(features, rows, rng)
        rows, found = np.concatenate([rows, children]), np.concatenate([found, scores(children)])
        rows, found, rank = _fittest(rows, found, key)
    return rows[rank == 0]


def _fittest(rows: np.ndarray, scores: np.ndarray, key: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The best rows, each once and the best first, with their scores and ranks."""
    _, first = np.unique((rows @ key).round(9), return_index=True)
    rows, scores = rows[first], scores[first]
    rank, distances = ranks(scores), np.zeros(len(rows))
    front = np.flatnonzero(rank == 0)
    distances[front] = crowding(scores[front])
    best = np.lexsort((-distances, rank))[:POPULATION]
    return rows[best], scores[best], rank[best]


def _children(features: Features, rows: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """(k, width) rows, as many as there are parents, the best of which come first, unless some are forbidden."""
    n, n_numeric = len(rows), features.n_numeric
    d = n_numeric + len(features.sizes)
    mother, father = (np.minimum(*rng.integers(n, size=(2, n))) for _ in range(2))  # the earlier is the better
    from_mother, changes = rng.random((n, d)) < 0.5, rng.random((n, d)) < 1.0 / d
    numeric = np.where(from_mother[:, :n_numeric], rows[mother, :n_numeric], rows[father, :n_numeric])
    stds = np.maximum(LONGEST * 10.0 ** (-SCALES * rng.random(numeric.shape)), features.cells)
    steps = stds * rng.standard_normal(numeric.shape)
    numeric = np.clip(np.where(changes[:, :n_numeric], numeric + steps, numeric), 0.0, 1.0)
    known = features.codes(rows)
    codes = np.where(from_mother[:, n_numeric:], known[mother], known[father])
    drawn = (rng.random(codes.shape) * features.sizes).astype(int)
    codes = np.where(changes[:, n_numeric:], drawn, codes)
    return features.candidates(features.join(features.snap(numeric), codes))
