"""DEHB: differential evolution in the rungs of Hyperband (Awad et al., 2021) [dehb].

    P_b     members evaluated at budget b: points of the unit cube with their losses, as many as the widest rung of
            Hyperband has at b
    F, CR   0.5 both, the paper's settings; eta is 3

The rungs and their sizes are those of Hyperband. The first run of successive halving (a bracket) is that of Hyperband:
random configurations, of which the best go on. In the brackets of the first round the rungs above the first one
continue the best members of the rung below that are not yet in P_b, since P_b is not full. From the second
round on every rung evolves (the paper's modified successive halving). Member i of P_b in turn is the target x_i:

    parents     the best of the population at the next lower budget, as many as the rung has evaluations; in the first
                rung of a bracket the best of P_b itself. Fewer than three are filled up from all populations
    v           a + F (b - c), with parents a, b, c drawn without replacement                       rand/1
    u_j         v_j with probability CR, else x_ij; one j drawn at random is always taken from v    bin
    x_i         u if its loss at budget b is not above that of x_i                                  selection

A coordinate of v outside [0, 1] is drawn again, uniformly, as in the authors' code.

Departures: selection is asynchronous, when the loss of u is told, and a member without a loss is no parent, where the
authors' code has random points without losses among them. A free worker takes the oldest bracket that does not wait for
a rung to end, and begins another one if all wait, as there. A failed trial counts in its rung; too few members to go on
are made up for by offspring. Conditions, forbidden clauses and lists are handled as in `de`.

Examples
--------
>>> from hpo_core import run
>>> r = run("mini-wine", "dehb", n_trials=121, seed=0)
>>> [sum(trial.budget == rung for trial in r.trials) for rung in (1, 4, 11, 33, 100)]  # the first bracket
[81, 27, 9, 3, 1]
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import cycle
from typing import Any

import numpy as np

from baselines.halving.hyperband import brackets
from baselines.halving.sh import Stages
from baselines.parts.requirements import number
from baselines.parts.sampling import first_allowed, random_points, uniforms, unit_decoder
from hpo_core.running.optimizer import Pending
from hpo_core.running.trial import Proposal
from hpo_core.space import Space

Point = list[float]
PARENTS = 3


class DEHB:
    """Hyperband whose later configurations come from differential evolution; any space.

    Parameters
    ----------
    space, budgets, seed
        As in `baselines.optimizer`.
    eta, min_budget
        As in `Hyperband`.
    mutation
        F.
    crossover
        CR.
    """

    name = "dehb"

    def __init__(
        self,
        space: Space,
        *,
        budgets: Sequence[float] = (1,),
        seed: int = 0,
        eta: float = 3,
        min_budget: float | None = None,
        mutation: float = 0.5,
        crossover: float = 0.5,
    ):
        self._mutation = number("mutation", mutation, 0.0, 2.0)
        self._crossover = number("crossover", crossover, 0.0, 1.0)
        rng = np.random.default_rng(seed)
        self._space, self._decode = space, unit_decoder(space)
        self._uniforms = uniforms(rng)
        self._random = random_points(space, *rng.spawn(1))
        plans = brackets(budgets, eta, min_budget)
        self._plans, self._n_first = cycle(plans), len(plans)
        sizes: dict[float, int] = {}
        for n, budget in (stage for plan in plans for stage in plan):
            sizes[budget] = max(n, sizes.get(budget, 0))
        self.populations = {budget: Population(n) for budget, n in sorted(sizes.items())}
        self._open: list[Bracket] = []
        self._n_begun = 0
        self._pending: Pending[tuple[Bracket, int, Point]] = Pending()
        self.n_random = 0

    def ask(self) -> Proposal:
        bracket = next((bracket for bracket in self._open if bracket.waiting), None) or self._begin()
        slot = self.populations[bracket.budget].next_target()
        config, point = self._individual(bracket, slot)
        bracket.n_started += 1
        return self._pending.add(Proposal(config, bracket.budget), (bracket, slot, point))

    def tell(self, proposal: Proposal, loss: float, cost: float) -> None:
        bracket, slot, point = self._pending.take(proposal, loss)
        self.populations[bracket.budget].compete(slot, float(loss), point)
        bracket.report()
        if bracket.finished:
            self._open.remove(bracket)

    def _begin(self) -> Bracket:
        bracket = Bracket(next(self._plans), self._n_begun)
        self._open.append(bracket)
        self._n_begun += 1
        return bracket

    def _individual(self, bracket: Bracket, slot: int) -> tuple[dict[str, Any], Point]:
        """Configuration and point of the next evaluation of a bracket."""
        if bracket.number < self._n_first and bracket.stage > 0:
            if bracket.n_started == 0:
                bracket.promoted = self._promotions(bracket)
            if bracket.promoted:
                point = bracket.promoted.popleft()
                return self._decode(point), point
        if bracket.number == 0 and bracket.stage == 0:
            return self._randomly()
        parents = self._parents(bracket)
        members = self.populations[bracket.budget].members

        def evolved() -> tuple[dict[str, Any], Point]:
            target = members[slot][1] if slot in members else self._randomly()[1]
            child = offspring(target, parents, self._mutation, self._crossover, self._uniforms)
            return self._decode(child), child

        if len(parents) < PARENTS:
            return self._randomly()
        return first_allowed(self._space, evolved, self._randomly) if self._space.forbidden else evolved()

    def _randomly(self) -> tuple[dict[str, Any], Point]:
        self.n_random += 1
        point = next(self._random)[1]
        return self._decode(point), point

    def _promotions(self, bracket: Bracket) -> deque[Point]:
        """The best members of the rung below that are not yet in this one's population, as many as the rung takes."""
        present = [point for _, point in self.populations[bracket.budget].members.values()]
        lower = self.populations[bracket.lower]
        return deque([point for point in lower.best(lower.size) if point not in present][: bracket.size])

    def _parents(self, bracket: Bracket) -> list[Point]:
        """Points that a mutant is made of, fewer than three only if no more were evaluated without failure."""
        parents = self.populations[bracket.lower].best(bracket.size)
        if len(parents) < PARENTS:
            others = [p for population in self.populations.values() for p in population.best(population.size)]
            others = [point for point in others if point not in parents]
            while others and len(parents) < PARENTS:
                parents.append(others.pop(int(next(self._uniforms) * len(others))))
        return parents


class Population:
    """Members of one rung: losses and points by slot; the slots take turns as targets."""

    def __init__(self, size: int):
        self.size = size
        self.members: dict[int, tuple[float, Point]] = {}
        self._n_targets = 0

    def next_target(self) -> int:
        """The slot whose turn it is."""
        self._n_targets += 1
        return (self._n_targets - 1) % self.size

    def compete(self, slot: int, loss: float, point: Point) -> None:
        """Put a point into a slot unless its member has a lower loss; one that failed never gets there."""
        if loss < math.inf and loss <= self.members.get(slot, (math.inf,))[0]:
            self.members[slot] = (loss, point)

    def best(self, n: int) -> list[Point]:
        """Points of the n lowest losses, ascending."""
        return [point for _, _, point in sorted((loss, i, point) for i, (loss, point) in self.members.items())[:n]]


class Bracket:
    """One run of successive halving: which rung is next, and how many of its evaluations were started and told."""

    def __init__(self, plan: Stages, number: int):
        self.number = number
        self.stage = self.n_started = self._n_told = 0
        self.promoted: deque[Point] = deque()
        self._plan = plan

    @property
    def size(self) -> int:
        """Number of evaluations of the current rung."""
        return self._plan[self.stage][0]

    @property
    def budget(self) -> float:
        """Budget of the current rung."""
        return self._plan[self.stage][1]

    @property
    def lower(self) -> float:
        """Budget of the rung below, in the first rung its own."""
        return self._plan[max(self.stage - 1, 0)][1]

    @property
    def finished(self) -> bool:
        return self.stage == len(self._plan)

    @property
    def waiting(self) -> bool:
        """Whether an evaluation of the current rung can be started."""
        return self.n_started < self.size

    def report(self) -> None:
        """Note a result; the last one of a rung begins the next rung."""
        self._n_told += 1
        if self._n_told == self.size:
            self.stage, self.n_started, self._n_told = self.stage + 1, 0, 0


def offspring(
    target: Point, parents: Sequence[Point], mutation: float, crossover: float, uniform: Iterator[float]
) -> Point:
    """A child of the target and of a mutant of three of the parents, by rand/1/bin.

    Parameters
    ----------
    target
        (d,) coordinates in [0, 1].
    parents
        Three points or more.
    mutation, crossover
        F and CR.
    uniform
        Random numbers in [0, 1).

    Returns
    -------
    list of float
        (d,) coordinates in [0, 1].
    """
    left = list(parents)
    a, b, c = (left.pop(int(next(uniform) * len(left))) for _ in range(PARENTS))
    always = int(next(uniform) * len(target))
    child = []
    for j, old in enumerate(target):
        if j == always or next(uniform) < crossover:
            new = a[j] + mutation * (b[j] - c[j])
            child.append(new if 0.0 <= new <= 1.0 else next(uniform))
        else:
            child.append(old)
    return child
