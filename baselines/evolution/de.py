"""Differential evolution, rand/1/bin (Storn and Price, 1997) [de].

Settings as in Klein (2020, section 8.4 and app. E.5). The population lives in the unit cube; an evaluation rounds a
member to the configuration whose cell it lies in. For member i in turn, with a, b, c three other members drawn without
replacement:

    v = a + F (b - c)                               mutation
    u_j = v_j with probability CR, else x_ij        crossover; one j drawn at random is always taken from v
    x_i = u if loss(u) <= loss(x_i)                 selection

A coordinate of v outside [0, 1] is drawn again, uniformly; the papers do not say what to do with it.

A hyperparameter that the conditions of a space switch off keeps its coordinate, which is inherited, crossed over and
mutated as the others are and has no effect while it is off. A child that is forbidden is made again, up to 100 times,
and then replaced by a random configuration that is allowed. In a space with a list the configuration of a member is the
nearest one of the list, and several members may have the same.

Selection is asynchronous: u replaces member i as it is when the loss of u is told. Members that are not told yet
take no part, and while fewer than four are told the proposals are random, and compete for the next index.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from baselines.parts.requirements import count, number
from baselines.parts.sampling import first_allowed, random_points, uniforms, unit_decoder
from hpo_core.running.optimizer import Pending
from hpo_core.running.trial import Proposal
from hpo_core.space import Space

FEWEST = 4  # a member and three others


class DifferentialEvolution:
    """Differential evolution at the full budget.

    `members` are those that were told: their losses and points of the unit cube, by index.

    Parameters
    ----------
    space, budgets, seed
        As in `baselines.optimizer`.
    population
        Number of members.
    mutation
        F.
    crossover
        CR.
    """

    name = "de"

    def __init__(
        self,
        space: Space,
        *,
        budgets: Sequence[float] = (1,),
        seed: int = 0,
        population: int = 10,
        mutation: float = 0.5,
        crossover: float = 0.5,
    ):
        self._size = count("population", population, least=FEWEST)
        self._mutation = number("mutation", mutation, 0.0, 2.0)
        self._crossover = number("crossover", crossover, 0.0, 1.0)
        rng = np.random.default_rng(seed)
        self._uniforms = uniforms(rng)
        self._space, self._d = space, len(space)
        self._decode = unit_decoder(space)
        self._random = random_points(space, *rng.spawn(1))
        self._stated = space.prior is not None or space.first is not None  # where the user wants it to begin
        self.members: dict[int, tuple[float, list[float]]] = {}
        self._pending: Pending[tuple[int, list[float]]] = Pending()
        self._asked = 0
        self.n_random = 0

    def ask(self) -> Proposal:
        index = self._asked % self._size
        starting = self._asked < self._size or len(self.members) < FEWEST or index not in self.members
        self._asked += 1
        self.n_random += starting
        config, point = (self._allowed if self._space.forbidden else self._made)(starting, index)
        return self._pending.add(Proposal(config), (index, point))

    def _made(self, starting: bool, index: int) -> tuple[dict[str, Any], list[float]]:
        if starting and self._stated:
            return next(self._random)
        point = [next(self._uniforms) for _ in range(self._d)] if starting else self._offspring(index)
        return self._decode(point), point

    def _allowed(self, starting: bool, index: int) -> tuple[dict[str, Any], list[float]]:
        def redrawn() -> tuple[dict[str, Any], list[float]]:
            self.n_random += not starting
            return next(self._random)

        return first_allowed(self._space, lambda: self._made(starting, index), redrawn)

    def tell(self, proposal: Proposal, loss: float, cost: float) -> None:
        index, point = self._pending.take(proposal, loss)
        if loss <= self.members.get(index, (math.inf,))[0]:
            self.members[index] = (loss, point)

    def _offspring(self, index: int) -> list[float]:
        uniform = self._uniforms
        others = [point for i, (_, point) in self.members.items() if i != index]
        a, b, c = (others.pop(int(next(uniform) * len(others))) for _ in range(3))
        always = int(next(uniform) * self._d)
        child = []
        for j, old in enumerate(self.members[index][1]):
            if j == always or next(uniform) < self._crossover:
                new = a[j] + self._mutation * (b[j] - c[j])
                child.append(new if 0.0 <= new <= 1.0 else next(uniform))
            else:
                child.append(old)
        return child
