"""Product kernels over what both of two configurations have, for spaces with conditions.

    a, b    (m, width), (n, width)   1 where a column's hyperparameter is active at a point, at an observation
    x, y    (m, width), (n, width)   features times their scale, see `hpo_models.densities.kde`
    c       (width,)                 logarithm of the kernel's peak, on one column of each hyperparameter
    p       (m, width)               logarithm of the prior's density of a point's value, on that value's column

The logarithm of the product kernel of a point and an observation is a sum over columns:

    both active            c - (x - y)^2 / 2
    the point alone        p
    otherwise              0

which is p a + (-a x^2 / 2 - p a) b + (a x) (b y) + a b (c - y^2 / 2): one matrix product of rows three times as wide,
and one term of the point alone.
"""

from __future__ import annotations

import numpy as np

from hpo_models.features import Features


def masked_points(features: Features, points: np.ndarray, scale: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Factors (m, 3 width) of points (m, width), and the logarithms (m,) of the prior's density there."""
    a = features.present(points)
    log_prior = a * points * features.log_prior
    x = a * points * scale
    return np.hstack([-0.5 * x**2 - log_prior, x, a]), log_prior.sum(axis=1)


def masked_observations(features: Features, rows: np.ndarray, scale: np.ndarray, log_peaks: np.ndarray) -> np.ndarray:
    """Factors (n, 3 width) of observations (n, width); `log_peaks` has a number for each hyperparameter."""
    b = features.present(rows)
    c = np.zeros(features.width)
    c[features.first_columns] = log_peaks
    y = b * rows * scale
    return np.hstack([b, y, b * (c - 0.5 * y**2)])


def column_counts(features: Features, rows: np.ndarray) -> np.ndarray:
    """Number of rows (n, width) in which each hyperparameter is active, numeric ones first."""
    return features.present(rows)[:, features.first_columns].sum(axis=0)


def masked_stds(features: Features, rows: np.ndarray) -> np.ndarray:
    """Standard deviation of each hyperparameter over the rows (n, width) in which it is active, numeric ones first.

    As `column_stds`, but one row more with the moments of the uniform distribution counts for a hyperparameter that can
    be switched off: few rows, or none, may have it, and one value alone has no spread.
    """
    present, k = features.present(rows), features.n_numeric
    more = features.optional[features.first_columns].astype(float)
    total = present[:, features.first_columns].sum(axis=0) + more
    sums = (present * rows).sum(axis=0)
    mean = (sums[:k] + 0.5 * more[:k]) / total[:k]
    second = ((present * rows**2).sum(axis=0)[:k] + more[:k] / 3) / total[:k]
    numeric = np.sqrt(np.maximum(second - mean**2, 0.0))
    if not len(features.sizes):
        return numeric
    counts = sums[k:] + (more[k:] / features.sizes).repeat(features.sizes)
    squares = (counts / total[k:].repeat(features.sizes)) ** 2
    same = np.add.reduceat(squares, np.cumsum(features.sizes) - features.sizes)
    return np.concatenate([numeric, np.sqrt(np.maximum(1.0 - same, 0.0) / 2)])
