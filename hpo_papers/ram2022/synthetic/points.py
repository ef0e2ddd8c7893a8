"""Points of two classes that do not overlap: samples of one distribution made by scikit-learn's make_classification.

The paper uses make_classification "without overlap of the classes and without label noise", and gives no settings. A
class is a mixture of Gaussian clusters, so some overlap is left however far apart they are. Here the points that the
mixture's Bayes rule would call wrong are left out (CLOUDS says how many); what remains has classes that are a function
of the point, and the risk of the best classifier is 0. With label noise it is the share of labels that are flipped.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

LARGEST, TRIALS, N_FRESH = 2**14, 10, 2**13
SPARE = 4096  # more points than are left out


class Cloud(NamedTuple):
    """Settings of make_classification: features (informative, linear combinations of them, the rest noise), clusters in
    each class, half the side of the hypercube with these on its corners; and the share of labels flipped."""

    n_features: int
    n_informative: int
    n_redundant: int
    n_clusters: int
    separation: float
    noise: float = 0.0


CLOUDS = {
    # 36 of 50 features are noise: networks soon make no error on the rows they are trained on, and many on others.
    "wide": Cloud(50, 10, 4, 16, 3.0),  # 0.02 % left out
    # Few features, few clusters: the error on fresh points is close to that on the rows trained on.
    "narrow": Cloud(20, 8, 4, 4, 1.5),  # 0.6 % left out
    # A network that makes no error on the rows it is trained on has learned wrong labels by heart.
    "noisy": Cloud(50, 10, 4, 16, 3.0, noise=0.1),
}


def pool(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Standardised points and true classes of a cloud, in random order, enough for all trials and the fresh points."""
    return _made(CLOUDS[name]._replace(noise=0.0))


@lru_cache(maxsize=2)
def _made(cloud: Cloud) -> tuple[np.ndarray, np.ndarray]:
    from sklearn.datasets import make_classification

    n_clusters = 2 * cloud.n_clusters
    size = -(-(LARGEST * TRIALS + N_FRESH + SPARE) // n_clusters)  # of a cluster
    x, y = make_classification(
        size * n_clusters,
        cloud.n_features,
        n_informative=cloud.n_informative,
        n_redundant=cloud.n_redundant,
        n_clusters_per_class=cloud.n_clusters,
        class_sep=cloud.separation,
        flip_y=0,
        shuffle=False,  # clusters one after another, informative features first
        random_state=0,
    )
    kept = np.flatnonzero(bayes_rule(x[:, : cloud.n_informative].reshape(n_clusters, size, -1), y[::size]) == y)
    kept = np.random.default_rng(0).permutation(kept)[: LARGEST * TRIALS + N_FRESH]
    x, y = x[kept], y[kept]
    return ((x - x.mean(axis=0)) / x.std(axis=0)).astype(np.float32), y


def bayes_rule(clusters: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """More probable class of each point under a mixture of Gaussians.

    Parameters
    ----------
    clusters
        (n_clusters, size, n_features) points of clusters of equal weight, from which their moments are estimated.
    classes
        (n_clusters,) 0 or 1.

    Returns
    -------
    ndarray (n_clusters * size,)
        0 or 1.
    """
    points = clusters.reshape(-1, clusters.shape[-1])
    densities = np.full((2, len(points)), -np.inf)
    for cluster, label in zip(clusters, classes, strict=True):
        factor = np.linalg.cholesky(np.cov(cluster.T))
        distances = np.linalg.inv(factor) @ (points - cluster.mean(axis=0)).T
        density = -0.5 * np.sum(distances**2, axis=0) - np.sum(np.log(np.diag(factor)))
        densities[label] = np.logaddexp(densities[label], density)
    return (densities[1] > densities[0]).astype(int)


def sample(name: str, n: int, trial: int) -> tuple[np.ndarray, np.ndarray]:
    """The n points of a trial; those of another trial are others, a smaller n has the first of them."""
    x, y = pool(name)
    rows = slice(trial * LARGEST, trial * LARGEST + n)
    return x[rows], flipped(y[rows], name, trial)


def fresh(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Points that belong to no trial, to estimate true risks."""
    x, y = pool(name)
    return x[-N_FRESH:], flipped(y[-N_FRESH:], name, TRIALS)


def flipped(y: np.ndarray, name: str, trial: int) -> np.ndarray:
    """Classes with a cloud's share of them flipped."""
    return y ^ (np.random.default_rng(trial).random(len(y)) < CLOUDS[name].noise)
