"""Search for the maximum of an acquisition function, a score of rows of features (`hpo_models.features`).

adapted random search   70 % of the points uniform, 30 % Gaussian around the best row       Klein (2020), app. E.5
local search            from some points to the best of their one-step neighbours, until none is better
                        Klein (2020), app. D.3 (BOHAMIANN); Hutter et al. (2011), section 4.3 (SMAC)
refinement              Gaussian steps that become smaller and smaller, around the best row found

A row that was proposed before is not proposed again as long as the search finds another one.

Every row is that of a configuration of the space, see `baselines.parts.search.neighbours`. In a space with a list the
points are rows of the list, all of them if it is short.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from baselines.parts.history import Snapshot
from baselines.parts.search.neighbours import neighbours
from hpo_models.features import Features
from hpo_models.listed_rows import ListedRows

Score = Callable[[np.ndarray], np.ndarray]  # rows (n, width) -> (n,), higher is better
N_POINTS, UNIFORM_SHARE, STD = 500, 0.7, 0.1
TRIES = 100  # random rows among which a new one is looked for
REFINEMENTS = (0.1, 0.03, 0.01, 0.003, 0.001)
SHORT = 4  # a list of up to so many times the number of points is looked at as a whole


def random_points(
    features: Features, rng: np.random.Generator, best: np.ndarray | None, n: int = N_POINTS, std: float = STD
) -> np.ndarray:
    """(n, width) points of the adapted random search.

    Klein (2020) gives neither the variance of the Gaussian nor what happens to a categorical. Here a categorical near
    the best row takes a random value with probability 1/5, and keeps its value otherwise.

    Parameters
    ----------
    features
        Of the space that is searched.
    rng
        Source of randomness.
    best
        Row (width,) that the Gaussian is centred on; None makes all points uniform.
    n
        Number of points.
    std
        Standard deviation of the Gaussian, in the unit cube.

    Returns
    -------
    ndarray
        (n, width) rows; fewer if some are forbidden, and more if they are a whole list.
    """
    if features.listed is not None:
        return _listed_points(features.listed, rng, best, n)
    if best is None:
        return features.sample_prior(rng, n)
    n_uniform = round(UNIFORM_SHARE * n)
    uniform = features.sample_prior(rng, n)
    near = uniform[n_uniform:]
    numeric = best[: features.n_numeric] + std * rng.standard_normal((len(near), features.n_numeric))
    changed = rng.random((len(near), len(features.sizes))) < 0.2
    codes = np.where(changed, features.codes(near), features.codes(best[None]))
    moved = features.candidates(features.join(features.snap(np.clip(numeric, 0.0, 1.0)), codes))
    return np.concatenate([uniform[:n_uniform], moved])


def _listed_points(listed: ListedRows, rng: np.random.Generator, best: np.ndarray | None, n: int) -> np.ndarray:
    """All rows of a short list, else random ones without replacement and those nearest to the best row, if given."""
    if len(listed) <= SHORT * n:
        return listed.rows
    n_uniform = n if best is None else round(UNIFORM_SHARE * n)
    uniform = listed.rows[rng.choice(len(listed), n_uniform, replace=False)]
    return uniform if best is None else np.concatenate([uniform, listed.around(best, n - n_uniform)])


def local_search(
    features: Features, starts: np.ndarray, score: Score, rng: np.random.Generator, max_steps: int = 20
) -> tuple[np.ndarray, np.ndarray]:
    """Rows (n, width) that the searches visited, and their scores (n,); the starts are the first of them.

    Parameters
    ----------
    features
        Of the space that is searched.
    starts
        (k, width) rows, each the start of a search of its own.
    score
        What is maximised.
    rng
        Source of randomness, for the steps of floats.
    max_steps
        Most steps of one search.

    Returns
    -------
    tuple of ndarray
        (n, width) rows and (n,) scores.
    """
    rows, scores = starts, score(starts)
    seen_rows, seen_scores = [rows], [scores]
    for _ in range(max_steps):
        around, owners = neighbours(features, rows, rng)
        found = score(around)
        reached = np.maximum.reduceat(found, np.searchsorted(owners, np.arange(len(rows))))
        better = np.flatnonzero(reached > scores)
        if not len(better):
            break
        highest = np.flatnonzero(found == reached[owners])
        first = highest[np.searchsorted(owners[highest], better)]
        rows, scores = around[first], found[first]
        seen_rows.append(rows)
        seen_scores.append(scores)
    return np.concatenate(seen_rows), np.concatenate(seen_scores)


def refine(
    features: Features, row: np.ndarray, score: Score, rng: np.random.Generator, n: int = 40
) -> tuple[np.ndarray, np.ndarray]:
    """Rows (k, width) closer and closer to a good one, and their scores (k,); none without floats, or of a list.

    Gaussian steps of standard deviation 0.1, 0.03, 0.01... in the unit cube, each from the best row so far.

    Parameters
    ----------
    features
        Of the space that is searched.
    row
        (width,) the start.
    score
        What is maximised.
    rng
        Source of randomness.
    n
        Number of steps of each length.

    Returns
    -------
    tuple of ndarray
        (k, width) rows and (k,) scores.
    """
    floats = features.cells == 0
    if not floats.any() or features.listed is not None:
        return row[None][:0], np.empty(0)
    rows, scores = [row[None]], [score(row[None])]
    for std in REFINEMENTS:
        best = max(range(len(rows)), key=lambda k: scores[k].max())
        around = np.repeat(rows[best][[int(np.argmax(scores[best]))]], n, axis=0)
        steps = std * rng.standard_normal((n, features.n_numeric)) * floats
        around[:, : features.n_numeric] = np.clip(around[:, : features.n_numeric] + steps, 0.0, 1.0)
        around = features.candidates(around)
        if len(around):
            rows.append(around)
            scores.append(score(around))
    return np.concatenate(rows), np.concatenate(scores)


def random_new_row(snapshot: Snapshot, rng: np.random.Generator) -> np.ndarray:
    """Random row (width,) that was not proposed before, or any random one if `TRIES` of them were.

    In a space with a list no row is proposed again, at whatever level, as long as there are others. The very first is
    the one that the space starts with, and the user's prior is what they are drawn from, where there is such.
    """
    if snapshot.features.first is not None and not len(snapshot):
        return snapshot.features.first
    if snapshot.features.listed is not None:
        return _random_new_listed(snapshot, snapshot.features.listed, rng)
    for row in snapshot.features.sample_start(rng, TRIES):
        if snapshot.is_new(row):
            return row
    return row


def _random_new_listed(snapshot: Snapshot, listed: ListedRows, rng: np.random.Generator) -> np.ndarray:
    rows = listed.rows[snapshot.features.listed_order(rng)]
    for row in rows:
        if all(snapshot.is_new(row, level) for level in range(snapshot.full + 1)):
            return row
    return next((row for row in rows if snapshot.is_new(row)), rows[0])


def best_new_row(snapshot: Snapshot, rows: np.ndarray, scores: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Row (width,) of the highest score that was not proposed before.

    Parameters
    ----------
    snapshot
        Knows what was proposed before.
    rows
        (n, width) candidates; if all were proposed before, the result is a random row.
    scores
        (n,) of the candidates.
    rng
        Source of randomness.

    Returns
    -------
    ndarray
        (width,) row.
    """
    for index in np.argsort(-scores, kind="stable"):
        if snapshot.is_new(rows[index]):
            return rows[index]
    return random_new_row(snapshot, rng)


def maximise(
    snapshot: Snapshot,
    score: Score,
    points: np.ndarray,
    starts: np.ndarray,
    rng: np.random.Generator,
    n_starts: int = 10,
) -> np.ndarray:
    """New row (width,) with the highest score among points, local searches and refinements.

    Parameters
    ----------
    snapshot
        Knows what was proposed before.
    score
        What is maximised.
    points
        (n, width) rows that are scored first.
    starts
        (k, width) rows from which local searches start.
    rng
        Source of randomness.
    n_starts
        Number of points, the best of them, from which local searches start as well.

    Returns
    -------
    ndarray
        (width,) row.
    """
    features, scores = snapshot.features, score(points)
    if features.listed is not None and len(points) == len(features.listed):
        return best_new_row(snapshot, points, scores, rng)
    starts = np.concatenate([starts, points[np.argsort(-scores, kind="stable")[:n_starts]]])
    found, found_scores = local_search(features, starts, score, rng)
    close, close_scores = refine(features, found[int(np.argmax(found_scores))], score, rng)
    candidates = np.concatenate([close, found, points])
    return best_new_row(snapshot, candidates, np.concatenate([close_scores, found_scores, scores]), rng)
