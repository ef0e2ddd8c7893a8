"""Regularized evolution (Real et al., 2019, algorithm 1; Klein, 2020, app. D.3) [re].

The first P proposals are random. Each further one is a child of the winner of a tournament: S members of the
population drawn with replacement, the lowest loss wins. A child differs from its parent in one hyperparameter, which is
drawn uniformly among those with more than one value and takes another of its values, all equally likely; a float takes
a new uniform value on its scale, which the paper, about architectures, does not need. A child whose loss is told joins
the population, and the oldest member leaves once there are more than P.

In a space with conditions only hyperparameters that are active in the parent mutate. What the mutation switches off
leaves the child, and what it switches on takes a random value, drawn as in a random configuration. A child that is
forbidden is mutated again from the same parent, up to 100 times, and then replaced by a random configuration that is
allowed. In a space with a list the child is the configuration of the list that is nearest to the mutated parent and not
the parent itself.

With pending proposals the population is what has been told; the paper's parallel version works the same way.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from baselines.parts.requirements import count
from baselines.parts.sampling import decoder, first_allowed, random_codes, uniforms
from hpo_core.running.optimizer import Pending
from hpo_core.running.trial import Proposal
from hpo_core.space import Space
from hpo_core.space.activity import is_on
from hpo_core.space.hyperparameters import Float, Hyperparameter

Codes = list[Any]
Member = tuple[dict[str, Any], Codes]
Mutable = list[tuple[int, Hyperparameter]]


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
        self._limit = count("population", population)
        self._tournament = count("tournament", tournament)
        initial, later = np.random.default_rng(seed).spawn(2)
        self._random = random_codes(space, initial)
        self._uniforms = uniforms(later)
        self._space, self._plain = space, not space.conditions and space.listed is None
        self._decode = decoder(space)
        self._mutable: Mutable = [(j, h) for j, h in enumerate(space) if h.size > 1]
        self._members: deque[tuple[float, Codes]] = deque()  # oldest first
        self._pending: Pending[Codes] = Pending()
        self._asked = 0
        self.n_random = 0

    def ask(self) -> Proposal:
        self._asked += 1
        starting = self._asked <= self._limit or not self._members
        config, codes = self._random_member() if starting else self._next_child()
        return self._pending.add(Proposal(config), codes)

    def _next_child(self) -> Member:
        parent = self._winner()
        if not self._space.forbidden:
            return self._child(parent)
        return first_allowed(self._space, lambda: self._child(parent), self._random_member)

    def tell(self, proposal: Proposal, loss: float, cost: float) -> None:
        codes = self._pending.take(proposal, loss)
        self._members.append((loss, codes))
        if len(self._members) > self._limit:
            self._members.popleft()

    def _winner(self) -> Codes:
        members, n, uniform = self._members, len(self._members), self._uniforms
        drawn = [members[int(next(uniform) * n)] for _ in range(self._tournament)]
        return min(drawn, key=_loss)[1]

    def _random_member(self) -> Member:
        self.n_random += 1
        codes = next(self._random)
        return self._decode(codes), codes

    def _child(self, parent: Codes) -> Member:
        codes = self._mutated(parent, self._mutable) if self._plain else self._shaped(parent)
        return self._decode(codes), codes

    def _mutated(self, parent: Codes, mutable: Mutable) -> Codes:
        child = parent.copy()
        if mutable:
            j, h = mutable[int(next(self._uniforms) * len(mutable))]
            u = next(self._uniforms)
            if isinstance(h, Float):
                child[j] = h.draw(u)
            else:
                other = int(u * (h.size - 1))  # among the values without the parent's
                child[j] = other + (other >= parent[j])
        return child

    def _shaped(self, parent: Codes) -> Codes:
        """Child of a parent whose space has conditions or a list."""
        child = self._mutated(parent, [(j, h) for j, h in self._mutable if parent[j] == parent[j]])  # NaN: off
        self._switch(child)
        return child if self._space.listed is None else self._nearest(child, parent)

    def _switch(self, child: Codes) -> None:
        """Leave out what the conditions switch off, and draw what they switch on."""
        for j, (h, needed) in enumerate(zip(self._space, self._space.switches, strict=True)):
            if needed and not is_on(needed, child):
                child[j] = math.nan
            elif child[j] != child[j]:
                child[j] = h.code(h.draw(next(self._uniforms)))

    def _nearest(self, child: Codes, parent: Codes) -> Codes:
        """The configuration of the list that is nearest to a child, or the next one if that is the parent."""
        numbering: Any = self._space.numbering
        unit = self._space.to_unit(np.array([child], dtype=float))
        found, own = int(numbering.nearest(unit)[0]), numbering.index_of_codes(parent)
        if found == own and numbering.size > 1:
            found = next(int(index) for index in numbering.order(unit[0]) if index != own)
        return numbering.codes(found).tolist()


def _loss(member: tuple[float, Codes]) -> float:
    return member[0]
