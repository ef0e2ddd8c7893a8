"""`Grid`: the configurations of a finite space by number, in mixed radix with the last hyperparameter fastest.

index = sum over j of code_j * stride_j,    stride_j = product of the sizes of the hyperparameters after j
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from hpo_core.errors import InvalidConfig
from hpo_core.space.hyperparameters import BOOLEANS, Hyperparameter, Value

if TYPE_CHECKING:
    from hpo_core.space import Space

LARGEST_LOOKUP = 100_000  # values of one hyperparameter up to which a dict answers for them


class Grid:
    """Numbering of the configurations of a finite space without conditions."""

    def __init__(self, space: Space):
        self._space = space
        sizes = [int(h.size) for h in space]
        self.size = math.prod(sizes)
        self.sizes = np.array(sizes, dtype=np.int64)
        self.strides = np.array([math.prod(sizes[i + 1 :]) for i in range(len(sizes))], dtype=np.int64)
        # for each hyperparameter what each of its values adds to the index
        self._offsets: tuple[tuple[str, dict[Value, int]], ...] = tuple(
            (h.name, _value_offsets(h, stride)) for h, stride in zip(space, self.strides.tolist(), strict=True)
        )
        self._zero_or_one = tuple(name for name, offsets in self._offsets if 0 in offsets or 1 in offsets)
        self._d = len(sizes)

    def index(self, config: Mapping[str, Value]) -> int:
        """Index of a configuration; raises `InvalidConfig` as `Space.check` does."""
        index = 0
        try:
            for name, offsets in self._offsets:
                index += offsets[config[name]]
            for name in self._zero_or_one:
                if config[name].__class__ in BOOLEANS:  # equal to 0 or 1, yet never meant as a number
                    break
            else:
                if len(config) == self._d:
                    return index
        except (KeyError, TypeError):  # an error, or a value such as a float32 that is equal only after conversion
            pass
        return int(np.dot(self._space.codes_of(config), self.strides))

    def indices(self, codes: np.ndarray) -> np.ndarray:
        """(n,) indices of (n, d) codes, which are checked."""
        return self._space.check_codes(codes) @ self.strides

    def codes(self, indices: np.ndarray) -> np.ndarray:
        """(n, d) codes of configurations given by index."""
        return np.asarray(indices, dtype=np.int64)[:, None] // self.strides % self.sizes

    def config(self, index: int) -> dict[str, Value]:
        """Configuration with an index."""
        if not 0 <= index < self.size:
            raise InvalidConfig(f"index must be in 0..{self.size - 1}, got {index}")
        return self._space.decode(self.codes(np.array([index])))[0]


def enumerate_configs(space: Space) -> Iterator[dict[str, Value]]:
    """Every configuration of a finite space, the last hyperparameter fastest; conditions leave out what is off."""
    return _extend(space, {}, 0)


def _extend(space: Space, config: dict[str, Value], n_set: int) -> Iterator[dict[str, Value]]:
    """Configurations that begin with `config`, which the first `n_set` hyperparameters make up."""
    if n_set == len(space):
        yield config
        return
    h = space.hyperparameters[n_set]
    if not space.is_active(h.name, config):
        yield from _extend(space, config, n_set + 1)
        return
    for code in range(int(h.size)):
        yield from _extend(space, {**config, h.name: h.value(code)}, n_set + 1)


def _value_offsets(h: Hyperparameter, stride: int) -> dict[Value, int]:
    """What each value adds to the index; without bools, which would answer for 0 and 1 too."""
    if h.size > LARGEST_LOOKUP:
        return {}
    values = [h.value(code) for code in range(int(h.size))]
    return {value: code * stride for code, value in enumerate(values) if value.__class__ not in BOOLEANS}
