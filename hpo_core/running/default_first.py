"""`DefaultFirst`: any optimizer, whose first proposal is a configuration that the user believes in.

That is the mode of the space's prior, or without a prior the configuration of its defaults. The optimizer is built on a
space that starts with it (`Space.starting_with`). Where it then proposes it by itself, at whatever budget it begins
with, it is told the loss as of any other proposal. One that has no random configurations to begin with, such as a grid
or another library, does not: then the wrapper proposes the configuration at the full budget and keeps the result to
itself, and the optimizer's own first proposal comes second.
"""

from __future__ import annotations

import numpy as np

from hpo_core.running.optimizer import Optimizer, Pending, UnknownProposal
from hpo_core.running.trial import Proposal
from hpo_core.space import Config, Space

VERSION = "default first 1"
ROUNDING = 1e-9  # in the unit cube


def starting_space(space: Space) -> Space:
    """The space that starts with the mode of its prior, or with its defaults; raises `InvalidPrior` if it cannot."""
    from hpo_core.space.priors.prior import default_of

    return space.starting_with(default_of(space))


class DefaultFirst:
    """An optimizer on a space that starts with a configuration; `informed` says whether it is told of it.

    `informed` is None before the first proposal. `name` and `n_random` are those of the optimizer.
    """

    def __init__(self, optimizer: Optimizer, space: Space):
        self._optimizer, self._space = optimizer, space
        self._first: Config = space.first or {}
        self._held: Proposal | None = None  # of the optimizer, to be handed out next
        self._mine: Proposal | None = None  # pending, and unknown to the optimizer
        self._own: Pending[None] = Pending()
        self.informed: bool | None = None
        inner = getattr(optimizer, "version", None)
        # said by the object, so that a leaderboard adds it to the digest of the optimizer's own code
        self.version = f"{inner}, {VERSION}" if isinstance(inner, str) else VERSION
        self.name = getattr(optimizer, "name", type(optimizer).__name__)

    @property
    def n_random(self) -> int | None:
        """How many proposals were random; the first one counts, since it does not look at any loss."""
        inner = getattr(self._optimizer, "n_random", None)
        return inner + 1 if isinstance(inner, int) and self.informed is False else inner

    def ask(self) -> Proposal | None:
        if self.informed is None:
            proposal = self._optimizer.ask()
            self.informed = proposal is not None and self._is_first(proposal)
            if not self.informed:
                self._held = proposal
                self._mine = self._own.add(Proposal(dict(self._first)), None)
                return self._mine
            return proposal
        held, self._held = self._held, None
        return self._optimizer.ask() if held is None else held

    def _is_first(self, proposal: Proposal) -> bool:
        """Whether it is the configuration, up to the digits that a way through the unit cube takes."""
        first, other = (self._space.to_unit(self._space.encode(config)) for config in (self._first, proposal.config))
        return bool(np.allclose(first, other, rtol=0.0, atol=ROUNDING, equal_nan=True))

    def tell(self, proposal: Proposal, loss: float, cost: float) -> None:
        if proposal is self._mine:
            self._take(proposal, loss)
            return
        try:
            self._optimizer.tell(proposal, loss, cost)
        except UnknownProposal:
            if proposal != self._mine:
                raise
            self._take(proposal, loss)  # after a trip through another process

    def _take(self, proposal: Proposal, loss: float) -> None:
        self._own.take(proposal, loss)
        self._mine = None
