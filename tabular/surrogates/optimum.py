"""Search for the lowest loss of a surrogate at its full budget.

A surrogate is constant within the cells that the bins of its hyperparameters span. The search starts from the best of
the recorded configurations and of many random ones. From each it changes one hyperparameter at a time to the best of
all of its bins, until no change helps. What it finds is the lowest loss known; nothing proves that no lower one exists.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from hpo_core.errors import HpoError
from hpo_core.space import Space
from hpo_core.space.hyperparameters import Float
from tabular.surrogates.trees.bins import Bins

N_RANDOM = 20_000
N_STARTS = 25
N_ROUNDS = 20
Losses = Callable[[np.ndarray], np.ndarray]


class FoundOptimum(NamedTuple):
    """Lowest loss that a search found, the codes of its configuration, and the number of evaluations."""

    loss: float
    codes: np.ndarray
    n_evaluations: int


def search_optimum(losses: Losses, space: Space, bins: Bins, recorded: np.ndarray, seed: int) -> FoundOptimum:
    """Lowest loss found by a search.

    Parameters
    ----------
    losses
        (n,) losses of (n, d) codes at the full budget, without noise.
    space, bins
        Of the configurations.
    recorded
        (n, d) codes of configurations to start from.
    seed
        Of the random ones.
    """
    drawn = space.encode(space.sample(np.random.default_rng(seed), N_RANDOM)).astype(float)
    started = np.concatenate([recorded, drawn])
    found = losses(started)
    order = np.argsort(found, kind="stable")[:N_STARTS]
    current, lowest = started[order], found[order]
    n_evaluations = len(started)
    values = [_bin_values(space, bins, j) for j in range(len(space))]
    for _ in range(N_ROUNDS):
        before = lowest.copy()
        for j in np.flatnonzero([len(v) > 1 for v in values]).tolist():
            n_evaluations += len(current) * len(values[j])
            current, lowest = _improved(losses, space, current, lowest, j, values[j])
        if (lowest >= before).all():
            break
    best = int(lowest.argmin())
    return FoundOptimum(float(lowest[best]), current[best], n_evaluations)


def _bin_values(space: Space, bins: Bins, j: int) -> np.ndarray:
    """A code in each bin of a hyperparameter, within its range."""
    h = space.hyperparameters[j]
    if not isinstance(h, Float) and h.size <= 256:
        return np.arange(h.size, dtype=float)
    low, high = (h.low, h.high) if isinstance(h, Float) else (0.0, float(h.size - 1))
    edges = bins.edges[j]
    inside = np.append(edges[(edges >= low) & (edges < high)], high)  # code <= edge: the edge is the bin's last code
    return inside if isinstance(h, Float) else np.unique(np.floor(inside))


def _improved(
    losses: Losses, space: Space, current: np.ndarray, lowest: np.ndarray, j: int, values: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Configurations with hyperparameter j at the best of its values, where that is better, and their losses."""
    tried = np.repeat(current, len(values), axis=0)
    active = ~np.isnan(tried[:, j])
    tried[:, j] = np.where(active, np.tile(values, len(current)), np.nan)
    if space.conditional:
        tried = settled(space, tried)
    found = _allowed(losses, space, tried).reshape(len(current), len(values))
    best = found.argmin(axis=1)
    rows = np.arange(len(current))
    better = found[rows, best] < lowest
    moved = tried.reshape(len(current), len(values), -1)[rows, best]
    return np.where(better[:, None], moved, current), np.where(better, found[rows, best], lowest)


def settled(space: Space, codes: np.ndarray) -> np.ndarray:
    """(n, d) codes with NaN for what the conditions switch off, and defaults for what they switch on."""
    made = codes.copy()
    for j, h in enumerate(space):
        active = np.ones(len(made), dtype=bool)
        for child, parent, values in space.conditions:
            if child == h.name:
                wanted = [space[parent].code(value) for value in values]
                active &= np.isin(made[:, space.names.index(parent)], wanted)
        made[:, j] = np.where(active, np.where(np.isnan(made[:, j]), h.code(h.default), made[:, j]), np.nan)
    return made


def _allowed(losses: Losses, space: Space, codes: np.ndarray) -> np.ndarray:
    """Losses of codes, infinite for those that are not in the space."""
    try:
        space.check_codes(codes)
    except HpoError:
        found = np.full(len(codes), np.inf)
        inside = np.array([_is_inside(space, row) for row in codes])
        found[inside] = losses(codes[inside])
        return found
    return losses(codes)


def _is_inside(space: Space, row: np.ndarray) -> bool:
    try:
        space.decode(row[None])
    except HpoError:
        return False
    return True
