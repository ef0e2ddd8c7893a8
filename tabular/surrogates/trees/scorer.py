"""`Scorer`: values of tree ensembles in microseconds, by QuickScorer (Lucchese et al., 2015) in numpy.

Each tree has a word with a bit for each leaf, from left to right. A node whose test fails rules out the leaves to its
left: a mask with zeros there. The masks of all failed tests are ANDed, and the lowest bit that remains is the leaf that
the input reaches.

Which tests of a hyperparameter fail depends only on its bin. So the masks are ANDed beforehand: a row of words, one for
each tree, for each bin of each hyperparameter, and one for an inactive one. An evaluation looks up a row for each
hyperparameter and ANDs them.

    rows[j][b]   (n_trees,) uint64: the leaves that hyperparameter j in bin b leaves within reach

A number in bin b fails the tests at edges below b, so its rows are accumulated from the first bin on.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tabular.surrogates.trees.bins import Bins, code_bins
from tabular.surrogates.trees.ensemble import NODE_TYPES, TreeEnsemble

ALL = np.uint64(2**64 - 1)
EXPONENT, BIAS = 52, 1023  # of a float64: that of a power of two is its logarithm
BLOCK = 2**15  # words of a block, which fits in a cache


class Scorer:
    """Several ensembles over the same inputs, evaluated together.

    Parameters
    ----------
    bins
        Of the codes that the ensembles' columns come from.
    ensembles
        Their values are returned in this order.
    """

    def __init__(self, bins: Bins, ensembles: Sequence[TreeEnsemble]):
        counts = np.concatenate([ensemble.leaf_counts for ensemble in ensembles]).astype(np.int64)
        ends = np.cumsum([ensemble.n_trees for ensemble in ensembles]).tolist()
        self._parts = [(slice(a, b), e.intercept) for a, b, e in zip([0, *ends], ends, ensembles, strict=False)]
        self._values = np.concatenate([ensemble.values for ensemble in ensembles])
        self._offsets = np.cumsum(counts) - counts - BIAS
        self._everything = np.full(len(counts), ALL)
        tables = _tables(bins, ensembles, len(counts))
        # a list of rows: a list gives an item faster than an array gives a row
        self._lookups = [(j, bins.edges[j].tolist(), bool(bins.sizes[j]), list(table)) for j, table in tables.items()]
        self._tables = [(j, bins.edges[j], bool(bins.sizes[j]), table) for j, table in tables.items()]

    def one(self, codes: Sequence[float]) -> list[float]:
        """Value of each ensemble at one configuration: codes, NaN where inactive."""
        reached = self._everything.copy()
        for j, edges, categorical, rows in self._lookups:
            code = codes[j]
            if code != code:
                row = rows[-1]
            elif categorical:
                row = rows[int(code)]
            else:
                row = rows[bisect_left(edges, code)]
            np.bitwise_and(reached, row, reached)
        values = self._leaf_values(reached)
        return [float(np.add.reduce(values[part])) + intercept for part, intercept in self._parts]

    def many(self, codes: np.ndarray) -> np.ndarray:
        """(n_ensembles, n) values at (n, n_codes) codes, bit for bit those of `one`."""
        result = np.empty((len(self._parts), len(codes)))
        picks = [(_rows_of(codes[:, j], edges, categorical), table) for j, edges, categorical, table in self._tables]
        step = max(1, BLOCK // max(1, len(self._everything)))
        for start in range(0, len(codes), step):
            stop = min(start + step, len(codes))
            reached = np.broadcast_to(self._everything, (stop - start, len(self._everything))).copy()
            for rows, table in picks:
                reached &= table[rows[start:stop]]
            values = self._leaf_values(reached)
            for k, (part, intercept) in enumerate(self._parts):
                result[k, start:stop] = np.add.reduce(values[:, part], axis=1) + intercept
        return result

    def _leaf_values(self, reached: np.ndarray) -> np.ndarray:
        """Values of the leaves whose bits are the lowest of the words."""
        reached &= np.negative(reached)  # the lowest bit alone: a power of two, which a float holds exactly
        leaves = reached.astype(np.float64).view(np.int64)
        leaves >>= EXPONENT
        leaves += self._offsets
        return self._values.take(leaves)


def _rows_of(codes: np.ndarray, edges: np.ndarray, categorical: bool) -> np.ndarray:
    """(n,) row of each code in its table; the last one, -1, for an inactive hyperparameter."""
    missing = np.isnan(codes)
    found = np.where(missing, 0, codes).astype(np.intp) if categorical else np.searchsorted(edges, codes, side="left")
    return np.where(missing, -1, found)


def _tables(bins: Bins, ensembles: Sequence[TreeEnsemble], n_trees: int) -> dict[int, np.ndarray]:
    """Tables (n_bins + 1, n_trees) of the codes that some tree tests, with the row of the inactive at the end."""
    tables: dict[int, np.ndarray] = {}
    sizes = code_bins(bins)
    tests = _tests_of(ensembles)
    for column in np.unique(tests.columns).tolist():
        code, category = bins.columns[column]
        here = tests.columns == column
        table = tables.setdefault(code, np.full((sizes[code] + 1, n_trees), ALL))
        if category >= 0:  # of all values only the category itself fails the test "is 0"
            _rule_out(table, tests, here, np.intp(category))
            continue
        _rule_out(table, tests, here & (tests.bins + 1 < sizes[code]), tests.bins + 1)
        np.bitwise_and.accumulate(table[:-1], axis=0, out=table[:-1])
        _rule_out(table, tests, here & ~tests.missing_left, np.intp(-1))
    return tables


def _rule_out(table: np.ndarray, tests: _Tests, chosen: np.ndarray, row: np.ndarray | np.intp) -> None:
    """AND the masks of the chosen tests into a row of the table, or into a row for each test."""
    rows = np.broadcast_to(row, chosen.shape)[chosen]
    np.bitwise_and.at(table, (rows, tests.trees[chosen]), tests.masks[chosen])


class _Tests(NamedTuple):
    """The inner nodes of several ensembles: (n_nodes,) each, the trees numbered over all of them."""

    trees: np.ndarray
    columns: np.ndarray
    bins: np.ndarray
    missing_left: np.ndarray
    masks: np.ndarray


def _tests_of(ensembles: Sequence[TreeEnsemble]) -> _Tests:
    nodes = {name: np.concatenate([e.nodes[name] for e in ensembles]) for name in NODE_TYPES}
    starts = np.cumsum([0, *(e.n_trees for e in ensembles)])[:-1]
    shift = np.repeat(starts, [len(e.nodes["tree"]) for e in ensembles])
    first, end = nodes["first"].astype(np.uint64), nodes["end"].astype(np.uint64)
    left = ((np.uint64(1) << (end - first)) - np.uint64(1)) << first  # of 64 leaves at most 63 lie to the left
    columns, bins = nodes["column"].astype(np.intp), nodes["bin"].astype(np.intp)
    return _Tests(nodes["tree"] + shift, columns, bins, nodes["missing_left"], ~left)
