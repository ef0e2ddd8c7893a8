"""`Promotions`: the rungs of ASHA, for methods that grow the highest one or choose configurations by a model."""

from __future__ import annotations

from collections.abc import Sequence

from baselines.halving.asha import Rung
from hpo_core.space import Config


class Promotions:
    """Results at each rung, and what of them goes on (Li et al., 2018, algorithm 2).

    Parameters
    ----------
    budgets
        Of the rungs, ascending.
    eta
        The best 1 / eta of a rung go on.
    """

    def __init__(self, budgets: Sequence[float], eta: float):
        self.budgets = list(budgets)
        self._rungs = [Rung(budget, eta) for budget in budgets]

    def add(self, level: int, config: Config, loss: float) -> None:
        """Note a result at a rung."""
        self._rungs[level].add(config, loss)

    def promoted(self, highest: int) -> tuple[Config, int] | None:
        """A configuration that goes on and its next rung, which is at most `highest`, from there down; or None."""
        for level in range(highest, 0, -1):
            config = self._rungs[level - 1].promote()
            if config is not None:
                return config, level
        return None
