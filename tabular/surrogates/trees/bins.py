"""`Bins`: codes of configurations as small whole numbers, which is all that a tree compares.

A number (a float, integer, ordinal or the budget) falls into one of up to 255 bins: code <= edge k if and only if its
bin is <= k. The edges lie in the middle between recorded values, on the log scale where the hyperparameter has one. A
categorical becomes a column of zeros and ones for each of its values. Trees see

    bins of numbers     0..254, NaN where the hyperparameter is inactive
    categories          1 for the value that it has, else 0; all 0 where it is inactive
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from hpo_core.space import Space
from hpo_core.space.hyperparameters import Categorical, Constant, Float, Int

MAX_EDGES = 254  # so that a bin fits into a byte, as it does inside scikit-learn's boosting


class InputColumn(NamedTuple):
    """A column that the trees see: the code that it comes from, and the category that it marks (-1 for a number)."""

    code: int
    category: int


@dataclass(frozen=True)
class Bins:
    """Bins of each code.

    edges     ascending, one array for each code; empty for a categorical and for a constant
    sizes     number of values of each categorical, 0 for a number
    """

    edges: tuple[np.ndarray, ...]
    sizes: tuple[int, ...]

    @cached_property
    def columns(self) -> tuple[InputColumn, ...]:
        """The columns of `inputs`."""
        found: list[InputColumn] = []
        for code, (edges, size) in enumerate(zip(self.edges, self.sizes, strict=True)):
            if size:
                found.extend(InputColumn(code, category) for category in range(size))
            elif len(edges):
                found.append(InputColumn(code, -1))
        return tuple(found)

    def inputs(self, codes: np.ndarray) -> np.ndarray:
        """(n, n_columns) what the trees see of (n, n_codes) codes."""
        made = np.empty((len(codes), len(self.columns)))
        for j, (code, category) in enumerate(self.columns):
            values = codes[:, code]
            if category >= 0:
                made[:, j] = values == category
            else:
                made[:, j] = np.searchsorted(self.edges[code], values, side="left")
                made[np.isnan(values), j] = np.nan
        return made


def bins_of(space: Space, codes: np.ndarray, budgets: np.ndarray | None, log_budget: bool) -> Bins:
    """Bins of recorded codes (n, d), and of their budgets (n,) as one more code.

    Parameters
    ----------
    space
        Of the configurations.
    codes
        As `Space.encode` gives them, NaN where inactive.
    budgets
        Of the rows, None if there is one budget only.
    log_budget
        Whether the budgets are on a log scale.
    """
    edges: list[np.ndarray] = []
    sizes: list[int] = []
    for h, column in zip(space, codes.T, strict=True):
        categorical = isinstance(h, Categorical) and h.size > 1
        sizes.append(int(h.size) if categorical else 0)
        if categorical or isinstance(h, Constant):
            edges.append(np.empty(0))
            continue
        log = isinstance(h, (Float, Int)) and h.log
        shift = float(h.low) if isinstance(h, Int) and log else 0.0  # the code of an integer is its distance from low
        edges.append(_edges(column[~np.isnan(column)] + shift, log) - shift)
    if budgets is not None:
        edges.append(_edges(np.asarray(budgets, dtype=float), log_budget))
        sizes.append(0)
    return Bins(tuple(edges), tuple(sizes))


def _edges(values: np.ndarray, log: bool) -> np.ndarray:
    """Up to 254 ascending numbers between values, which part the different ones into groups of about the same size.

    How often a value occurs does not count: the budgets of a configuration are so many rows with equal values.
    """
    different = np.unique(values)
    n_edges = min(len(different) - 1, MAX_EDGES)
    cuts = (np.arange(1, n_edges + 1) * len(different)) // (n_edges + 1)
    low, high = different[cuts - 1], different[cuts]
    middle = np.sqrt(low) * np.sqrt(high) if log else low + (high - low) / 2
    return np.unique(np.clip(middle, low, np.nextafter(high, -np.inf)))


def code_bins(bins: Bins) -> Sequence[int]:
    """Number of bins of each code, inactive not counted."""
    return [size or len(edges) + 1 for edges, size in zip(bins.edges, bins.sizes, strict=True)]
