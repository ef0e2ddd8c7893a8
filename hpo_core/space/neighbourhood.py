"""One-step neighbourhoods of configurations (Klein, 2020, section 7.3.2).

SMAC's local search uses them, and so does that of BOHAMIANN on tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_core.errors import UnsupportedSpace
from hpo_core.space.hyperparameters import Categorical, Float, Hyperparameter, Value

if TYPE_CHECKING:
    from hpo_core.space import Space

FLOAT_NEIGHBOURS, FLOAT_STEP = 4, 0.2  # of SMAC's local search (Hutter et al., 2011, section 4.3)
LISTED_NEIGHBOURS = 2  # for each hyperparameter, where configurations are listed


def neighbours(
    space: Space, config: Mapping[str, Value], rng: np.random.Generator | None = None
) -> list[dict[str, Value]]:
    """Configurations one step away from `config`, in the order of the hyperparameters.

    One hyperparameter changes at a time: a categorical to each of its other values, an ordinal or an int to the value
    below and above, a float to four Gaussian steps of standard deviation 0.2 in the unit cube, drawn from `rng`.
    A hyperparameter that the step switches on takes its default. What is forbidden is left out. In a space with a list
    the neighbours are the nearest other ones of the list, two for each hyperparameter.
    """
    config = space.check(config)
    if space.listed is not None:
        return _nearest_listed(space, config)
    if rng is None and not space.finite:
        raise UnsupportedSpace("neighbours of a space with floats are random: pass rng=np.random.default_rng(seed)")
    result = []
    for h in space:
        for code in _steps(h, config[h.name], rng) if h.name in config else ():
            moved = {**config, h.name: h.value(code)}
            result.append(space.complete(moved) if space.conditional else moved)
    return [other for other in result if not any(clause.forbids(other) for clause in space.forbidden)]


def _nearest_listed(space: Space, config: Mapping[str, Value]) -> list[dict[str, Value]]:
    numbering: Any = space.numbering
    own = numbering.index(config)
    order = numbering.order(space.to_unit(space.encode(config))[0])
    return [numbering.config(int(index)) for index in order[order != own][: LISTED_NEIGHBOURS * len(space)]]


def _steps(h: Hyperparameter, value: Value, rng: np.random.Generator | None) -> list[float]:
    code = h.code(value)
    if isinstance(h, Float):
        steps = rng.normal(h.to_unit(np.array(code)), FLOAT_STEP, FLOAT_NEIGHBOURS)  # type: ignore[union-attr]
        return h.from_unit(np.clip(steps, 0, 1)).tolist()
    if isinstance(h, Categorical):
        return [c for c in range(int(h.size)) if c != code]
    return [c for c in (code - 1, code + 1) if 0 <= c < h.size]
