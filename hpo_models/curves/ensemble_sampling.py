"""Affine-invariant ensemble sampling (Goodman and Weare, 2010; Foreman-Mackey et al., 2013, algorithm 3).

    X_k         one of K walkers in d dimensions, K even and at least 2 d
    stretch     X_k -> X_j + z (X_k - X_j), j of the other half, z from g(z) ~ 1 / sqrt(z) on [1/a, a]
    accepted    with probability min(1, z^(d-1) p(new) / p(old))

No gradient, no step length, and stretching space in any direction changes nothing. Each half moves at once, so the
density is asked for K / 2 points at a time.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hpo_core.errors import InvalidOption

STRETCH = 2.0  # a


def ensemble_samples(
    log_density: Callable[[np.ndarray], np.ndarray],
    walkers: np.ndarray,
    rng: np.random.Generator,
    *,
    n_steps: int,
    burn_in: int,
    thinning: int = 10,
) -> np.ndarray:
    """(kept steps * K, d) samples of a density, known up to a constant factor, by its logarithm; -inf is allowed.

    `walkers` (K, d) are where the walkers start, places of positive density. Every `thinning`-th step after `burn_in`
    of `n_steps` is kept, with all walkers.
    """
    n, d = walkers.shape
    if n % 2 or n < 2 * d:
        raise InvalidOption(f"an ensemble needs an even number of walkers, at least twice {d} dimensions; got {n}")
    if not 0 <= burn_in < n_steps or not 1 <= thinning <= n_steps - burn_in:
        raise InvalidOption(
            f"an ensemble needs 0 <= burn_in < n_steps and 1 <= thinning <= what is left, got {burn_in}, {n_steps} and "
            f"{thinning}"
        )
    places, heights = np.array(walkers, dtype=float), log_density(walkers)
    halves = np.arange(n // 2), np.arange(n // 2, n)
    kept = []
    for step in range(1, n_steps + 1):
        for movers, others in (halves, halves[::-1]):
            z = (1.0 + (STRETCH - 1.0) * rng.random(n // 2)) ** 2 / STRETCH
            anchors = places[rng.choice(others, n // 2)]
            moved = anchors + z[:, None] * (places[movers] - anchors)
            found = log_density(moved)
            with np.errstate(invalid="ignore"):  # -inf - -inf: stays
                accepted = np.log(1.0 - rng.random(n // 2)) < (d - 1) * np.log(z) + found - heights[movers]
            places[movers[accepted]], heights[movers[accepted]] = moved[accepted], found[accepted]
        if step > burn_in and (step - burn_in) % thinning == 0:
            kept.append(places.copy())
    return np.concatenate(kept)
