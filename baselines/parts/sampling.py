"""Random configurations and their decoding, fast: codes that an optimizer made are valid and need no check."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from hpo_core.space import Space
from hpo_core.space.hyperparameters import Choice, Float, Hyperparameter, Int

BLOCK = 64  # configurations drawn at once, to share numpy's overhead


def uniforms(rng: np.random.Generator) -> Iterator[float]:
    """Uniform random numbers in [0, 1), without end."""
    while True:
        yield from rng.random(16 * BLOCK).tolist()


def random_codes(space: Space, rng: np.random.Generator) -> Iterator[list[Any]]:
    """Codes of random configurations of a space without conditions, without end.

    The configurations are those that `space.sample(rng)` gives one by one: uniform on each hyperparameter's scale, and
    by their weights for categoricals that have them.
    """
    weighted = [
        (j, np.cumsum(h.weights)) for j, h in enumerate(space) if isinstance(h, Choice) and h.weights is not None
    ]
    while True:
        unit = rng.random((BLOCK, len(space)))
        codes = space.from_unit(unit)
        for j, cumulated in weighted:
            codes[:, j] = np.minimum(np.searchsorted(cumulated, unit[:, j], side="right"), len(cumulated) - 1)
        yield from codes.tolist()


def random_configs(space: Space, rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    """Random configurations of any space, without end."""
    if space.conditional:
        while True:
            yield space.sample(rng)
    yield from map(decoder(space), random_codes(space, rng))


def decoder(space: Space) -> Callable[[Sequence[Any]], dict[str, Any]]:
    """Function that turns the codes of one configuration of a space without conditions into the configuration."""
    columns = [(h.name, _by_code(h, space.finite)) for h in space]

    def decode(codes: Sequence[Any]) -> dict[str, Any]:
        return {name: value(code) for (name, value), code in zip(columns, codes, strict=True)}

    return decode


def unit_decoder(space: Space) -> Callable[[Sequence[float]], dict[str, Any]]:
    """Function that turns one point of the unit cube into the configuration whose cell it lies in."""
    columns = [(h.name, _by_unit(h)) for h in space]

    def decode(unit: Sequence[float]) -> dict[str, Any]:
        return {name: value(u) for (name, value), u in zip(columns, unit, strict=True)}

    return decode


def _by_code(h: Hyperparameter, integers: bool) -> Callable[[Any], Any]:
    if isinstance(h, Float):
        return float
    values = h.values if isinstance(h, Choice) else range(h.low, h.high + 1)
    return values.__getitem__ if integers else lambda code: values[int(code)]


def _by_unit(h: Hyperparameter) -> Callable[[float], Any]:
    if isinstance(h, Float) or (isinstance(h, Int) and h.log):
        return h.draw
    values = h.values if isinstance(h, Choice) else range(h.low, h.high + 1)
    n = len(values)
    return lambda u: values[min(int(u * n), n - 1)]
