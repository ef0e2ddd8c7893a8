"""One-dimensional densities of TPE over the history of a run, for `tpe-univariate`: all choices at once, and numbers.

A row of the history has a column for each value of each choice, 1 for the value taken, then one for each number, in the
unit interval. A choice that is switched off has no 1, and a number that is switched off is NaN, so that a density is
made of the rows that have its hyperparameter.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from baselines.parts.history import WINDOW
from hpo_core.space.hyperparameters import Choice, Float, Int
from hpo_models.densities.parzen import Lattice, Mixture, adaptive_mixture, categorical_density, forgetting_weights

LOWEST = 1e-300  # probability


class GoodAndBad(NamedTuple):
    """All rows so far as good and bad ones.

    rows            (n, width)
    good            indices of the good ones
    weights         (w,) of the newest w rows in g, 0 for the good ones; older rows are forgotten
    n_candidates    number of draws from l that are compared; a single one is proposed as it is
    """

    rows: np.ndarray
    good: list[int]
    weights: np.ndarray
    n_candidates: int

    @property
    def recent(self) -> np.ndarray:
        """(w, width) the newest rows."""
        return self.rows[len(self.rows) - len(self.weights) :]


def bad_weights(n: int, good: list[int]) -> np.ndarray:
    """(n,) weights of the rows in g, 0 for those that are good."""
    ramp = forgetting_weights(n - len(good))
    weights = np.zeros(n)
    start = 0
    for skipped, row in enumerate([*good, n]):
        weights[start:row] = ramp[start - skipped : row - skipped]
        start = row + 1
    return weights


def recent_weights(n: int, good: list[int]) -> np.ndarray:
    """(min(n, 1000),) weights of the newest rows in g, 0 for those that are good."""
    first = max(n - WINDOW, 0)
    return bad_weights(n - first, [row - first for row in good if row >= first])


class Choices:
    """The ordinals of a space, which come first, and its categoricals, as (d, K) arrays padded to the largest K.

    A value of a choice is given by its column, which is its place in a flattened (d, K) array; `starts` (d,) are the
    columns of the first values. `prior` (d, K) are the probabilities before any observation.

    Parameters
    ----------
    choices
        The hyperparameters.
    optional
        Whether some of them can be switched off.
    """

    def __init__(self, choices: list[Choice], optional: bool):
        sizes = np.array([h.size for h in choices], dtype=int)
        most = int(sizes.max(initial=1))
        self.width = len(choices) * most
        self._optional = optional
        self._n_ordinal = sum(h.kind == "ordinal" for h in choices)
        self._lattice = Lattice(sizes[: self._n_ordinal], most)
        self._pseudocounts = np.zeros((len(choices), most))
        for row, h in zip(self._pseudocounts, choices, strict=True):
            row[: h.size] = 1.0 if h.weights is None else np.array(h.weights) * h.size
        self._columns = np.arange(len(choices))[:, None]
        self.starts = np.arange(len(choices)) * most
        self._ends = (self.starts + sizes - 1)[:, None]
        self._counts = np.zeros(self._pseudocounts.shape)  # of all rows
        self._good: list[int] | None = None
        self.prior = self._density(self._counts, self._counts)

    def suggest(self, rng: np.random.Generator, split: GoodAndBad) -> np.ndarray:
        """(d,) columns of the values with the highest l / g, each choice for itself."""
        l = self.good(split)
        uniforms = rng.random((len(l), split.n_candidates)) + self._columns
        draws = np.minimum(np.searchsorted(self._cumulated, uniforms, side="right"), self._ends)
        if split.n_candidates == 1:
            return draws[:, 0]
        ratios = l.ravel()[draws] / self.bad(split).ravel()[draws]
        return draws[self._columns[:, 0], ratios.argmax(axis=1)]

    def note(self, row: np.ndarray) -> None:
        """Count a row (width,) that is about to be added to the history."""
        self._counts += row[: self.width].reshape(self._counts.shape)

    def good(self, split: GoodAndBad) -> np.ndarray:
        """(d, K) probabilities among the good rows."""
        if split.good != self._good:
            self._fit_good(split.rows, split.good)
        return self._l

    def bad(self, split: GoodAndBad) -> np.ndarray:
        """(d, K) probabilities among the bad rows."""
        self.good(split)
        rows = split.recent[:, : self.width]
        if self._optional:
            mass = self._optional_mass(rows.reshape(len(rows), *self._pseudocounts.shape), split.weights > 0)
        else:
            mass = (split.weights @ rows).reshape(self._pseudocounts.shape)
        if len(rows) == len(split.rows):
            return self._density(self._counts - self._good_counts, mass)
        return self._density(rows[split.weights > 0].sum(axis=0).reshape(mass.shape), mass)

    def _optional_mass(self, values: np.ndarray, bad: np.ndarray) -> np.ndarray:
        """(d, K) summed weights of the bad rows (n, d, K); a choice forgets among the rows that have it."""
        mass = np.empty_like(self._pseudocounts)
        for j in range(len(mass)):
            having = np.flatnonzero(bad & values[:, j].any(axis=1))
            mass[j] = forgetting_weights(len(having)) @ values[having, j]
        return mass

    def _fit_good(self, rows: np.ndarray, good: list[int]) -> None:
        """Note l, which seldom changes, and its cumulative sums, ascending all through if flattened."""
        self._good = good
        self._good_counts = rows[good, : self.width].sum(axis=0).reshape(self._pseudocounts.shape)
        self._l = self._density(self._good_counts, self._good_counts)
        self._cumulated = (np.cumsum(self._l, axis=1) + self._columns).ravel()

    def _density(self, counts: np.ndarray, mass: np.ndarray) -> np.ndarray:
        k = self._n_ordinal
        density = np.empty_like(mass)
        density[k:] = categorical_density(mass[k:], self._pseudocounts[k:])
        if k:
            density[:k] = self._lattice.density(counts[:k], mass[:k])
        return density


class Number:
    """A float or an int, in the unit interval; an int is a cell of it.

    Parameters
    ----------
    hyperparameter
        The float or int.
    column
        Of a row of the history.
    optional
        Whether it can be switched off.
    """

    def __init__(self, hyperparameter: Float | Int, column: int, optional: bool):
        self._h, self.column, self._optional = hyperparameter, column, optional
        self._half_cell = 0.5 if isinstance(hyperparameter, Int) else 0.0

    def suggest(self, rng: np.random.Generator, split: GoodAndBad) -> float:
        """Code with the highest l / g of some draws from l."""
        if not split.good:
            codes = self._h.from_unit(rng.random(1))
        else:
            l, g = self.good(split), self.bad(split)
            codes = self._h.from_unit(l.sample(rng, split.n_candidates))
            low, high = self._cells(codes)
            codes = codes[[np.argmax(l.mass(low, high) / g.mass(low, high))]]
        return int(codes[0]) if isinstance(self._h, Int) else float(codes[0])

    def to_unit(self, code: float) -> float:
        """Position of a code in the unit interval."""
        return float(self._h.to_unit(np.array([code]))[0])

    def good(self, split: GoodAndBad) -> Mixture:
        """Density of the good rows that have it."""
        units = self._having(split.rows[:, self.column][split.good])
        return adaptive_mixture(units, np.ones(len(units)))

    def bad(self, split: GoodAndBad) -> Mixture:
        """Density of the bad rows that have it."""
        bad = np.flatnonzero(split.weights)
        units = self._having(split.recent[:, self.column][bad])
        return adaptive_mixture(units, forgetting_weights(len(units)) if self._optional else split.weights[bad])

    def log_ratios(self, first: Mixture, second: Mixture, codes: np.ndarray) -> np.ndarray:
        """(m,) logarithms of the ratio of two densities at codes (m,)."""
        low, high = self._cells(codes)
        ratios = np.log(np.maximum(first.mass(low, high), LOWEST) / np.maximum(second.mass(low, high), LOWEST))
        return ratios + np.log(second.inside / first.inside)

    def _having(self, units: np.ndarray) -> np.ndarray:
        return units[~np.isnan(units)] if self._optional else units

    def _cells(self, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self._h.to_unit(codes - self._half_cell), self._h.to_unit(codes + self._half_cell)
