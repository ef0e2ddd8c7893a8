"""`Features`: configurations of a mixed space as rows of numbers, with a column for each thing that can differ.

    numeric      float, int or ordinal hyperparameter: one column, its position in the unit interval
    categorical  K columns, 1 for its value and 0 for the others

The numeric columns come first. A categorical with a single value, or a constant, has no column.

A hyperparameter that is switched off has the columns of its default, whatever a search has written there (`settle`).
So no row has a NaN, equal configurations have equal rows, and a step that switches it on begins at the default, as in
`hpo_core.space.neighbourhood`. Its parents are columns of the same row: a kernel, a tree or a network can tell from
them whether it is switched off, and no further columns say so.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from hpo_core.errors import InvalidSpace
from hpo_core.space import Space
from hpo_core.space.drawing import TRIES, draw_codes
from hpo_core.space.hyperparameters import Choice, Int
from hpo_models.listed_rows import ListedRows

FLOAT_STEPS = 4
LEAST_DRAWN = 16  # at once, where some may be forbidden


class OneStep(NamedTuple):
    """Steps that a row can make, numeric hyperparameters first; after one the column is above 0 and below a limit.

    owners      (k,) index of the hyperparameter among those that have columns
    columns     (k,) column that changes
    lengths     (k,) what is added there: a value's width or less that, NaN for the random steps of a float, 1 for a
                value of a categorical
    limits      (k,) 1, for a categorical 3/2: the value that it has already would become 2
    """

    owners: np.ndarray
    columns: np.ndarray
    lengths: np.ndarray
    limits: np.ndarray


class Features:
    """Translation between the unit cube of a space, (n, d), and features, (n, width).

    n_numeric   number of numeric hyperparameters
    cells       (n_numeric,) width of a value in the unit interval, 0 for floats
    sizes       number of values K of each categorical
    others      K - 1
    uniform_switching   (K - 1) / K, the probability that a uniform draw is another value than a given one
    weights     probabilities of the values of those categoricals that have them, with the categorical's index
    groups      (width,) index of the hyperparameter, among those that have columns, that a column belongs to
    first_columns   first column of each hyperparameter that has columns
    log_prior   (width,) its product with a row of features, 0 for what is switched off, is the logarithm of the row's
                density under the prior
    conditional   whether hyperparameters can be switched off
    optional    (width,) whether a column's hyperparameter can
    constrained   whether configurations are forbidden
    listed      rows of the only configurations, if the space has a list
    one_step    steps to the neighbours of a row
    """

    def __init__(self, space: Space):
        self._space, self._d = space, len(space)
        self.conditional, self.constrained = space.conditional, bool(space.forbidden)
        numeric = [(j, h) for j, h in enumerate(space) if not isinstance(h, Choice) or h.kind == "ordinal"]
        categorical = [(j, h) for j, h in enumerate(space) if isinstance(h, Choice) and h.kind != "ordinal"]
        categorical = [(j, h) for j, h in categorical if h.size > 1]
        self._numeric = np.array([j for j, _ in numeric], dtype=int)
        self._categorical = np.array([j for j, _ in categorical], dtype=int)
        self.n_numeric = len(numeric)
        self.cells = np.array([1.0 / h.size for _, h in numeric])
        self._discrete = self.cells > 0
        self._steps = np.where(self._discrete, self.cells, 1.0)
        self._log_ints = [(i, h) for i, (_, h) in enumerate(numeric) if isinstance(h, Int) and h.log]
        self.sizes = np.array([h.size for _, h in categorical], dtype=int)
        self._starts = self.n_numeric + np.cumsum(self.sizes) - self.sizes
        self.width = self.n_numeric + int(self.sizes.sum())
        categories = np.repeat(np.arange(len(self.sizes)), self.sizes)
        self.groups = np.concatenate([np.arange(self.n_numeric), self.n_numeric + categories])
        self.first_columns = np.concatenate([np.arange(self.n_numeric), self._starts])
        self.others = self.sizes - 1.0
        self.uniform_switching = self.others / self.sizes
        self._code_of_column = np.zeros((self.width, len(self.sizes)))
        for i, (start, size) in enumerate(zip(self._starts, self.sizes, strict=True)):
            self._code_of_column[start : start + size, i] = np.arange(size)
        self._to_unit = np.zeros((self.width, self._d))
        self._to_unit[np.arange(self.n_numeric), self._numeric] = 1.0
        self._to_unit[:, self._categorical] = self._code_of_column / self.sizes
        self._middle = np.full(self._d, 0.5)
        self._middle[self._numeric] = 0.0
        self._middle[self._categorical] /= self.sizes
        self.weights = [(i, np.array(h.weights)) for i, (_, h) in enumerate(categorical) if h.weights is not None]
        probabilities = np.concatenate([np.ones(self.n_numeric), np.repeat(1.0 / self.sizes, self.sizes)])
        for i, weights in self.weights:
            probabilities[self._starts[i] : self._starts[i] + len(weights)] = weights
        self.log_prior = np.log(np.maximum(probabilities, 1e-300))
        self._owners = np.concatenate([self._numeric, np.repeat(self._categorical, self.sizes)])
        children = {condition.child for condition in space.conditions}
        self.optional = np.array([h.name in children for h in space], dtype=bool)[self._owners]
        parents = {condition.parent for condition in space.conditions}
        self._category_codes = np.zeros((self.width, self._d))
        self._category_codes[:, self._categorical] = self._code_of_column
        self._numeric_parents = [(i, j, h) for i, (j, h) in enumerate(numeric) if h.name in parents]
        self._defaults = space.to_unit(np.array([[h.code(h.default) for h in space]]))
        self._default_row = self.from_unit(self._defaults)
        listed = space.listed
        self.listed = None if listed is None else ListedRows(self.from_unit(space.to_unit(listed)), self.n_numeric)

    @cached_property
    def one_step(self) -> OneStep:
        """The steps to the neighbours of a row: four of a float, two of an int or ordinal, K of a categorical."""
        n_steps = np.concatenate([np.where(self._discrete, 2, FLOAT_STEPS), self.sizes])
        owners = np.repeat(np.arange(len(n_steps)), n_steps)
        is_numeric = owners < self.n_numeric
        nth = np.arange(len(owners)) - np.repeat(np.cumsum(n_steps) - n_steps, n_steps)
        cells = np.append(self.cells, 1.0)[np.minimum(owners, self.n_numeric)]
        lengths = np.where(is_numeric & (nth == 0), -cells, cells)
        lengths[cells == 0.0] = np.nan
        columns = self.first_columns[owners] + np.where(is_numeric, 0, nth)
        return OneStep(owners, columns, lengths, np.where(is_numeric, 1.0, 1.5))

    def from_unit(self, unit: np.ndarray) -> np.ndarray:
        """(n, width) features of points (n, d) of the unit cube, NaN where a hyperparameter is switched off."""
        if self.conditional:
            unit = np.where(np.isnan(unit), self._defaults, unit)
        codes = np.minimum((unit[:, self._categorical] * self.sizes).astype(int), self.sizes - 1)
        return self.join(self.snap(unit[:, self._numeric]), codes)

    def to_unit(self, row: np.ndarray) -> list[float]:
        """Point (d,) of the unit cube, in the middle of its cell, that a row (width,) of features encodes.

        What is switched off is at its default; `baselines.parts.sampling.unit_decoder` leaves it out.
        """
        return (row @ self._to_unit + self._middle).tolist()

    def join(self, numeric: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """(n, width) features made of numeric columns (n, n_numeric) and codes of the categoricals."""
        rows = np.zeros((len(numeric), self.width))
        rows[:, : self.n_numeric] = numeric
        rows[np.arange(len(rows))[:, None], self._starts + codes] = 1.0
        return rows

    def codes(self, rows: np.ndarray) -> np.ndarray:
        """(n, number of categoricals) codes of the categoricals."""
        return (rows @ self._code_of_column).astype(int)

    def snap(self, numeric: np.ndarray) -> np.ndarray:
        """Numeric columns (n, n_numeric) with ints and ordinals moved to the middle of their cells."""
        cell = np.minimum(np.floor(numeric / self._steps), 1.0 / self._steps - 1.0)
        moved = np.where(self._discrete, (cell + 0.5) * self._steps, numeric)
        for i, h in self._log_ints:
            moved[:, i] = h.to_unit(h.from_unit(numeric[:, i]))
        return moved

    def sample_prior(self, rng: np.random.Generator, n: int) -> np.ndarray:
        """(n, width) features of random configurations, categoricals by their weights; of a list all equally likely.

        What is forbidden is drawn again.
        """
        if self.listed is not None:
            return self.listed.rows[rng.integers(len(self.listed), size=n)]
        if not self.constrained:
            return self.settle(self._draw(rng, n))
        found, n_drawn, n_found = [], 0, 0
        while n_found < n:
            if n_drawn >= TRIES and not n_found:
                raise InvalidSpace(f"forbidden clauses must leave something, {n_drawn:,} random draws were forbidden")
            found.append(self.candidates(self._draw(rng, max(n, LEAST_DRAWN))))
            n_drawn, n_found = n_drawn + max(n, LEAST_DRAWN), n_found + len(found[-1])
        return np.concatenate(found)[:n]

    def sample_start(self, rng: np.random.Generator, n: int) -> np.ndarray:
        """(n, width) features of random configurations to begin with: from the user's prior, if the space has one.

        Everywhere else draws are uniform, so that what is searched later does not depend on the prior.
        """
        if self._space.prior is None:
            return self.sample_prior(rng, n)
        return self.from_unit(self._space.to_unit(draw_codes(self._space, rng, n)))

    def listed_order(self, rng: np.random.Generator) -> np.ndarray:
        """(n,) indices of all configurations of a list in random order; with a prior the likely ones tend to the front.

        The order is that of draws without replacement: each log probability plus a Gumbel variate, descending.
        """
        n = len(self.listed.rows)  # type: ignore[union-attr]
        if self._space.prior is None:
            return rng.permutation(n)
        with np.errstate(divide="ignore"):
            logs = np.log(self._space.prior.listed_probabilities)
        return np.argsort(-(logs + rng.gumbel(size=n)), kind="stable")

    @cached_property
    def first(self) -> np.ndarray | None:
        """(width,) features of the configuration that the space starts with, if it states one."""
        if self._space.first is None:
            return None
        return self.from_unit(self._space.to_unit(self._space.encode(self._space.first)))[0]

    def _draw(self, rng: np.random.Generator, n: int) -> np.ndarray:
        """(n, width) random points of the box."""
        codes = (rng.random((n, len(self.sizes))) * self.sizes).astype(int)
        for i, weights in self.weights:
            codes[:, i] = rng.choice(len(weights), n, p=weights)
        return self.join(self.snap(rng.random((n, self.n_numeric))), codes)

    def settle(self, rows: np.ndarray) -> np.ndarray:
        """(n, width) rows of configurations, from rows of the box: the same, unless the space has conditions or a list.

        What is switched off gets the columns of its default; with a list the result is the nearest row of it. The
        configuration may be forbidden.
        """
        if self.listed is not None:
            indices = self._space.numbering.indices_of_checked(self._codes_in_space(rows))
            return self.listed.rows[indices]
        return np.where(self.present(rows), rows, self._default_row) if self.conditional else rows

    def present(self, rows: np.ndarray) -> np.ndarray:
        """(n, width) whether each column's hyperparameter is active; those of inactive ones are not looked at."""
        if not self.conditional:
            return np.ones(rows.shape, dtype=bool)
        codes = rows @ self._category_codes
        for i, j, h in self._numeric_parents:
            codes[:, j] = h.from_unit(rows[:, i])
        return self._space.active(codes)[:, self._owners]

    def allowed(self, rows: np.ndarray) -> np.ndarray:
        """(n,) whether no clause forbids the configurations of rows (n, width)."""
        return self._space.allowed(self._codes_in_space(rows)) if self.constrained else np.ones(len(rows), dtype=bool)

    def candidates(self, rows: np.ndarray) -> np.ndarray:
        """(k, width) settled rows of those (n, width) that are not forbidden, k <= n."""
        rows = self.settle(rows)
        return rows[self.allowed(rows)] if self.constrained else rows

    def _codes_in_space(self, rows: np.ndarray) -> np.ndarray:
        """(n, d) codes that rows (n, width) of the box stand for, NaN where switched off."""
        return self._space.from_unit(rows @ self._to_unit + self._middle)
