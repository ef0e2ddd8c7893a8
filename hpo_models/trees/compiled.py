"""Trees compiled by numba: one call grows all trees of an ensemble, one call sums the leaves that rows end in.

Each tree keeps the rows of its sample in ascending order of each column; a node has the same places in all of them. A
column that is constant in a node is not kept in order below it.

numba keeps what it compiled on disk and checks the date of one file; the digest `SOURCES` in the names makes it check
the text of all files. What another version of them left there is not read: it names classes that may be gone. The
import fails with a RuntimeError if numba finds no directory that it can write.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numba import njit, types

from hpo_models.trees import draws
from hpo_models.trees.draws import GOLDEN
from hpo_models.trees.samples import Samples, Trees

SOURCES = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py")))).hexdigest()
compiled: Any = njit  # numba's type hints lack some of its options
part = compiled(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, error_model="numpy")
mix = part(draws.mix)


class Memory(NamedTuple):
    """What the trees are grown in, one after the other.

    order       (width, n) rows of the sample in ascending order of each column, node by node
    members     (n,) rows of the sample, node by node
    spare       (n,) rows
    right       (n,) whether a row is on the right side of a split
    values      (n,) weighted values of rows
    numbers, ranking    (width,) random order of the columns in a node
    nodes, keys     (n + 1, 3) number, start and end of the nodes that wait, and (n + 1,) their keys
    """

    order: np.ndarray
    members: np.ndarray
    spare: np.ndarray
    right: np.ndarray
    values: np.ndarray
    numbers: np.ndarray
    ranking: np.ndarray
    nodes: np.ndarray
    keys: np.ndarray


# --- types, so that each function is compiled once ------------------------------------------------------------------


def _read(of: Any, n_dimensions: int) -> Any:
    return types.Array(of, n_dimensions, "C", readonly=True)  # one that can be written is taken as well


WHOLE, REAL, SHORT, BITS = types.intp, types.float64, types.int32, types.uint64
SAMPLES = types.NamedTuple(
    [REAL[:, ::1], WHOLE[:, ::1], WHOLE[:, ::1], REAL[::1], REAL[:, ::1], BITS[::1], WHOLE, WHOLE], Samples
)
TREES = types.NamedTuple([WHOLE[::1], REAL[::1], WHOLE[::1], WHOLE[:, ::1]], Trees)
MEMORY = types.NamedTuple(
    [
        SHORT[:, ::1],
        SHORT[::1],
        SHORT[::1],
        types.uint8[::1],
        REAL[::1],
        BITS[::1],
        WHOLE[::1],
        WHOLE[:, ::1],
        BITS[::1],
    ],
    Memory,
)
SUM = (_read(WHOLE, 1), _read(REAL, 1), _read(WHOLE, 1), _read(REAL, 2), WHOLE, _read(REAL, 2), REAL[:, ::1])


# --- a node ----------------------------------------------------------------------------------------------------------


@part
def _rank_columns(memory: Memory, key: np.uint64) -> None:
    """Write the random order of the columns of a node."""
    numbers, ranking = memory.numbers, memory.ranking
    for column in range(ranking.size):
        number = mix(key + np.uint64(column + 1) * GOLDEN)
        place = column
        while place > 0 and numbers[place - 1] > number:
            numbers[place], ranking[place] = numbers[place - 1], ranking[place - 1]
            place -= 1
        numbers[place], ranking[place] = number, column


@part
def _differs(memory: Memory, samples: Samples, column: int, start: int, end: int) -> bool:
    """Whether a column is not constant in a node."""
    first, last = memory.order[column, start], memory.order[column, end - 1]
    return samples.ranks[column, first] != samples.ranks[column, last]


@part
def _best_split(memory: Memory, samples: Samples, t: int, start: int, end: int) -> tuple[int, int]:
    """Column and last place on the left side of the split with the highest gain; a place of -1 if there is none."""
    weights, values, min_leaf = samples.counts[t], memory.values, samples.min_leaf
    weight, total = 0.0, 0.0
    for p in range(start, end):
        weight += weights[memory.members[p]]
        total += values[memory.members[p]]
    column, place, best, any_differs = 0, -1, -np.inf, False
    for j in range(len(memory.ranking)):
        if j >= samples.n_drawn and any_differs:
            break
        c = memory.ranking[j]
        if not _differs(memory, samples, c, start, end):
            continue
        any_differs = True
        order, ranks, w_left, s_left = memory.order[c], samples.ranks[c], 0.0, 0.0
        rank = ranks[order[start]]
        for p in range(start, end - min_leaf):
            w_left += weights[order[p]]
            s_left += values[order[p]]
            after = ranks[order[p + 1]]
            if after != rank:
                rank = after
                w_right, s_right = weight - w_left, total - s_left
                gain = s_left * s_left / w_left + s_right * s_right / w_right
                if gain > best and p + 1 - start >= min_leaf:
                    column, place, best = c, p, gain
    return column, place


@part
def _partition(rows: np.ndarray, memory: Memory, start: int, end: int) -> None:
    """Move the rows on the left side to the front; the order within both sides stays."""
    n_left, n_right = start, 0
    for p in range(start, end):
        row = rows[p]
        rows[n_left] = row
        memory.spare[n_right] = row
        is_right = memory.right[row]
        n_left += 1 - is_right
        n_right += is_right
    for p in range(n_right):
        rows[n_left + p] = memory.spare[p]


@part
def _divide(memory: Memory, samples: Samples, column: int, start: int, middle: int, end: int) -> None:
    """Bring the rows of a node in the order of its children, unless these are leaves."""
    order = memory.order[column]
    for p in range(start, end):
        memory.right[order[p]] = p >= middle
    _partition(memory.members, memory, start, end)
    if max(middle - start, end - middle) >= 2 * samples.min_leaf:
        for c in range(len(memory.order)):
            if c != column and _differs(memory, samples, c, start, end):
                _partition(memory.order[c], memory, start, end)


# --- trees -----------------------------------------------------------------------------------------------------------


@part
def _begin(memory: Memory, samples: Samples, t: int) -> int:
    """Number of rows in the sample of a tree, whose root waits now."""
    weights, m = samples.counts[t], 0
    for row in range(len(samples.grid)):
        memory.values[row] = weights[row] * samples.grid[row]
        if weights[row] > 0.0:
            memory.members[m] = row
            m += 1
    for c in range(len(memory.order)):
        p = 0
        for row in samples.order[c]:
            if weights[row] > 0.0:
                memory.order[c, p] = row
                p += 1
    return m


@part
def _push(memory: Memory, at: int, node: int, start: int, end: int, key: np.uint64) -> None:
    """Let a node wait."""
    memory.nodes[at, 0], memory.nodes[at, 1], memory.nodes[at, 2], memory.keys[at] = node, start, end, key


@part
def _is_open(memory: Memory, samples: Samples, start: int, end: int) -> bool:
    """Whether a node has enough rows, and different values."""
    if end - start < 2 * samples.min_leaf:
        return False
    first = samples.grid[memory.members[start]]
    for p in range(start + 1, end):  # noqa: SIM110  numba takes no generators here
        if samples.grid[memory.members[p]] != first:
            return True
    return False


def _kept(signature: Any) -> Any:
    """Decorator that compiles a function, or finds it on disk under its name and the digest of the sources."""

    def compile_or_find(function: Any) -> Any:
        function.__qualname__ += f"-{SOURCES[:16]}"
        return compiled([signature], nogil=True, cache=True)(function)

    return compile_or_find


@_kept(WHOLE(SAMPLES, TREES, MEMORY))
def _grow(samples: Samples, trees: Trees, memory: Memory) -> int:
    """Number of nodes, all of which are written to the trees."""
    n_nodes = len(samples.keys)
    for t in range(len(samples.keys)):
        _push(memory, 0, t, 0, _begin(memory, samples, t), samples.keys[t])
        n_waiting = 1
        while n_waiting > 0:
            n_waiting -= 1
            node, start, end = memory.nodes[n_waiting]
            key, column, place = memory.keys[n_waiting], 0, -1
            if _is_open(memory, samples, start, end):
                _rank_columns(memory, key)
                column, place = _best_split(memory, samples, t, start, end)
            if place < 0:
                for p in range(start, end):
                    trees.leaves[t, memory.members[p]] = node
                continue
            below, above = memory.order[column, place], memory.order[column, place + 1]
            trees.column[node], trees.left[node] = column, n_nodes
            trees.threshold[node] = 0.5 * (samples.columns[column, below] + samples.columns[column, above])
            _divide(memory, samples, column, start, place + 1, end)
            _push(memory, n_waiting, n_nodes, start, place + 1, mix(key - GOLDEN))
            _push(memory, n_waiting + 1, n_nodes + 1, place + 1, end, mix(key - GOLDEN - GOLDEN))
            n_waiting, n_nodes = n_waiting + 2, n_nodes + 2
    return n_nodes


@_kept(types.void(*SUM))
def _add(
    column: np.ndarray,
    threshold: np.ndarray,
    left: np.ndarray,
    moments: np.ndarray,
    n_trees: int,
    rows: np.ndarray,
    total: np.ndarray,
) -> None:
    """Add the moments of the leaves that rows end in to the totals (n, k)."""
    for i in range(len(rows)):
        for t in range(n_trees):
            node, child = t, left[t]
            while child != node:
                node = child + (rows[i, column[node]] > threshold[node])
                child = left[node]
            for j in range(moments.shape[1]):
                total[i, j] += moments[node, j]


def grow(samples: Samples) -> Trees:
    """The trees of an ensemble."""
    (n_trees, n), width = samples.counts.shape, len(samples.columns)
    most = 2 * n_trees * n
    leaves = np.zeros((n_trees, n), np.intp)
    trees = Trees(np.zeros(most, np.intp), np.full(most, np.inf), np.arange(most), leaves)
    order, members, spare = np.empty((width, n), np.int32), np.empty(n, np.int32), np.empty(n, np.int32)
    numbers, ranking = np.empty(width, np.uint64), np.empty(width, np.intp)
    waiting, keys = np.empty((n + 1, 3), np.intp), np.empty(n + 1, np.uint64)
    memory = Memory(order, members, spare, np.empty(n, np.uint8), np.empty(n), numbers, ranking, waiting, keys)
    n_nodes = _grow(samples, trees, memory)
    return Trees(trees.column[:n_nodes], trees.threshold[:n_nodes], trees.left[:n_nodes], leaves)


def sums_of_leaves(trees: Trees, moments: np.ndarray, n_trees: int, rows: np.ndarray) -> np.ndarray:
    """(n, k) sums over the trees of the moments (N, k) of the leaves that rows (n, width) end in."""
    total = np.zeros((len(rows), moments.shape[1]))
    _add(*trees[:3], moments, n_trees, rows, total)
    return total
