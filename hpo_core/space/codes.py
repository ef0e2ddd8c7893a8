"""Checking of configurations that are given as numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hpo_core.errors import InvalidConfig
from hpo_core.space.hyperparameters import Float

if TYPE_CHECKING:
    from hpo_core.space import Space


def check_codes(space: Space, codes: np.ndarray) -> np.ndarray:
    """(n, d) codes as the space's number type; raises `InvalidConfig` for the first that is out of range."""
    array = np.asarray(codes)
    if array.ndim != 2 or array.shape[1] != len(space) or array.dtype.kind not in "iuf":
        raise InvalidConfig(f"codes must be a number array of shape (n, {len(space)}), got {array.dtype} {array.shape}")
    low: np.ndarray = np.array([h.low if isinstance(h, Float) else 0 for h in space], dtype=space.code_type)
    high: np.ndarray = np.array([h.high if isinstance(h, Float) else h.size - 1 for h in space], dtype=space.code_type)
    if not _all_valid(space, array, low, high):
        valid = _valid(space, array, low, high)
        row, column = (int(i) for i in np.argwhere(~valid)[0])
        raise InvalidConfig(
            f"code of {space.names[column]!r} must be in {low[column]:g}..{high[column]:g}, "
            f"got {array[row, column]} in row {row}"
        )
    return array.astype(space.code_type, copy=False)


def _all_valid(space: Space, array: np.ndarray, low: np.ndarray, high: np.ndarray) -> bool:
    if array.dtype.kind == "f" or not len(array):
        return bool(_valid(space, array, low, high).all())
    return bool((array.min(axis=0) >= low).all() and (array.max(axis=0) <= high).all())  # spares n x d booleans


def _valid(space: Space, array: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """(n, d) whether each code is in its range, and whole where it must be; NaN where conditions allow it."""
    valid = (array >= low) & (array <= high)
    if array.dtype.kind == "f":
        valid &= (array == np.floor(array)) | ~np.isfinite(space.sizes)
        if space.conditional:
            valid |= np.isnan(array)
    return valid
