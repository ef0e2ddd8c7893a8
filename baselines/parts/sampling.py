"""Random configurations and their decoding, fast: codes that an optimizer made are valid and need no check."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np

from hpo_core.space import Space
from hpo_core.space.drawing import TRIES as MOST_IN_VAIN
from hpo_core.space.drawing import all_forbidden, codes_at
from hpo_core.space.hyperparameters import Choice, Float, Hyperparameter, Int

BLOCK = 64  # configurations drawn at once, to share numpy's overhead
TRIES = 100  # attempts of a method among which one must be allowed
Note = TypeVar("Note")


def uniforms(rng: np.random.Generator) -> Iterator[float]:
    """Uniform random numbers in [0, 1), without end."""
    while True:
        yield from rng.random(16 * BLOCK).tolist()


def random_codes(space: Space, rng: np.random.Generator) -> Iterator[list[Any]]:
    """Codes of random configurations of any space, without end; NaN for what is switched off.

    The configurations are those that `space.sample(rng)` gives one by one: uniform on each hyperparameter's scale, and
    by their weights for categoricals that have them; what is forbidden is drawn again, and of a list each configuration
    is equally likely. With a prior they are drawn from it, and what the space starts with comes before all of them.
    """
    if space.first is not None:
        yield space.codes_of(space.first)
    n_in_vain = 0
    while n_in_vain < MOST_IN_VAIN:
        codes = codes_at(space, rng.random((BLOCK, len(space))), space.prior)
        if space.forbidden:
            codes = codes[space.allowed(codes)]
            n_in_vain = 0 if len(codes) else n_in_vain + BLOCK
        yield from codes.tolist()
    raise all_forbidden(space)


def random_configs(space: Space, rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    """Random configurations of any space, without end."""
    return map(decoder(space), random_codes(space, rng))


def random_points(space: Space, rng: np.random.Generator) -> Iterator[tuple[dict[str, Any], list[float]]]:
    """Random configurations of any space, each with its point of the unit cube, without end.

    What is switched off has a random coordinate.
    """
    decode = decoder(space)
    for codes in random_codes(space, rng):
        unit = space.to_unit(np.array([codes]))[0]
        yield decode(codes), np.where(np.isnan(unit), rng.random(len(unit)), unit).tolist()


def decoder(space: Space) -> Callable[[Sequence[Any]], dict[str, Any]]:
    """Function that turns the codes of one configuration of any space into the configuration."""
    columns = [(h.name, _by_code(h, space.code_type is np.int64)) for h in space]

    def decode(codes: Sequence[Any]) -> dict[str, Any]:
        return {name: value(code) for (name, value), code in zip(columns, codes, strict=True)}

    def decode_active(codes: Sequence[Any]) -> dict[str, Any]:
        return {name: value(code) for (name, value), code in zip(columns, codes, strict=True) if code == code}

    return decode_active if space.conditional else decode


def first_allowed(
    space: Space, make: Callable[[], tuple[dict[str, Any], Note]], otherwise: Callable[[], tuple[dict[str, Any], Note]]
) -> tuple[dict[str, Any], Note]:
    """What a method makes, a configuration and what belongs to it, made again until no clause forbids it.

    After `TRIES` attempts in vain it is what `otherwise` makes, a random configuration that is allowed.
    """
    for _ in range(TRIES):
        made = make()
        if not is_forbidden(space, made[0]):
            return made
    return otherwise()


def is_forbidden(space: Space, config: dict[str, Any]) -> bool:
    """Whether a clause of the space forbids a configuration of the space's own types."""
    return any(clause.forbids(config) for clause in space.forbidden)


def unit_decoder(space: Space) -> Callable[[Sequence[float]], dict[str, Any]]:
    """Function that turns one point of the unit cube into the configuration whose cell it lies in.

    What the conditions switch off is left out, whatever number or NaN stands there. In a space with a list the result
    is the nearest configuration of it. A point whose configuration is forbidden must not be given.
    """
    if space.listed is not None:
        return lambda unit: space.decode(space.from_unit(np.array([unit])))[0]
    columns = [(h.name, _by_unit(h)) for h in space]
    if space.conditional:
        return _conditional_decoder(space, columns)

    def decode(unit: Sequence[float]) -> dict[str, Any]:
        return {name: value(u) for (name, value), u in zip(columns, unit, strict=True)}

    return decode


def _conditional_decoder(
    space: Space, columns: list[tuple[str, Callable[[float], Any]]]
) -> Callable[[Sequence[float]], dict[str, Any]]:
    links: dict[str, list[tuple[str, tuple[Any, ...]]]] = {name: [] for name, _ in columns}
    for child, parent, values in space.conditions:
        links[child].append((parent, values))
    missing = object()

    def decode(unit: Sequence[float]) -> dict[str, Any]:
        config: dict[str, Any] = {}
        for (name, value), u in zip(columns, unit, strict=True):  # parents come before their children
            if all(config.get(parent, missing) in values for parent, values in links[name]):
                config[name] = value(u)
        return config

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
