"""Random search (Bergstra and Bengio, 2012): independent draws, with replacement on a finite space [rs]."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from baselines.parts.sampling import random_configs
from hpo_core.running.optimizer import Pending
from hpo_core.running.trial import Proposal
from hpo_core.space import Space


class RandomSearch:
    """Random configurations at the full budget, from any space."""

    name = "rs"

    def __init__(self, space: Space, *, budgets: Sequence[float] = (1,), seed: int = 0):
        self._configs = random_configs(space, np.random.default_rng(seed))
        self._pending: Pending[None] = Pending()

    def ask(self) -> Proposal:
        return self._pending.add(Proposal(next(self._configs)), None)

    def tell(self, proposal: Proposal, loss: float, cost: float) -> None:
        self._pending.take(proposal, loss)
