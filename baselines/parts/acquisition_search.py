"""Where to look for the maximum of an acquisition function: rows of features (`hpo_models.features`) to score.

adapted random search   70 % of the points uniform, 30 % Gaussian around the best configuration   thesis, app. E.5
local search            from some points to the best of their one-step neighbours, until none is better
                        thesis, app. D.3 (BOHAMIANN); Hutter et al. (2011), section 4.3 (SMAC)
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hpo_models.features import Features

Score = Callable[[np.ndarray], np.ndarray]  # rows (n, width) -> (n,), higher is better
N_POINTS, UNIFORM_SHARE, SPREAD = 500, 0.7, 0.1
REFINEMENTS = (0.1, 0.03, 0.01, 0.003, 0.001)


def random_points(
    features: Features, rng: np.random.Generator, best: np.ndarray | None, n: int = N_POINTS, spread: float = SPREAD
) -> np.ndarray:
    """(n, width) points of the adapted random search; all are uniform if there is no best row (width,).

    The thesis does not give the variance of the Gaussian; `spread` is its standard deviation in the unit cube. Around
    the best row a categorical keeps its value but for one in five, on which the thesis is silent.
    """
    if best is None:
        return features.sample_prior(rng, n)
    n_uniform = round(UNIFORM_SHARE * n)
    uniform = features.sample_prior(rng, n)
    near = uniform[n_uniform:]
    numeric = best[: features.n_numeric] + spread * rng.standard_normal((len(near), features.n_numeric))
    changed = rng.random((len(near), len(features.sizes))) < 0.2
    codes = np.where(changed, features.codes(near), features.codes(best[None]))
    uniform[n_uniform:] = features.join(features.snap(np.clip(numeric, 0.0, 1.0)), codes)
    return uniform


def neighbours(features: Features, row: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """(k, width) rows one step away: every other value of a categorical, the next values of an ordinal or int.

    A float makes four Gaussian steps of standard deviation 0.2 (Hutter et al., 2011, section 4.3).
    """
    numeric, codes = row[: features.n_numeric], features.codes(row[None])[0]
    changed, categories = [], []
    for i, cell in enumerate(features.cells):
        steps = [-cell, cell] if cell > 0 else (0.2 * rng.standard_normal(4)).tolist()
        for step in steps:
            if 0.0 < numeric[i] + step < 1.0:
                moved = numeric.copy()
                moved[i] += step
                changed.append(moved)
                categories.append(codes)
    for i, size in enumerate(features.sizes):
        for code in range(size):
            if code != codes[i]:
                other = codes.copy()
                other[i] = code
                changed.append(numeric)
                categories.append(other)
    if not changed:
        return row[None]
    return features.join(features.snap(np.array(changed)), np.array(categories, dtype=int))


def local_search(
    features: Features, starts: np.ndarray, score: Score, rng: np.random.Generator, max_steps: int = 20
) -> tuple[np.ndarray, np.ndarray]:
    """Rows that all searches came past, (n, width), and their scores (n,); the starts (k, width) are among them."""
    places, heights = starts, score(starts)
    seen_rows, seen_scores = [places], [heights]
    for _ in range(max_steps):
        around = [neighbours(features, row, rng) for row in places]
        found = score(np.concatenate(around))
        ends = np.cumsum([len(rows) for rows in around])[:-1]
        best = [int(np.argmax(part)) for part in np.split(found, ends)]
        reached = np.array([part[k] for part, k in zip(np.split(found, ends), best, strict=True)])
        better = reached > heights
        if not better.any():
            break
        places = np.stack([rows[k] for rows, k, up in zip(around, best, better, strict=True) if up])
        heights = reached[better]
        seen_rows.append(places)
        seen_scores.append(heights)
    return np.concatenate(seen_rows), np.concatenate(seen_scores)


def refine(
    features: Features, row: np.ndarray, score: Score, rng: np.random.Generator, n: int = 40
) -> tuple[np.ndarray, np.ndarray]:
    """Rows (k, width) ever closer around a row (width,), and their scores; none where no hyperparameter is a float.

    Gaussian steps of standard deviation 0.1, 0.03, 0.01... in the unit cube, each from the best row so far.
    """
    floats = features.cells == 0
    if not floats.any():
        return row[None][:0], np.empty(0)
    rows, scores = [row[None]], [score(row[None])]
    for spread in REFINEMENTS:
        best = max(range(len(rows)), key=lambda k: scores[k].max())
        around = np.repeat(rows[best][[int(np.argmax(scores[best]))]], n, axis=0)
        steps = spread * rng.standard_normal((n, features.n_numeric)) * floats
        around[:, : features.n_numeric] = np.clip(around[:, : features.n_numeric] + steps, 0.0, 1.0)
        rows.append(around)
        scores.append(score(around))
    return np.concatenate(rows), np.concatenate(scores)
