"""`ListedRows`: the rows of features of a space that has only listed configurations.

The distance between two rows counts a numeric hyperparameter with the difference of its positions and a categorical
with 1 if the values differ, as `hpo_core.space.listing` does. A hyperparameter that only one of the two configurations
has counts by its parents, whose values differ then.
"""

from __future__ import annotations

import numpy as np


class ListedRows:
    """Rows (N, width) of a list, in its order; the first `n_numeric` columns are numeric."""

    def __init__(self, rows: np.ndarray, n_numeric: int):
        self.rows = rows
        self.rows.setflags(write=False)
        self._weights = np.where(np.arange(rows.shape[1]) < n_numeric, 1.0, np.sqrt(0.5))
        self._scaled = rows * self._weights
        self._norms = np.einsum("nf,nf->n", self._scaled, self._scaled)
        self._indices = {row.tobytes(): index for index, row in enumerate(rows)}

    def __len__(self) -> int:
        return len(self.rows)

    def index(self, row: np.ndarray) -> int:
        """Index of a row (width,), which is one of the list up to rounding."""
        found = self._indices.get(row.tobytes())
        return int(np.argmin(self._squared_distances(row))) if found is None else found

    def around(self, row: np.ndarray, k: int) -> np.ndarray:
        """The k rows, or all if there are fewer, nearest to a row (width,) and different from it, nearest first."""
        distances = self._squared_distances(row)
        distances[self.index(row)] = np.inf
        k = min(k, len(self) - 1)
        nearest = np.argpartition(distances, k)[:k] if k < len(self) - 1 else np.argsort(distances, kind="stable")[:k]
        return self.rows[nearest[np.argsort(distances[nearest], kind="stable")]]

    def _squared_distances(self, row: np.ndarray) -> np.ndarray:
        scaled = row * self._weights
        return self._norms - 2.0 * (self._scaled @ scaled) + scaled @ scaled
