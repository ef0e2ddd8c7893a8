"""Affine-invariant ensemble sampling (Goodman and Weare, 2010; Foreman-Mackey et al., 2013, algorithm 3).

    X_k         one of K walkers in d dimensions, K even and at least 2 d
    stretch     X_k -> X_j + z (X_k - X_j), j of the other half, z from g(z) ~ 1 / sqrt(z) on [1/a, a]
    accepted    with probability min(1, z^(d-1) p(new) / p(old))

The sampler needs no gradient and no step length, and is invariant under affine maps of the space. Each half moves at
once, so the density is evaluated at K / 2 points at a time.
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
    """Samples of a density that is known up to a constant factor.

    Parameters
    ----------
    log_density
        Logarithms (m,) of the density at points (m, d); -inf is allowed.
    walkers
        (K, d) starts of the walkers, where the density is positive.
    rng
        Source of the moves.
    n_steps, burn_in, thinning
        Every `thinning`-th of the `n_steps` steps is kept after the first `burn_in`, with all walkers.

    Returns
    -------
    np.ndarray
        (kept steps * K, d) samples.
    """
    n, d = walkers.shape
    if n % 2 or n < 2 * d:
        raise InvalidOption(f"an ensemble needs an even number of walkers, at least twice {d} dimensions; got {n}")
    if not 0 <= burn_in < n_steps or not 1 <= thinning <= n_steps - burn_in:
        raise InvalidOption(
            f"an ensemble needs 0 <= burn_in < n_steps and 1 <= thinning <= n_steps - burn_in, got {burn_in}, "
            f"{n_steps} and {thinning}"
        )
    positions, heights = np.array(walkers, dtype=float), log_density(walkers)
    halves = np.arange(n // 2), np.arange(n // 2, n)
    kept = []
    for step in range(1, n_steps + 1):
        for movers, others in (halves, halves[::-1]):
            z = (1.0 + (STRETCH - 1.0) * rng.random(n // 2)) ** 2 / STRETCH
            anchors = positions[rng.choice(others, n // 2)]
            moved = anchors + z[:, None] * (positions[movers] - anchors)
            found = log_density(moved)
            with np.errstate(invalid="ignore"):  # -inf - -inf: stays
                accepted = np.log(1.0 - rng.random(n // 2)) < (d - 1) * np.log(z) + found - heights[movers]
            positions[movers[accepted]], heights[movers[accepted]] = moved[accepted], found[accepted]
        if step > burn_in and (step - burn_in) % thinning == 0:
            kept.append(positions.copy())
    return np.concatenate(kept)
