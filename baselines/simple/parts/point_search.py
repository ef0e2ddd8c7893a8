"""`PointSearch`: configurations at points of the unit cube that cover it more evenly than random ones.

They are what random search makes of random numbers, made of these points: a categorical takes its values by their
weights, what is switched off is left out, and of a list the first coordinate picks one. What is forbidden is passed
over. On a finite space a configuration may come again, as with random search.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from baselines.parts.sampling import decoder
from hpo_core.running.optimizer import Pending
from hpo_core.running.trial import Proposal
from hpo_core.space import Space
from hpo_core.space.drawing import TRIES, all_forbidden, codes_at


class PointSearch:
    """An optimizer at the full budget that does not look at the losses.

    Parameters
    ----------
    space
        What is searched.
    blocks
        Arrays (n, d) of points, without end.
    name
        Of the optimizer.
    """

    def __init__(self, space: Space, blocks: Iterable[np.ndarray], name: str):
        self.name = name
        self._configs = _configs(space, blocks)
        self._pending: Pending[None] = Pending()

    def ask(self) -> Proposal:
        return self._pending.add(Proposal(next(self._configs)), None)

    def tell(self, proposal: Proposal, loss: float, cost: float) -> None:
        self._pending.take(proposal, loss)


def _configs(space: Space, blocks: Iterable[np.ndarray]) -> Iterator[dict[str, Any]]:
    decode, n_in_vain = decoder(space), 0
    for points in blocks:
        codes = codes_at(space, points)
        if space.forbidden:
            codes = codes[space.allowed(codes)]
            n_in_vain = 0 if len(codes) else n_in_vain + len(points)
        if n_in_vain >= TRIES:
            raise all_forbidden(space)
        yield from map(decode, codes.tolist())
