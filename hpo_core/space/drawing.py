"""Random configurations: uniform on each hyperparameter's scale, categoricals by their weights, or by the prior.

What is forbidden is drawn again. Of a list every configuration is equally likely, unless there is a prior.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import TYPE_CHECKING

import numpy as np

from hpo_core.errors import InvalidOption, InvalidSpace
from hpo_core.space.activity import switch_off
from hpo_core.space.codes import in_box
from hpo_core.space.hyperparameters import Choice, Value

if TYPE_CHECKING:
    from hpo_core.space import Space
    from hpo_core.space.priors.prior import UserPrior

MOST = 10**8  # configurations that are drawn at once
TRIES = 10_000  # draws among which one must be allowed


def draw(space: Space, rng: np.random.Generator) -> dict[str, Value]:
    """A random configuration."""
    for _ in range(TRIES):
        config = at(space, rng.random(len(space)).tolist())
        if not space.forbidden or not any(clause.forbids(config) for clause in space.forbidden):
            return config
    raise all_forbidden(space)


def draw_many(space: Space, rng: np.random.Generator, n: int) -> list[dict[str, Value]]:
    """Random configurations, the same that `n` calls of `draw` would give."""
    if not isinstance(n, Integral) or isinstance(n, bool) or not 0 <= n <= MOST:
        raise InvalidOption(f"n must be None or an integer in 0..{MOST:,}, got {n!r:.60}")
    if space.forbidden:
        return [draw(space, rng) for _ in range(n)]
    if space.prior is not None:
        return [space.config_of(codes) for codes in codes_at(space, rng.random((n, len(space))), space.prior).tolist()]
    return [at(space, unit) for unit in rng.random((n, len(space))).tolist()]


def draw_codes(space: Space, rng: np.random.Generator, n: int) -> np.ndarray:
    """(n, d) codes of random configurations that are allowed."""
    found: list[np.ndarray] = []
    n_found = n_drawn = 0
    while n_found < n:
        if n_drawn >= TRIES and not n_found:
            raise all_forbidden(space)
        codes = codes_at(space, rng.random((n, len(space))), space.prior)
        found.append(codes[space.allowed(codes)] if space.forbidden else codes)
        n_found, n_drawn = n_found + len(found[-1]), n_drawn + n
    return np.concatenate(found)[:n]


def codes_at(space: Space, unit: np.ndarray, prior: UserPrior | None = None) -> np.ndarray:
    """(n, d) codes of what `draw` makes of (n, d) random numbers in [0, 1), before anything is drawn again."""
    if prior is not None:
        if space.listed is not None:
            return space.listed[prior.listed_at(unit[:, 0])]
        return switch_off(space, in_box(space, prior.quantiles(unit)))
    if space.listed is not None:
        return space.listed[np.minimum((unit[:, 0] * len(space.listed)).astype(np.intp), len(space.listed) - 1)]
    codes = in_box(space, unit)
    for j, h in enumerate(space):
        if isinstance(h, Choice) and h.weights is not None:
            cumulated = np.cumsum(h.weights)
            codes[:, j] = np.minimum(np.searchsorted(cumulated, unit[:, j], side="right"), h.size - 1)
    return switch_off(space, codes)


def require_allowed(space: Space) -> None:
    """Raise `InvalidSpace` if the clauses of a space leave next to nothing."""
    rng = np.random.default_rng(0)
    if not any(space.allowed(codes_at(space, rng.random((n, len(space))))).any() for n in (16, TRIES)):
        raise all_forbidden(space)


def all_forbidden(space: Space) -> InvalidSpace:
    """The exception for clauses that leave next to nothing."""
    clauses = "; ".join(map(str, space.forbidden))
    return InvalidSpace(f"forbidden clauses must leave something, {TRIES:,} random draws were all forbidden: {clauses}")


def at(space: Space, unit: Sequence[float]) -> dict[str, Value]:
    """Configuration at a point of the unit cube; of a list the one that the first coordinate picks."""
    if space.prior is not None:
        return space.config_of(codes_at(space, np.array([unit]), space.prior)[0].tolist())
    if space.listed is not None:
        size = len(space.listed)
        return space.config_of(space.listed[min(int(unit[0] * size), size - 1)].tolist())
    config = {h.name: h.draw(u) for h, u in zip(space.hyperparameters, unit, strict=True)}
    return space.complete(config) if space.conditions else config
