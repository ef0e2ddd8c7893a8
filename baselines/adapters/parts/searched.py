"""`Searched`: what a library gets to search, and how a configuration is made of what it finds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hpo_core.errors import UnsupportedSpace
from hpo_core.space import Space
from hpo_core.space.hyperparameters import Choice, Float, Hyperparameter


class Searched:
    """The hyperparameters with more than one value; raises `UnsupportedSpace` if there are none.

    space    those hyperparameters; a space with conditions stays whole
    single   the values of the others, by name
    """

    def __init__(self, space: Space, name: str):
        several = [h for h in space if h.size > 1]
        if not several:
            raise UnsupportedSpace(f"{name!r} needs a hyperparameter with more than one value; 'rs' takes this space")
        self._whole = space
        self.space = space if space.conditional else Space(several)
        self.single: dict[str, Any] = {h.name: h.value(0) for h in space if h not in self.space.hyperparameters}

    def config(self, found: Mapping[str, Any]) -> dict[str, Any]:
        """Configuration from numbers for floats and ints and codes for choices, of any number type."""
        return {h.name: self.single[h.name] if h.name in self.single else _value(h, found[h.name]) for h in self._whole}


def _value(h: Hyperparameter, number: Any) -> Any:
    if isinstance(h, Choice):
        return h.values[int(number)]
    inside = min(max(number, h.low), h.high)  # rounding errors of a log scale may lead outside
    return float(inside) if isinstance(h, Float) else int(inside)
