"""`TreeEnsemble`: regression trees as flat arrays.

The leaves of a tree are numbered from left to right. An inner node is then no more than its test and the leaves that
lie to its left: those that are out of reach for an input that fails the test. That is all QuickScorer (Lucchese et al.,
2015) needs, and a tree has up to 64 leaves so that one machine word has a bit for each.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

MAX_LEAVES = 64


class Node(NamedTuple):
    """An inner node: an input goes left if its bin in `column` is <= `bin`; NaN goes left if `missing_left`.

    The leaves `first` to `end` - 1 lie to the left.
    """

    tree: int
    column: int
    bin: int
    missing_left: bool
    first: int
    end: int


@dataclass(frozen=True)
class TreeEnsemble:
    """Sum of an intercept and of the values of the leaves that an input reaches, one in each tree.

    intercept     number
    leaf_counts   (n_trees,) uint8, 1 to 64
    values        (n_leaves,) float64, of the first tree from left to right, then of the second...
    nodes         arrays (n_nodes,) under the names of the fields of `Node`, in any order
    """

    intercept: float
    leaf_counts: np.ndarray
    values: np.ndarray
    nodes: Mapping[str, np.ndarray]

    @property
    def n_trees(self) -> int:
        return len(self.leaf_counts)


NODE_TYPES = {
    "tree": np.uint16,
    "column": np.uint16,
    "bin": np.uint8,
    "missing_left": np.bool_,
    "first": np.uint8,
    "end": np.uint8,
}


class BinaryTree(NamedTuple):
    """A tree as parallel sequences over its nodes, the root first; `left` is negative at a leaf."""

    left: Sequence[int]
    right: Sequence[int]
    column: Sequence[int]
    bin: Sequence[int]
    missing_left: Sequence[bool]
    value: Sequence[float]


def gather(trees: Iterable[BinaryTree], intercept: float) -> TreeEnsemble:
    """Ensemble of trees."""
    nodes: list[Node] = []
    values: list[float] = []
    counts: list[int] = []
    for index, tree in enumerate(trees):
        leaves: list[float] = []
        _number(tree, 0, index, leaves, nodes)
        if len(leaves) > MAX_LEAVES:
            raise ValueError(f"a tree must have at most {MAX_LEAVES} leaves, got {len(leaves)}")
        values.extend(leaves)
        counts.append(len(leaves))
    columns: dict[str, np.ndarray] = {
        field: np.array([getattr(node, field) for node in nodes], dtype=kind) for field, kind in NODE_TYPES.items()
    }
    return TreeEnsemble(float(intercept), np.array(counts, dtype=np.uint8), np.array(values, dtype=float), columns)


def _number(tree: BinaryTree, node: int, index: int, leaves: list[float], nodes: list[Node]) -> None:
    """Number the leaves below a node from left to right, and note each inner node."""
    left = int(tree.left[node])
    if left < 0:
        leaves.append(float(tree.value[node]))
        return
    first = len(leaves)
    _number(tree, left, index, leaves, nodes)
    test = int(tree.column[node]), int(tree.bin[node]), bool(tree.missing_left[node])
    nodes.append(Node(index, *test, first, len(leaves)))
    _number(tree, int(tree.right[node]), index, leaves, nodes)
