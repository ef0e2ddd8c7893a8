"""`CostAwareOptimizer`: an optimizer that chooses the budget of each evaluation, for `fabolas`, `mtbo` and `boca`.

The initial design is random, and goes on while all losses are equal, up to four times its length: on `svm-subsets` more
than half of the configurations are as bad as guessing, and from equal losses a model would learn that budgets are
unrelated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from baselines.parts.history import History, Snapshot
from baselines.parts.information_per_cost import Choice
from baselines.parts.requirements import count
from baselines.parts.sampling import unit_decoder
from baselines.parts.search.maximum import random_new_row
from hpo_core.running.trial import Proposal
from hpo_core.single_thread import single_threaded
from hpo_core.space import Config, Space
from hpo_models.features import Features

PATIENCE = 4  # times the initial design

Choose = Callable[[Snapshot, float, np.random.Generator], Choice]


class CostAwareOptimizer:
    """An optimizer that evaluates at some budgets.

    `sizes` are the budgets, and `incumbent` is the configuration of the lowest predicted loss at the full budget, by
    the last proposal of the model; None before.

    Parameters
    ----------
    space
        What is searched.
    sizes
        Budgets, ascending; the last is the full one. Proposals at a single one have the budget None.
    choose
        `choose(snapshot, spent, rng)` is the next row and level; `spent` are the seconds told for smaller budgets since
        the last proposal at the full one, without those of the initial design.
    design
        Levels of the initial design, taken in turn.
    n_initial
        Length of the initial design.
    seed
        Fixes everything that is random.
    name
        Shown by a `Run` and in messages.
    informed
        Whether the model knows enough from elsewhere to do without the initial design.
    """

    def __init__(
        self,
        space: Space,
        sizes: Sequence[float],
        choose: Choose,
        *,
        design: Sequence[int],
        n_initial: int,
        seed: int,
        name: str,
        informed: bool = False,
    ):
        self.name = name
        self.sizes = list(sizes)
        self.incumbent: Config | None = None
        self._choose, self._design, self._informed = choose, list(design), informed
        self._n_initial = count("n_initial", n_initial)
        self._rng = np.random.default_rng(seed)
        self._features = Features(space)
        self._decode = unit_decoder(space)
        self._history = History(self._features.width, full=len(self.sizes) - 1)
        self._spent = 0.0
        self.n_random = 0

    @single_threaded
    def ask(self) -> Proposal:
        snapshot = self._history.snapshot(self._features)
        if self._features.width and (self._informed or self._ready(snapshot)):
            row, level, incumbent = self._choose(snapshot, self._spent, self._rng)
            self.incumbent = self._config(incumbent)
        else:
            self.n_random += 1
            row, level = random_new_row(snapshot, self._rng), self._design[len(snapshot) % len(self._design)]
        if level == snapshot.full:
            self._spent = 0.0
        budget = self.sizes[level] if snapshot.full > 0 else None
        return self._history.propose(Proposal(self._config(row), budget), row, level)

    def tell(self, proposal: Proposal, loss: float, cost: float) -> None:
        index = self._history.tell(proposal, loss, cost)
        if proposal.budget is not None and proposal.budget < self.sizes[-1] and index >= self._n_initial:
            self._spent += max(cost, 0.0)

    def _config(self, row: np.ndarray) -> Config:
        return self._decode(self._features.to_unit(row))

    def _ready(self, snapshot: Snapshot) -> bool:
        finite = snapshot.told[np.isfinite(snapshot.told)]
        if not len(finite):
            return False
        return len(snapshot) >= self._n_initial * (1 if finite.min() < finite.max() else PATIENCE)
