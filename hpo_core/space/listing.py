"""`ConfigList`: a space that has only listed configurations, numbered in the order of the list.

The distance between two configurations, for the nearest one, is that of the unit cube: a numeric hyperparameter counts
with the difference of its positions and a categorical with 1 if the values differ. One that is active in one of the two
configurations only counts with at least 1. Of several that are as near it is the first one of the list.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping, Sequence
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from hpo_core.errors import InvalidConfig, InvalidSpace
from hpo_core.space.codes import codes_in_box
from hpo_core.space.hyperparameters import BOOLEANS, Choice, Value

if TYPE_CHECKING:
    from hpo_core.space import Space

BLOCK = 2**22  # numbers that a comparison of points with the list may hold at once
ROUNDING = 1e-10  # squared distances closer than this are computed again, without the cancellation of a product


class ConfigList:
    """Numbering of the configurations of a space with a list."""

    def __init__(self, space: Space, codes: np.ndarray):
        self._space = space
        self._codes = codes
        self.size = len(codes)
        self._index = {key: i for i, key in enumerate(_keys(codes))}
        if len(self._index) < self.size:
            raise InvalidSpace(f"listed configurations must differ, got {self.size - len(self._index)} repeated ones")
        self._values_of = itemgetter(*space.names)
        self._d = len(space)

    def index(self, config: Mapping[str, Value]) -> int:
        """Index of a configuration; raises `InvalidConfig` as `Space.check` does."""
        try:
            index = self._by_values[self._values_of(config)]
            for name, is_bool in self._zero_or_one:
                if (config[name].__class__ in BOOLEANS) is not is_bool:  # True equals 1 and is another value
                    break
            else:
                if len(config) == self._d:
                    return index
        except (KeyError, TypeError):  # an error, what conditions switch off, or a value of another type
            pass
        return self.index_of_codes(codes_in_box(self._space, config))

    @cached_property
    def _by_values(self) -> dict[Value, int]:
        """Index of each configuration by its values, where none is switched off."""
        whole = np.flatnonzero(~np.isnan(self._codes).any(axis=1))
        columns = [map(h.value, column) for h, column in zip(self._space, self._codes[whole].T.tolist(), strict=True)]
        keys = columns[0] if self._d == 1 else zip(*columns, strict=True)  # what `_values_of` makes of a configuration
        return dict(zip(keys, whole.tolist(), strict=True))

    @cached_property
    def _zero_or_one(self) -> tuple[tuple[str, bool], ...]:
        """Hyperparameters with a value that equals 0 or 1, and whether it is a bool."""
        found = []
        for h in self._space:
            values = h.values if isinstance(h, Choice) else [v for v in (0, 1) if h.low <= v <= h.high]
            kinds = {value.__class__ in BOOLEANS for value in values if value in (0, 1)}
            found += [(h.name, kind) for kind in kinds]
        return tuple(found)

    @cached_property
    def _points(self) -> np.ndarray:
        """(size, width) the list in the form in which points are compared."""
        return self._comparable(self._space.to_unit(self._codes))

    @cached_property
    def _squares(self) -> np.ndarray:
        """(size,) squared lengths of the points."""
        return (self._points**2).sum(axis=1)

    def index_of_codes(self, codes: Sequence[float]) -> int:
        """Index of a configuration that is given by its codes."""
        try:
            return self._index[array("d", [math.nan if code != code else code + 0.0 for code in codes]).tobytes()]
        except KeyError:
            raise InvalidConfig(
                f"only {self.size} listed configurations are in this space, and this is none of them; "
                "`space.nearest(config)` is the one that is nearest to it, `space.configs()` has all"
            ) from None

    def indices(self, codes: np.ndarray) -> np.ndarray:
        """(n,) indices of (n, d) codes, which are checked."""
        return self.indices_of_checked(self._space.check_codes(codes))

    def indices_of_checked(self, codes: np.ndarray) -> np.ndarray:
        """(n,) indices of (n, d) codes that `Space.check_codes` has passed."""
        return np.array([self._index[key] for key in _keys(codes)], dtype=np.intp)

    def missing(self, codes: np.ndarray) -> np.ndarray:
        """(n,) whether (n, d) codes are not in the list."""
        return np.array([key not in self._index for key in _keys(codes)], dtype=bool)

    def codes(self, indices: np.ndarray) -> np.ndarray:
        """(n, d) codes of configurations given by index."""
        return self._codes[np.asarray(indices)]

    def config(self, index: int) -> dict[str, Value]:
        """Configuration with an index."""
        if not 0 <= index < self.size:
            raise InvalidConfig(f"index must be in 0..{self.size - 1}, got {index}")
        return self._space.config_of(self._codes[index].tolist())

    def order(self, unit: np.ndarray) -> np.ndarray:
        """(size,) indices of all configurations, from the nearest to a point (d,) of the unit cube to the farthest."""
        return np.argsort(self._squared_distances(self._comparable(unit[None])[0]), kind="stable")

    def nearest(self, unit: np.ndarray) -> np.ndarray:
        """(n,) indices of the configurations nearest to (n, d) points of the unit cube, NaN where switched off."""
        unit = np.clip(unit, 0.0, 1.0)
        step = max(1, BLOCK // self.size)
        parts = [self._nearest(self._comparable(unit[i : i + step])) for i in range(0, len(unit), step)]
        return np.concatenate(parts) if parts else np.empty(0, dtype=np.intp)

    def nearest_to_codes(self, codes: Sequence[float]) -> int:
        """Index of the configuration nearest to one that is given by its codes; a listed one is its own."""
        found = self._index.get(_keys(np.array([codes], dtype=float))[0])
        return int(self.nearest(self._space.to_unit(np.array([codes], dtype=float)))[0]) if found is None else found

    def _nearest(self, points: np.ndarray) -> np.ndarray:
        rough = self._squares - 2.0 * points @ self._points.T  # squared distances, up to the squares of the points
        near = rough <= rough.min(axis=1, keepdims=True) + ROUNDING
        found = near.argmax(axis=1)
        for row in np.flatnonzero(near.sum(axis=1) > 1):
            candidates = np.flatnonzero(near[row])
            found[row] = candidates[self._squared_distances(points[row], candidates).argmin()]
        return found

    def _squared_distances(self, point: np.ndarray, candidates: np.ndarray | slice = slice(None)) -> np.ndarray:
        return ((self._points[candidates] - point) ** 2).sum(axis=1)

    def _comparable(self, unit: np.ndarray) -> np.ndarray:
        """(n, width) rows whose Euclidean distances are those between the configurations."""
        columns = []
        for h, u in zip(self._space, np.asarray(unit, dtype=float).T, strict=True):
            off = np.isnan(u)
            if isinstance(h, Choice) and h.kind != "ordinal":
                codes = h.from_unit(np.where(off, 0.0, u))
                columns += [np.where(~off & (codes == k), np.sqrt(0.5), 0.0) for k in range(h.size)]
                columns.append(np.where(off, np.sqrt(0.5), 0.0))
            else:
                columns += [np.where(off, 0.5, u), off.astype(float)]
        return np.stack(columns, axis=1)


def _keys(codes: np.ndarray) -> list[bytes]:
    """Bytes of each row, the same for -0.0 and 0.0 and for every NaN."""
    rows = np.ascontiguousarray(codes, dtype=float) + 0.0
    rows[np.isnan(rows)] = np.nan
    return [row.tobytes() for row in rows]
