"""Random search by `Space.sample`, for spaces with a list: a small budget and the full one in turn."""

import numpy as np

from hpo_core import Proposal


class ListedSearch:
    def __init__(self, space, *, budgets=(1,), seed=0):
        self._space, self._rng = space, np.random.default_rng(seed)
        self._budgets = [budgets[min(1, len(budgets) - 1)], budgets[-1]]
        self._n = 0

    def ask(self):
        self._n += 1
        return Proposal(self._space.sample(self._rng), self._budgets[self._n % 2])

    def tell(self, proposal, loss, cost):
        pass
