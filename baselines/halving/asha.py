"""Asynchronous successive halving, ASHA (Li et al., 2018, algorithm 2) [asha].

A free worker continues a configuration as soon as it is among the best 1 / eta of the results of its rung, from the
highest rung down; if there is none, it starts a random configuration at the lowest rung. Nothing ever waits.

A configuration that failed counts in its rung but is never continued.
"""

from __future__ import annotations

import heapq
import math
from bisect import bisect_left, insort
from collections.abc import Sequence

import numpy as np

from baselines.parts.rungs import rungs
from baselines.parts.sampling import random_configs
from hpo_core.running.optimizer import Pending
from hpo_core.running.trial import Proposal
from hpo_core.space import Config, Space


class ASHA:
    """Asynchronous successive halving of random configurations, any space.

    Parameters
    ----------
    space, budgets, seed
        As in `baselines.optimizer`.
    eta
        The best 1 / eta of a rung go on to the next one, whose budget is eta times as large.
    min_budget
        The lowest budget, the smallest available one unless given.
    """

    name = "asha"

    def __init__(
        self,
        space: Space,
        *,
        budgets: Sequence[float] = (1,),
        seed: int = 0,
        eta: float = 3,
        min_budget: float | None = None,
    ):
        self._rungs = [Rung(budget, eta) for budget in rungs(budgets, eta, min_budget)]
        self._configs = random_configs(space, np.random.default_rng(seed))
        self._pending: Pending[int] = Pending()

    def ask(self) -> Proposal:
        for level in range(len(self._rungs) - 1, 0, -1):
            config = self._rungs[level - 1].promote()
            if config is not None:
                return self._propose(config, level)
        return self._propose(next(self._configs), 0)

    def _propose(self, config: Config, level: int) -> Proposal:
        return self._pending.add(Proposal(dict(config), self._rungs[level].budget), level)

    def tell(self, proposal: Proposal, loss: float, cost: float) -> None:
        level = self._pending.take(proposal, loss)
        self._rungs[level].add(proposal.config, loss)


class Rung:
    """Results at one budget, and which of them may be continued."""

    def __init__(self, budget: float, eta: float):
        self.budget = budget
        self._eta = eta
        self._ranked: list[tuple[float, int]] = []  # loss and index in the order of arrival, ascending
        self._candidates: list[tuple[float, int, Config]] = []  # heap of those not continued yet

    def add(self, config: Config, loss: float) -> None:
        """Note a result."""
        index = len(self._ranked)
        insort(self._ranked, (loss, index))
        if loss < math.inf:
            heapq.heappush(self._candidates, (loss, index, config))

    def promote(self) -> Config | None:
        """The best configuration not continued yet, if it is among the best 1 / eta, and from now on continued."""
        if not self._candidates:
            return None
        loss, index, config = self._candidates[0]
        if bisect_left(self._ranked, (loss, index)) >= int(len(self._ranked) / self._eta):
            return None
        heapq.heappop(self._candidates)
        return config
