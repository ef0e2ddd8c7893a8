"""`Searched`: what a library gets to search, and how a configuration is made of what it finds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np

from baselines.parts.sampling import is_forbidden, random_configs
from hpo_core.errors import UnsupportedSpace
from hpo_core.problems.restriction import Restriction
from hpo_core.space import Forbidden, Space
from hpo_core.space.hyperparameters import Choice, Float, Hyperparameter

TRIES = 20  # attempts of a library among which one must be allowed; some take a second each
Handle = TypeVar("Handle")  # a library's own name of what it proposed


class Searched:
    """The hyperparameters with more than one value; raises `UnsupportedSpace` if there are none.

    space    those hyperparameters, with the conditions and clauses on them and without the list, if there is one

    Parameters
    ----------
    space
        Of the optimizer.
    name
        Of the optimizer.
    seed
        Of the random configurations that take the place of forbidden ones.
    """

    def __init__(self, space: Space, name: str, seed: int = 0):
        if not any(h.size > 1 for h in space):
            raise UnsupportedSpace(f"{name!r} needs a hyperparameter with more than one value; 'rs' takes this space")
        self._whole = space
        single = {h.name: h.value(0) for h in space if h.size == 1}
        # a relation of such a one with a float is no clause on values: `propose` sees to it
        clauses = [c for c in space.forbidden if isinstance(c, Forbidden) or not {c.left, c.right} & single.keys()]
        self._restriction = Restriction(Space(space, space.conditions, forbidden=clauses), single)
        self.space = self._restriction.space
        self._random = random_configs(space, np.random.default_rng(seed))

    def config(self, found: Mapping[str, Any]) -> dict[str, Any]:
        """Configuration from numbers for floats and ints and codes for choices, of any number type.

        What is switched off is left out, and in a space with a list the result is the nearest one of the list.
        """
        return self.completed({h.name: self.value(h, found[h.name]) for h in self.space if h.name in found})

    @staticmethod
    def value(h: Hyperparameter, number: Any) -> Any:
        """Value of a hyperparameter for the number or code that a library found."""
        if isinstance(h, Choice):
            return h.values[int(number)]
        inside = min(max(number, h.low), h.high)  # rounding errors of a log scale may lead outside
        return float(inside) if isinstance(h, Float) else int(inside)

    def completed(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Configuration from the values of what is searched."""
        config = self._restriction.full(values)
        return config if self._whole.listed is None else self._whole.nearest(config)

    def active(self, found: Mapping[str, Any]) -> dict[str, Any]:
        """Those of the numbers and codes that the conditions leave active."""
        active = self.space.complete({h.name: self.value(h, found[h.name]) for h in self.space})
        return {name: found[name] for name in active}

    def found(self, config: Mapping[str, Any]) -> dict[str, Any]:
        """Numbers and codes that a library would have found for a configuration, of what is active in it."""
        active = [h for h in self.space if h.name in config]
        return {h.name: h.code(config[h.name]) if isinstance(h, Choice) else config[h.name] for h in active}

    def propose(
        self,
        ask: Callable[[], tuple[dict[str, Any], Handle]],
        refuse: Callable[[Handle], None],
        enter: Callable[[dict[str, Any]], Handle],
    ) -> tuple[dict[str, Any], Handle]:
        """Configuration that no clause forbids, and the library's handle of it.

        Parameters
        ----------
        ask
            Asks the library.
        refuse
            Tells the library that what it proposed is forbidden.
        enter
            Has the library know of a random configuration, after `TRIES` attempts in vain.
        """
        for _ in range(TRIES):
            config, handle = ask()
            if self._whole.listed is not None or not is_forbidden(self._whole, config):
                return config, handle
            refuse(handle)
        config = next(self._random)
        return config, enter(config)
