"""Folding of a surrogate's layers into as few products as there can be, see `tabular.yahpo.network`.

Symbols, k the block and K their number:

    norm_k(h) = s_k h + t_k          batch normalisation; norm_K is the one before the head
    h_k+1     = h_k + B_k z_k + b_k  the residual stream of the source
    q         = b_0 + ... + b_K-1 + t_K / s_K
    u_k       = h_k - (b_0 + ... + b_k-1) + q        the stream here

so that no b_k is ever added, and relu(norm_K(h_K)) = s_K relu(u_K) for s_K > 0. All of it is computed in float64 and
rounded to float32 once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hpo_core.errors import InvalidOption
from tabular.yahpo.inputs import InputLayout
from tabular.yahpo.network import Network, ResidualBlock
from tabular.yahpo.surrogate import SurrogateNetwork

EPSILON = 1e-5  # of batch normalisation, in every network
ALIGNED = 4  # sizes are filled up with zeros to a multiple of this, for speed


class FoldedSurrogate:
    """The network of a surrogate, and the entry of each instance."""

    def __init__(self, surrogate: SurrogateNetwork, layout: InputLayout):
        self._surrogate, self._layout = surrogate, layout
        arrays = {name: array.astype(float) for name, array in surrogate.arrays.items()}
        self._first = _first_layer(arrays, surrogate)
        self._shift, firsts = _folded_firsts(arrays, surrogate.n_blocks)
        self._width = firsts[0].shape[0]
        units = firsts[0].shape[1] // 2
        seconds = [_padded(arrays[f"{k}.second.weight"].T, (units, self._width)) for k in range(len(firsts))]
        self._first_block = firsts[0]
        self.network = Network(
            [ResidualBlock(_rounded(first), _rounded(second)) for first, second in zip(firsts, seconds, strict=True)],
            _rounded(_folded_head(arrays, self._width)),
        )

    def entry(self, instance: str) -> np.ndarray:
        """(D, width + 2 units) what the network makes of the inputs before the first gate, on an instance."""
        surrogate, layout, first = self._surrogate, self._layout, self._first
        bias = first["bias"] + first[surrogate.categories[0].name][instance] + self._shift
        for number in surrogate.numbers:
            if number.name in layout.fixed:
                bias = bias + first[number.name] * number.transform.one(layout.fixed[number.name])
        rows = [first[name] for name in layout.numbers]
        rows += [first[category.name][value] for category in layout.categories for value in category.values]
        stream = _padded(np.array([*rows, bias]), (len(rows) + 1, self._width))
        stream[-1, len(bias)] = 1.0
        return _rounded(np.hstack([stream, stream @ self._first_block]))


def _first_layer(arrays: Mapping[str, np.ndarray], surrogate: SurrogateNetwork) -> dict[str, Any]:
    """The bias, the column of each number, and for each category a column by value."""
    weight, at = arrays["first.weight"], 0
    layer: dict[str, Any] = {"bias": arrays["first.bias"]}
    for index, category in enumerate(surrogate.categories):
        table = arrays[f"embedding.{index}"]
        columns = table @ weight[:, at : at + table.shape[1]].T
        layer[category.name] = {value: columns[code] for value, code in category.codes.items()}
        at += table.shape[1]
    return layer | {number.name: weight[:, at + i] for i, number in enumerate(surrogate.numbers)}


def _norm(array: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Scale and shift of batch normalisation."""
    weight, bias, mean, variance = array
    scale = weight / np.sqrt(variance + EPSILON)
    return scale, bias - mean * scale


def _folded_firsts(arrays: Mapping[str, np.ndarray], n_blocks: int) -> tuple[np.ndarray, list[np.ndarray]]:
    """q, and the first layers (width, 2 units) of the blocks as functions of the stream u and its 1."""
    seconds = [arrays[f"{k}.second.bias"] for k in range(n_blocks)]
    scale, shift = _norm(arrays["last.norm"])
    if not (scale > 0).all():
        raise InvalidOption("the last normalisation must have scales above 0 to be folded")
    q = sum(seconds) + shift / scale
    firsts = []
    for k in range(n_blocks):
        weight, (scale, shift) = arrays[f"{k}.first.weight"], _norm(arrays[f"{k}.norm"])
        bias = arrays[f"{k}.first.bias"] + weight @ (shift + scale * (sum(seconds[:k]) - q))
        values, gates = np.split(np.vstack([(weight * scale).T, bias]), 2, axis=1)
        size = aligned(len(values)), aligned(values.shape[1])
        firsts.append(np.hstack([_padded(values, size), _padded(gates, size)]))
    return q, firsts


def _folded_head(arrays: Mapping[str, np.ndarray], width: int) -> np.ndarray:
    scale, _ = _norm(arrays["last.norm"])
    return _padded(
        np.vstack([(arrays["head.weight"] * scale).T, arrays["head.bias"]]), (width, len(arrays["head.bias"]))
    )


def aligned(n: int) -> int:
    """Size that a layer of n units gets."""
    return -(-n // ALIGNED) * ALIGNED


def _padded(array: np.ndarray, size: tuple[int, int]) -> np.ndarray:
    """The array with zeros behind it, so that it has a size."""
    padded = np.zeros(size)
    padded[: array.shape[0], : array.shape[1]] = array
    return padded


def _rounded(array: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(array, dtype=np.float32)
