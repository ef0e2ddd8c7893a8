"""`Features`: configurations of a mixed space as rows of numbers, with a column for each thing that can differ.

    numeric      float, int or ordinal hyperparameter: one column, its position in the unit interval
    categorical  K columns, 1 for its value and 0 for the others

The numeric columns come first. A categorical with a single value, or a constant, has no column.
"""

from __future__ import annotations

import numpy as np

from hpo_core.space import Space
from hpo_core.space.hyperparameters import Choice, Int


class Features:
    """Translation between the unit cube of a space without conditions, (n, d), and features, (n, width).

    n_numeric   number of numeric hyperparameters
    cells       (n_numeric,) width of a value in the unit interval, 0 for floats
    sizes       number of values K of each categorical
    others      K - 1
    uniform_switching   (K - 1) / K, the probability that a uniform draw is another value than a given one
    weights     probabilities of the values of those categoricals that have them, with the categorical's index
    groups      (width,) index of the hyperparameter, among those that have columns, that a column belongs to
    log_prior   (width,) its product with a row of features is the logarithm of the row's density under the prior
    """

    def __init__(self, space: Space):
        self._d = len(space)
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

    def from_unit(self, unit: np.ndarray) -> np.ndarray:
        """(n, width) features of points (n, d) of the unit cube."""
        codes = np.minimum((unit[:, self._categorical] * self.sizes).astype(int), self.sizes - 1)
        return self.join(self.snap(unit[:, self._numeric]), codes)

    def to_unit(self, row: np.ndarray) -> list[float]:
        """Point (d,) of the unit cube, in the middle of its cell, that a row (width,) of features encodes."""
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
        """(n, width) features of random configurations, categoricals by their weights."""
        codes = (rng.random((n, len(self.sizes))) * self.sizes).astype(int)
        for i, weights in self.weights:
            codes[:, i] = rng.choice(len(weights), n, p=weights)
        return self.join(self.snap(rng.random((n, self.n_numeric))), codes)
