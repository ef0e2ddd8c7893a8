"""Grid search: every configuration once, in the order of the space, and then nothing more [grid].

The last hyperparameter changes fastest, so a run that is shorter than the grid sees one corner of the space only. What
conditions switch off takes no values, what is forbidden is passed over, and a list is gone through as it is.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from baselines.parts.requirements import count
from hpo_core.running.optimizer import Pending
from hpo_core.running.trial import Proposal
from hpo_core.space import Space
from hpo_core.space.grid import combinations, values_of
from hpo_core.space.hyperparameters import Float, Hyperparameter, Value


class GridSearch:
    """Every configuration of a grid at the full budget; any space, and the seed changes nothing.

    Parameters
    ----------
    space, budgets, seed
        As in `baselines.optimizer`.
    resolution
        Number of values that a float takes, evenly spaced on its scale, both ends included.
    """

    name = "grid"

    def __init__(self, space: Space, *, budgets: Sequence[float] = (1,), seed: int = 0, resolution: int = 10):
        count("resolution", resolution, least=2)
        values = [_values(h, resolution) for h in space]
        self._configs = combinations(space, values) if space.listed is None else space.configs()
        self._pending: Pending[None] = Pending()

    def ask(self) -> Proposal | None:
        config = next(self._configs, None)
        return None if config is None else self._pending.add(Proposal(config), None)

    def tell(self, proposal: Proposal, loss: float, cost: float) -> None:
        self._pending.take(proposal, loss)


def _values(h: Hyperparameter, resolution: int) -> Sequence[Value]:
    if not isinstance(h, Float):
        return values_of(h)
    return list(dict.fromkeys(h.from_unit(np.linspace(0.0, 1.0, resolution)).tolist()))
