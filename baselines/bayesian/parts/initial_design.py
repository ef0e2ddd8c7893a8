"""`InitialDesign`: the first rows of an optimizer, at points that cover the unit cube evenly."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from baselines.parts.history import Snapshot
from baselines.parts.search.maximum import random_new_row


class InitialDesign:
    """Rows of some points one after the other, those that are new and allowed, then random ones.

    Parameters
    ----------
    points
        `points(rng)` are (n, d) points of the unit cube; called at the first proposal.
    """

    def __init__(self, points: Callable[[np.random.Generator], np.ndarray]):
        self._points = points
        self._rows: Iterator[np.ndarray] = iter(())
        self._begun = False

    def propose(self, snapshot: Snapshot, rng: np.random.Generator) -> np.ndarray:
        """Row (width,) to evaluate next."""
        if not self._begun:
            features, self._begun = snapshot.features, True
            self._rows = iter(features.candidates(features.from_unit(self._points(rng))))
        row = next((row for row in self._rows if snapshot.is_new(row)), None)
        return random_new_row(snapshot, rng) if row is None else row
