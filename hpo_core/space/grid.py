"""`Grid`: the configurations of a finite space by number, in mixed radix with the last hyperparameter fastest.

index = sum over j of code_j * stride_j,    stride_j = product of the sizes of the hyperparameters after j
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from hpo_core.errors import InvalidConfig, UnsupportedSpace
from hpo_core.space.clauses import Forbidden
from hpo_core.space.hyperparameters import BOOLEANS, Choice, Float, Hyperparameter, Value

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
        return self.indices_of_checked(self._space.check_codes(codes))

    def indices_of_checked(self, codes: np.ndarray) -> np.ndarray:
        """(n,) indices of (n, d) codes that `Space.check_codes` has passed."""
        return codes @ self.strides

    def codes(self, indices: np.ndarray) -> np.ndarray:
        """(n, d) codes of configurations given by index."""
        return np.asarray(indices, dtype=np.int64)[:, None] // self.strides % self.sizes

    def config(self, index: int) -> dict[str, Value]:
        """Configuration with an index."""
        if not 0 <= index < self.size:
            raise InvalidConfig(f"index must be in 0..{self.size - 1}, got {index}")
        return self._space.decode(self.codes(np.array([index])))[0]


def require_finite(space: Space, action: str) -> None:
    """Raise `UnsupportedSpace` for a space with floats and without a list."""
    if not space.finite:
        floats = ", ".join(h.name for h in space if isinstance(h, Float))
        raise UnsupportedSpace(f"only a finite space can {action}; these are floats: {floats}")


def require_grid(space: Space) -> None:
    """Raise `UnsupportedSpace` for a space that does not have all combinations of finitely many values."""
    if space.conditional or space.forbidden or space.listed is not None:
        raise UnsupportedSpace(
            "only a space of all combinations of values is a grid, and this one has conditions, forbidden clauses "
            "or a list; configs() enumerates it"
        )
    require_finite(space, "number its configurations")


def enumerate_configs(space: Space) -> Iterator[dict[str, Value]]:
    """Every configuration of a finite space: those of its list, or all, the last hyperparameter fastest."""
    if space.listed is not None:
        return map(space.config_of, space.listed.tolist())
    return combinations(space, [values_of(h) for h in space])


def values_of(h: Hyperparameter) -> Sequence[Value]:
    """The values of a hyperparameter that is no float."""
    return h.values if isinstance(h, Choice) else range(h.low, h.high + 1)  # type: ignore[arg-type]


def combinations(space: Space, values: Sequence[Sequence[Value]]) -> Iterator[dict[str, Value]]:
    """Configurations of some values for each hyperparameter, the last one fastest; a list is not looked at.

    Conditions leave out what is off, and what is forbidden is passed over.
    """

    def extended(config: dict[str, Value], n_set: int) -> Iterator[dict[str, Value]]:
        if n_set == len(space):
            if not any(clause.forbids(config) for clause in space.forbidden):
                yield config
        elif space.is_active(space.names[n_set], config):
            for value in values[n_set]:
                yield from extended({**config, space.names[n_set]: value}, n_set + 1)
        else:
            yield from extended(config, n_set + 1)

    return extended({}, 0)


def count_configs(space: Space) -> int:
    """Number of configurations of a finite space without a list.

    Values that no condition and no clause tells apart are counted at once, so the time grows with the values that
    these name, and not with the size of the space.
    """
    groups = [_groups(space, h) for h in space]

    def counted(config: dict[str, Value], n_set: int) -> int:
        if n_set == len(space):
            return int(not any(clause.forbids(config) for clause in space.forbidden))
        name = space.names[n_set]
        if not space.is_active(name, config):
            return counted(config, n_set + 1)
        return sum(n * counted({**config, name: value}, n_set + 1) for value, n in groups[n_set])

    return counted({}, 0)


def _groups(space: Space, h: Hyperparameter) -> list[tuple[Value, int]]:
    """Values of a hyperparameter, each with the number of values that it stands for."""
    size = int(h.size)
    named = {h.code(value) for _, parent, values in space.conditions if parent == h.name for value in values}
    for clause in space.forbidden:
        if isinstance(clause, Forbidden):
            named |= {h.code(value) for name, values in clause.terms if name == h.name for value in values}
        elif h.name in (clause.left, clause.right):
            named = set(range(size))
    groups = [(h.value(code), 1) for code in sorted(named)]
    if len(named) < size:
        other = next(code for code in range(size) if code not in named)
        groups.append((h.value(other), size - len(named)))
    return groups


def _value_offsets(h: Hyperparameter, stride: int) -> dict[Value, int]:
    """What each value adds to the index; without bools, which would answer for 0 and 1 too."""
    if h.size > LARGEST_LOOKUP:
        return {}
    values = [h.value(code) for code in range(int(h.size))]
    return {value: code * stride for code, value in enumerate(values) if value.__class__ not in BOOLEANS}
