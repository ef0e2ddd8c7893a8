"""Draws from a density among the configurations of a list, for spaces that have no others.

Beforehand all configurations of a list are equally likely. The weight of one is therefore the ratio of its density to
that of the prior on the box: a list that was drawn from the prior is as dense as the prior there. Those that were
proposed are not drawn again as long as there are others: the best of them have the highest density.
"""

from __future__ import annotations

import numpy as np

from hpo_models.densities.kde import ProductKde
from hpo_models.listed_rows import ListedRows


class IndexDraws:
    """Draws of indices 0..n-1."""

    def __init__(self, n: int):
        self._proposed = np.zeros(n, dtype=bool)

    def note(self, index: int) -> None:
        """Do not draw an index again while there are others."""
        self._proposed[index] = True

    def draw(self, rng: np.random.Generator, n: int, log_weights: np.ndarray) -> np.ndarray:
        """(n,) indices, drawn with replacement."""
        new = np.flatnonzero(~self._proposed)
        if not len(new):
            new = np.arange(len(self._proposed))
        weights = np.exp(log_weights[new] - log_weights[new].max())
        return rng.choice(new, n, p=weights / weights.sum())


class ListedDraws:
    """Draws of the rows of a list; all are equally likely before `weigh`."""

    def __init__(self, listed: ListedRows):
        self._listed = listed
        self._indices = IndexDraws(len(listed))
        self._log_weights = np.zeros(len(listed))

    def note(self, row: np.ndarray) -> None:
        """Do not draw a row (width,) again while there are others."""
        self._indices.note(self._listed.index(row))

    def weigh(self, density: ProductKde) -> None:
        """Draw from this density from now on."""
        rows, features = self._listed.rows, density.features
        self._log_weights = density.log_density(rows) - (features.present(rows) * rows) @ features.log_prior

    def draw(self, rng: np.random.Generator, n: int) -> np.ndarray:
        """(n, width) rows, drawn with replacement."""
        return self._listed.rows[self._indices.draw(rng, n, self._log_weights)]

    def draw_uniformly(self, rng: np.random.Generator) -> np.ndarray:
        """Row (width,), all equally likely."""
        return self._listed.rows[self._indices.draw(rng, 1, np.zeros(len(self._listed)))[0]]
