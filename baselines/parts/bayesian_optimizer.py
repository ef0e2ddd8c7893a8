"""`BayesianOptimizer`: random configurations first, then the rows of a function that looks at all losses so far."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from baselines.parts.history import History, Snapshot
from baselines.parts.requirements import count
from baselines.parts.sampling import unit_decoder
from baselines.parts.search.maximum import random_new_row
from hpo_core.running.trial import Proposal
from hpo_core.single_thread import single_threaded
from hpo_core.space import Space
from hpo_models.features import Features

Propose = Callable[[Snapshot, np.random.Generator], np.ndarray]  # row (width,)


class BayesianOptimizer:
    """An optimizer at the full budget.

    Parameters
    ----------
    space
        What is searched.
    propose
        `propose(snapshot, rng)` is the next row of features (width,); called once at least one loss is finite.
    n_initial
        Number of proposals before `propose` is called.
    seed
        Fixes everything that is random.
    name
        Shown by a `Run` and in messages.
    initial
        As `propose`, for the proposals before; random ones unless given.
    """

    def __init__(
        self, space: Space, propose: Propose, n_initial: int, seed: int, *, name: str, initial: Propose = random_new_row
    ):
        self.name = name
        self._propose, self._initial = propose, initial
        self._n_initial = count("n_initial", n_initial)
        self._rng = np.random.default_rng(seed)
        self._features = Features(space)
        self._decode = unit_decoder(space)
        self._history = History(self._features.width)
        self.n_random = 0

    @single_threaded
    def ask(self) -> Proposal:
        history, features = self._history, self._features
        ready = len(history) >= self._n_initial and history.n_finite > 0 and features.width > 0
        propose = self._propose if ready else self._initial
        self.n_random += propose is random_new_row
        row = propose(history.snapshot(features), self._rng)
        return history.propose(Proposal(self._decode(features.to_unit(row))), row)

    def tell(self, proposal: Proposal, loss: float, cost: float) -> None:
        self._history.tell(proposal, loss, cost)
