"""`Observations`: what a density-based optimizer has proposed and been told, and its best part."""

from __future__ import annotations

import math
from bisect import insort

from hpo_core.running.optimizer import Pending
from hpo_core.running.trial import Proposal


class Observations:
    """Rows 0, 1, ... of proposals in the order in which they were asked for, each with a loss once it is known.

    A row that is still pending, or whose trial failed, stands for an infinite loss: it belongs to the bad part.
    """

    def __init__(self) -> None:
        self._pending: Pending[int] = Pending()
        self._ranked: list[tuple[float, int]] = []  # finite losses with their rows, ascending
        self._n = 0

    def __len__(self) -> int:
        return self._n

    @property
    def n_finite(self) -> int:
        """Number of rows with a finite loss."""
        return len(self._ranked)

    def propose(self, proposal: Proposal) -> Proposal:
        """The proposal itself, now the last row."""
        self._pending.add(proposal, self._n)
        self._n += 1
        return proposal

    def tell(self, proposal: Proposal, loss: float) -> int:
        """Row of the proposal, whose loss is now known."""
        row = self._pending.take(proposal, loss)
        if loss < math.inf:
            insort(self._ranked, (float(loss), row))
        return row

    def best(self, n: int) -> list[int]:
        """The n rows of lowest loss, or as many as there are finite ones, in the order of the rows."""
        return sorted(row for _, row in self._ranked[:n])
