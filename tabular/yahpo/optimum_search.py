"""A long search for the lowest loss of a surrogate at its full budget.

Each restart draws random configurations, keeps the best ones as parents and then makes rounds of children: the
difference of two other parents is added to one (differential evolution, Storn and Price, 1997), some coordinates move
by normal steps whose size is log-uniform from a third of the range to a ten-thousandth, and some are set to an end of
their range, where the optima of surrogates often are. Parents and children compete for the places of parents. What
comes out is the lowest loss that was found, which need not be the lowest there is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hpo_core.problems.problem import Problem, evaluate_batch
from hpo_core.space import Space

SAME = 1e-5  # losses


@dataclass(frozen=True)
class SearchSettings:
    """How long a search is: the number of evaluations is restarts * (n_random + n_rounds * n_children)."""

    restarts: int = 8
    n_random: int = 25_000
    n_rounds: int = 50
    n_children: int = 1_000
    n_parents: int = 300

    @property
    def evaluations(self) -> int:
        return self.restarts * (self.n_random + self.n_rounds * self.n_children)


@dataclass(frozen=True)
class Found:
    """The lowest loss, its configuration, and the lowest loss of each restart."""

    loss: float
    config: dict[str, Any]
    by_restart: tuple[float, ...]

    @property
    def agreeing(self) -> int:
        """Number of restarts that ended at the lowest loss, up to rounding."""
        return sum(loss <= self.loss + SAME for loss in self.by_restart)


def search_optimum(problem: Problem, seed: int, settings: SearchSettings | None = None) -> Found:
    """The lowest loss that a search finds at the full budget; a function of the seed."""
    settings = SearchSettings() if settings is None else settings
    budget = problem.budgets[-1]

    def losses(unit: np.ndarray) -> np.ndarray:
        return evaluate_batch(problem, codes_of(problem.space, unit), budget, None)[0]

    streams = np.random.SeedSequence(seed).spawn(settings.restarts)
    ends = [_restart(losses, len(problem.space), settings, np.random.default_rng(stream)) for stream in streams]
    by_restart = tuple(float(loss) for _, loss in ends)
    best = ends[int(np.argmin(by_restart))][0]
    config = problem.space.decode(codes_of(problem.space, best[None]))[0]
    return Found(min(by_restart), config, by_restart)


def codes_of(space: Space, unit: np.ndarray) -> np.ndarray:
    """(n, d) codes of points of the unit cube; NaN where a condition switches a hyperparameter off."""
    codes = space.from_unit(unit)
    if not space.conditional:
        return codes
    names = list(space.names)
    for child, parent, values in space.conditions:  # a parent comes before its children
        known = [space[parent].code(value) for value in values]
        codes[~np.isin(codes[:, names.index(parent)], known), names.index(child)] = np.nan
    return codes


def _restart(
    losses: Callable[[np.ndarray], np.ndarray], d: int, settings: SearchSettings, rng: np.random.Generator
) -> tuple[np.ndarray, float]:
    """The best point of the unit cube (d,) and its loss."""
    unit = rng.random((settings.n_random, d))
    values = losses(unit)
    kept = np.argsort(values, kind="stable")[: settings.n_parents]
    parents, values = unit[kept], values[kept]
    for _ in range(settings.n_rounds):
        children = _children(parents, settings.n_children, rng)
        pool, pool_values = np.vstack([parents, children]), np.append(values, losses(children))
        kept = np.argsort(pool_values, kind="stable")[: settings.n_parents]
        parents, values = pool[kept], pool_values[kept]
    return parents[0], values[0]


def _children(parents: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
    """(n, d) points near the parents, better ones (they are sorted) having more children."""
    d = parents.shape[1]
    start = parents[(len(parents) * rng.random(n) ** 2).astype(int)]
    a, b = parents[rng.integers(len(parents), size=(2, n))]
    step = 10.0 ** rng.uniform(-4.0, -0.5, (n, 1)) * rng.standard_normal((n, d))
    moved = start + np.where(rng.random((n, 1)) < 0.5, rng.uniform(0.2, 0.9, (n, 1)) * (a - b), step)
    changed = rng.random((n, d)) < rng.uniform(1.0 / d, 1.0, (n, 1))
    child = np.where(changed, moved, start)
    to_end = rng.random((n, d)) < 0.1 / d
    return np.clip(np.where(to_end, rng.integers(0, 2, (n, d)), child), 0.0, 1.0)
