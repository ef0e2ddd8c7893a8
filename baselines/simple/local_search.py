"""Local search with restarts (White et al., 2021, algorithm 1) [local-search].

A random configuration, then all its neighbours (`hpo_core.space.neighbourhood`); the best of them is next if it is
better, and so on until no neighbour is better: a local optimum. Then it begins again somewhere else. A float has four
random neighbours, which are drawn anew for each configuration, so an optimum is one up to such steps.

No configuration is evaluated twice as long as there are others: the loss of a neighbour that is known counts as it is.
With several workers the neighbours are evaluated side by side; while their last results are missing the others wait.
The loss of a failed trial is infinite, so no step leads to it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from baselines.parts.sampling import TRIES, random_configs
from hpo_core.running.optimizer import Pending
from hpo_core.running.trial import Proposal
from hpo_core.space import Space

Config = dict[str, Any]
Key = tuple[float, ...]


class LocalSearch:
    """Best improvement over one-step neighbourhoods, at the full budget.

    `optima` are the local optima found so far, each with its loss.

    Parameters
    ----------
    space, budgets, seed
        As in `baselines.optimizer`.

    Examples
    --------
    >>> from hpo_core import run
    >>> bool(run("nb201-cifar10", "local-search", n_trials=150, seed=0).best.loss < 0.1)
    True
    """

    name = "local-search"

    def __init__(self, space: Space, *, budgets: Sequence[float] = (1,), seed: int = 0):
        self._space = space
        starts, self._rng = np.random.default_rng(seed).spawn(2)
        self._starts = random_configs(space, starts)
        self._losses: dict[Key, float] = {}  # of all that was asked for, NaN while pending
        self._pending: Pending[Key] = Pending()
        self.optima: list[tuple[Config, float]] = []
        self.n_random = 0
        self._begin()

    def ask(self) -> Proposal | None:
        if not self._queue:
            if len(self._pending):
                return None
            self._move()
        config = self._queue.pop()
        self._losses[self._key(config)] = math.nan
        return self._pending.add(Proposal(config), self._key(config))

    def tell(self, proposal: Proposal, loss: float, cost: float) -> None:
        self._losses[self._pending.take(proposal, loss)] = loss

    def _begin(self) -> None:
        """Start from a random configuration, one that is not known unless all of some draws are."""
        for _ in range(TRIES):
            start = next(self._starts)
            if self._key(start) not in self._losses:
                break
        self.n_random += 1
        self._centre: Config = start
        self._around: list[Config] = []  # its neighbours, once its loss is known
        self._queue: list[Config] = [start]  # not asked for yet

    def _move(self) -> None:
        """Go to the best neighbours, until some of them are not known yet or there is no better one; all are told."""
        while not self._queue:
            best = min([self._centre, *self._around], key=self._loss)  # the centre itself if none is better
            at_optimum = bool(self._around) and best is self._centre
            self._centre = best
            if not at_optimum:
                self._around = self._neighbours(best)
                unknown = [config for config in self._around if self._key(config) not in self._losses]
                self._queue = [unknown[i] for i in self._rng.permutation(len(unknown))]
            if at_optimum or not self._around:
                self.optima.append((best, self._loss(best)))
                self._begin()

    def _neighbours(self, config: Config) -> list[Config]:
        """Neighbours, each once: the steps of a float may end at the same bound."""
        return list({self._key(other): other for other in self._space.neighbours(config, self._rng)}.values())

    def _loss(self, config: Config) -> float:
        return self._losses[self._key(config)]

    def _key(self, config: Config) -> Key:
        return tuple(self._space.codes_of(config))
