"""Regularized evolution (Real et al., 2019, algorithm 1; Klein, 2020, app. D.3) [re].

The first P proposals are random. Each further one is a child of the winner of a tournament: S members of the
population drawn with replacement, the lowest loss wins. A child differs from its parent in one hyperparameter, which is
drawn uniformly among those with more than one value and takes another of its values, all equally likely; a float takes
a new uniform value on its scale, which the paper, about architectures, does not need. A child whose loss is told joins
the population, and the oldest member leaves once there are more than P.

With pending proposals the population is what has been told; the paper's parallel version works the same way.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from baselines.parts.requirements import count, without_conditions
from baselines.parts.sampling import decoder, random_codes, uniforms
from hpo_core.running.optimizer import Pending
from hpo_core.running.trial import Proposal
from hpo_core.space import Space
from hpo_core.space.hyperparameters import Float

Codes = list[Any]


class RegularizedEvolution:
    """Evolution in which the oldest member dies, at the full budget.

    Parameters
    ----------
    space, budgets, seed
        As in `baselines.optimizer`.
    population
        P.
    tournament
        S.
    """

    name = "re"

    def __init__(
        self,
        space: Space,
        *,
        budgets: Sequence[float] = (1,),
        seed: int = 0,
        population: int = 100,
        tournament: int = 10,
    ):
        without_conditions(space, self.name)
        self._limit = count("population", population)
        self._tournament = count("tournament", tournament)
        initial, later = np.random.default_rng(seed).spawn(2)
        self._random = random_codes(space, initial)
        self._uniforms = uniforms(later)
        self._decode = decoder(space)
        self._mutable = [(j, h) for j, h in enumerate(space) if h.size > 1]
        self._members: deque[tuple[float, Codes]] = deque()  # oldest first
        self._pending: Pending[Codes] = Pending()
        self._asked = 0
        self.n_random = 0

    def ask(self) -> Proposal:
        self._asked += 1
        starting = self._asked <= self._limit or not self._members
        self.n_random += starting
        codes = next(self._random) if starting else self._mutated(self._winner())
        return self._pending.add(Proposal(self._decode(codes)), codes)

    def tell(self, proposal: Proposal, loss: float, cost: float) -> None:
        codes = self._pending.take(proposal, loss)
        self._members.append((loss, codes))
        if len(self._members) > self._limit:
            self._members.popleft()

    def _winner(self) -> Codes:
        members, n, uniform = self._members, len(self._members), self._uniforms
        drawn = [members[int(next(uniform) * n)] for _ in range(self._tournament)]
        return min(drawn, key=_loss)[1]

    def _mutated(self, parent: Codes) -> Codes:
        child = parent.copy()
        if self._mutable:
            j, h = self._mutable[int(next(self._uniforms) * len(self._mutable))]
            u = next(self._uniforms)
            if isinstance(h, Float):
                child[j] = h.draw(u)
            else:
                other = int(u * (h.size - 1))  # among the values without the parent's
                child[j] = other + (other >= parent[j])
        return child


def _loss(member: tuple[float, Codes]) -> float:
    return member[0]
