"""Trees with numpy: a level of all trees of the ensemble at a time.

entry       t n + i for row i in the sample of tree t; in column c it is written as c T n + t n + i
order       (width, m) entries of the nodes that will be split, node by node, in ascending order of a column
place       0..m - 1, position in `order`; a node has the same places in each column
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hpo_models.trees.draws import GOLDEN, mix
from hpo_models.trees.samples import Samples, Trees


class Entries(NamedTuple):
    """Ranks, weights and weighted values of the entries of all columns, (width T n,)."""

    ranks: np.ndarray
    weights: np.ndarray
    values: np.ndarray


class Level(NamedTuple):
    """Nodes of a level that will be split, if they can: their entries, (k,) lengths, numbers and keys."""

    order: np.ndarray
    lengths: np.ndarray
    nodes: np.ndarray
    keys: np.ndarray


def grow(samples: Samples) -> Trees:
    """The trees of an ensemble."""
    counts, (n_trees, n) = samples.counts, samples.counts.shape
    width, offsets = len(samples.order), np.arange(n_trees)[:, None] * n
    ranks = np.broadcast_to(samples.ranks[:, None].astype(np.int32), (width, n_trees, n)).ravel()
    entries = Entries(ranks, np.tile(counts.ravel(), width), np.tile((counts * samples.grid).ravel(), width))
    everything = (samples.order[:, None] + offsets + np.arange(width)[:, None, None] * counts.size).reshape(width, -1)
    order = everything.ravel()[entries.weights.take(everything).ravel() > 0.0].reshape(width, -1)
    most = 2 * order.shape[1]
    trees = Trees(np.zeros(most, np.intp), np.full(most, np.inf), np.arange(most), np.zeros(counts.size, np.intp))
    trees.leaves[order[0]] = order[0] // n
    lengths = np.count_nonzero(counts, axis=1)
    is_open = _are_open(order[0], lengths, samples)
    order = order[:, np.repeat(is_open, lengths)]
    level = Level(order, lengths[is_open], np.flatnonzero(is_open), samples.keys[is_open])
    n_nodes = n_trees
    while len(level.nodes):
        columns, places = _best_splits(level, entries, samples)
        level, n_nodes = _split(level, columns, places, n_nodes, trees, samples)
    column, threshold, left = (part[:n_nodes] for part in trees[:3])
    return Trees(column, threshold, left, trees.leaves.reshape(n_trees, n))


def sums_of_leaves(trees: Trees, moments: np.ndarray, n_trees: int, rows: np.ndarray) -> np.ndarray:
    """(n, k) sums over the trees of the moments (N, k) of the leaves that rows (n, width) end in."""
    n, width = rows.shape
    flat, first = rows.ravel(), np.arange(n) * width
    nodes = np.repeat(np.arange(n_trees)[:, None], n, axis=1)
    while True:
        after = trees.left.take(nodes)
        after += flat.take(first + trees.column.take(nodes)) > trees.threshold.take(nodes)
        if np.array_equal(after, nodes):
            break
        nodes = after
    total = np.zeros((n, moments.shape[1]))
    for leaves in nodes:  # one by one, as the compiled code adds them
        total += moments[leaves]
    return total


def _are_open(members: np.ndarray, lengths: np.ndarray, samples: Samples) -> np.ndarray:
    """(k,) whether nodes of these lengths, whose members follow each other, have enough rows and different values."""
    starts, grid = np.cumsum(lengths) - lengths, samples.grid.take(members % len(samples.grid))
    starts = np.minimum(starts, len(members) - 1)  # of a node without members, which is none
    differ = np.minimum.reduceat(grid, starts) < np.maximum.reduceat(grid, starts)
    return differ & (lengths >= 2 * samples.min_leaf)


def _best_splits(level: Level, entries: Entries, samples: Samples) -> tuple[np.ndarray, np.ndarray]:
    """(k,) columns and (k,) places of the last entries on the left side; -1 where there is no split."""
    (width, m), k, lengths = level.order.shape, len(level.nodes), level.lengths
    ends, nodes = np.cumsum(lengths), np.arange(k)
    starts, owners = ends - lengths, np.repeat(nodes, lengths)
    numbers = mix(level.keys + np.arange(1, width + 1, dtype=np.uint64)[:, None] * GOLDEN)
    ranking = np.argsort(numbers, axis=0, kind="stable")
    ranks = entries.ranks.take(level.order)
    n_left = np.arange(1, m + 1) - np.repeat(starts, lengths)
    enough = (n_left >= samples.min_leaf) & (np.repeat(lengths, lengths) - n_left >= samples.min_leaf)
    possible = np.repeat(_drawn(ranking, ranks[:, starts] < ranks[:, ends - 1], samples.n_drawn), lengths, axis=1)
    possible &= enough
    possible[:, :-1] &= ranks[:, :-1] < ranks[:, 1:]
    at = np.flatnonzero(possible)
    column, place = np.divmod(at, m)
    owner = owners.take(place)
    gain = _gains(level, entries, at, owner, starts)
    group = column * k + owner
    best, first = np.full(width * k, -np.inf), np.full(width * k, -1)
    if len(at):
        begins = np.flatnonzero(np.diff(group, prepend=-1))
        best[group[begins]] = np.maximum.reduceat(gain, begins)
    hit = np.flatnonzero(gain == best.take(group))[::-1]
    first[group[hit]] = place[hit]  # of equal gains the one at the first place, which is assigned last
    chosen = ranking[np.argmax(best.reshape(width, k)[ranking, nodes], axis=0), nodes]
    return chosen, first[chosen * k + nodes]


def _drawn(ranking: np.ndarray, differ: np.ndarray, n_drawn: int) -> np.ndarray:
    """(width, k) columns that a split may use, by their order in the nodes and whether they differ there."""
    nodes = np.arange(ranking.shape[1])
    first = np.argmax(differ[ranking, nodes], axis=0)
    drawn = np.empty(ranking.shape, dtype=bool)
    drawn[ranking, nodes] = np.arange(len(ranking))[:, None] < np.maximum(n_drawn, first + 1)
    return drawn


def _gains(level: Level, entries: Entries, at: np.ndarray, owner: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Gains of the splits after flat positions `at` of the order, in nodes `owner`."""
    weights, values = entries.weights.take(level.order), entries.values.take(level.order)
    weight, total = np.add.reduceat(weights[0], starts), np.add.reduceat(values[0], starts)
    w_left = np.cumsum(weights, axis=1).take(at) - (np.cumsum(weight) - weight).take(owner)
    s_left = np.cumsum(values, axis=1).take(at) - (np.cumsum(total) - total).take(owner)
    w_right, s_right = weight.take(owner) - w_left, total.take(owner) - s_left
    return s_left * s_left / w_left + s_right * s_right / w_right


def _split(
    level: Level, columns: np.ndarray, places: np.ndarray, n_nodes: int, trees: Trees, samples: Samples
) -> tuple[Level, int]:
    """The next level, all left children before all right ones, and the number of nodes; the splits are noted."""
    (width, m), n, found = level.order.shape, len(samples.grid), places >= 0
    at, place, parents = columns[found], places[found], level.nodes[found]
    below, above = (samples.columns[at, level.order[at, p] % n] for p in (place, place + 1))
    children = n_nodes + 2 * np.arange(len(parents))
    trees.column[parents], trees.threshold[parents], trees.left[parents] = at, 0.5 * (below + above), children
    pairs = np.repeat(level.nodes[:, None], 2, axis=1)  # a node without a split is its own right child
    pairs[found] = np.stack([children, children + 1], axis=1)
    n_left = np.where(found, places + 1 - (np.cumsum(level.lengths) - level.lengths), 0)
    lengths = np.stack([n_left, level.lengths - n_left], axis=1)
    members = level.order.take(np.repeat(columns * m, level.lengths) + np.arange(m)) % trees.leaves.size
    trees.leaves[members] = np.repeat(pairs.ravel(), lengths.ravel())
    goes = _are_open(members, lengths.ravel(), samples).reshape(-1, 2) & found[:, None]
    side = np.empty(trees.leaves.size, np.int8)
    side[members] = np.repeat(np.where(goes, [0, 1], 2).ravel(), lengths.ravel())
    sides, order = np.tile(side, width).take(level.order).ravel(), level.order.ravel()
    halves = [order.take(np.flatnonzero(sides == s)).reshape(width, -1) for s in (0, 1)]
    keys = (mix(level.keys[goes[:, 0]] - GOLDEN), mix(level.keys[goes[:, 1]] - GOLDEN - GOLDEN))
    lengths, nodes = (np.concatenate([part[goes[:, s], s] for s in (0, 1)]) for part in (lengths, pairs))
    return Level(np.concatenate(halves, axis=1), lengths, nodes, np.concatenate(keys)), n_nodes + 2 * len(parents)
