"""`History`: what an optimizer has asked for and been told, and `Snapshot`, a view of it that no longer changes.

    row       features of a configuration (width,), in the order in which they were asked for
    loss      NaN while the trial is pending, infinite if it failed
    cost      seconds, NaN while the trial is pending
    level     index of the budget among those that the optimizer uses, 0 if there is one only
    key       what a row is recognised by: equal for numbers that differ by rounding alone

In `Snapshot.losses` a pending trial has the median of the finite losses (a constant liar, Ginsbourger et al., 2010) and
a failed one the worst.
"""

from __future__ import annotations

import math
from bisect import insort
from collections.abc import Set
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hpo_core.running.optimizer import InvalidLoss, Pending
from hpo_core.running.trial import Proposal
from hpo_models.features import Features

FIRST_CAPACITY = 64
WINDOW = 1000  # newest rows of which densities make their density of the bad ones, see docs/optimizers.md


def row_key(row: np.ndarray) -> bytes:
    """What a row of features (width,) is recognised by."""
    return row.round(9).tobytes()


@dataclass(frozen=True)
class Snapshot:
    """A history at one moment, which is all that a proposal may depend on.

    features    translation between configurations and rows
    rows        (n, width), read-only
    told        (n,) losses, NaN while pending and infinite if failed
    costs       (n,) seconds, NaN while pending
    levels      (n,) indices of budgets
    known       keys of rows with the levels that they were asked for at
    full        level of the full budget
    """

    features: Features
    rows: np.ndarray
    told: np.ndarray
    costs: np.ndarray
    levels: np.ndarray
    known: Set[tuple[bytes, int]]
    full: int = 0

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def losses(self) -> np.ndarray:
        """(n,) finite losses, with stand-ins for pending and failed trials; needs one that is finite."""
        finite = self.told[np.isfinite(self.told)]
        stand_in = np.where(np.isnan(self.told), np.median(finite), np.max(finite))
        return np.where(np.isfinite(self.told), self.told, stand_in)

    @property
    def best(self) -> np.ndarray:
        """Row (width,) of the lowest loss that was told; needs one that is finite."""
        return self.rows[int(np.nanargmin(np.where(np.isfinite(self.told), self.told, np.nan)))]

    def is_new(self, row: np.ndarray, level: int | None = None) -> bool:
        """Whether a row (width,) was not asked for yet at a level, the full one unless given."""
        return (row_key(row), self.full if level is None else level) not in self.known


class History:
    """Rows 0, 1... of proposals, with their losses once these are told.

    `width` is the number of columns of a row, `full` the level of the full budget.
    """

    def __init__(self, width: int, full: int = 0):
        self.full = full
        self._rows = np.empty((FIRST_CAPACITY, width))
        self._losses, self._costs = np.full((2, FIRST_CAPACITY), np.nan)
        self._levels = np.zeros(FIRST_CAPACITY, dtype=int)
        self._n = 0
        self._pending: Pending[int] = Pending()
        self._ranked: list[tuple[float, int]] = []  # finite losses with their indices, ascending
        self._known: set[tuple[bytes, int]] = set()
        self._n_keyed = 0  # rows whose keys are known; a key takes longer than everything else in `propose`

    def __len__(self) -> int:
        return self._n

    @property
    def n_finite(self) -> int:
        """Number of rows with a finite loss."""
        return len(self._ranked)

    @property
    def lowest(self) -> float:
        """Lowest loss that was told, infinite before any finite one."""
        return self._ranked[0][0] if self._ranked else math.inf

    @property
    def rows(self) -> np.ndarray:
        """(n, width) view of all rows."""
        return self._rows[: self._n]

    def propose(self, proposal: Proposal, row: np.ndarray, level: int = 0) -> Proposal:
        """The proposal itself, now pending; its row (width,) is the last one."""
        self._pending.add(proposal, self._append(row, level))
        return proposal

    def tell(self, proposal: Proposal, loss: float, cost: float) -> int:
        """Index of the proposal, whose loss is now known."""
        index = self._pending.take(proposal, loss)
        self._note(index, loss, cost)
        return index

    def observe(self, row: np.ndarray, loss: float, cost: float = 0.0, level: int = 0) -> int:
        """Index of a row whose loss is known at once, for optimizers whose schedule knows what is pending.

        Parameters
        ----------
        row
            (width,) features.
        loss
            Infinite if the trial failed.
        cost
            Seconds.
        level
            Index of the budget.

        Returns
        -------
        int
            Index of the row.
        """
        index = self._append(row, level)
        self._note(index, loss, cost)
        return index

    def forget(self, index: int) -> None:
        """Let the configuration of a row be proposed again."""
        self._update_known()
        self._known.discard((row_key(self._rows[index]), int(self._levels[index])))

    def best(self, n: int) -> list[int]:
        """Indices of the n lowest losses, or of all finite ones if there are fewer, ascending."""
        return sorted(index for _, index in self._ranked[:n])

    def snapshot(self, features: Features) -> Snapshot:
        """What a proposal works from; `features` are those that made the rows."""
        self._update_known()
        rows = self._rows[: self._n]
        rows.flags.writeable = False
        n = self._n
        columns = self._losses[:n].copy(), self._costs[:n].copy(), self._levels[:n].copy()
        return Snapshot(features, rows, *columns, frozenset(self._known), self.full)

    def _append(self, row: np.ndarray, level: int) -> int:
        index = self._n
        if index == len(self._rows):
            self._rows = np.concatenate([self._rows, np.empty_like(self._rows)])
            self._losses = np.concatenate([self._losses, np.full(index, np.nan)])
            self._costs = np.concatenate([self._costs, np.full(index, np.nan)])
            self._levels = np.concatenate([self._levels, np.zeros(index, dtype=int)])
        self._rows[index] = row
        self._levels[index] = level
        self._n += 1
        return index

    def _note(self, index: int, loss: float, cost: float) -> None:
        self._losses[index], self._costs[index] = loss, self._valid_cost(cost)
        if loss < math.inf:
            insort(self._ranked, (float(loss), index))

    @staticmethod
    def _valid_cost(cost: float) -> float:
        try:
            return max(float(cost), 0.0)
        except (TypeError, ValueError, OverflowError):
            raise InvalidLoss(f"a cost must be a number of seconds, got {cost!r:.60}") from None

    def _update_known(self) -> None:
        for index in range(self._n_keyed, self._n):
            self._known.add((row_key(self._rows[index]), int(self._levels[index])))
        self._n_keyed = self._n
