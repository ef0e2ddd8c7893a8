"""PASHA: ASHA whose highest rung grows while the ranking is not stable (Bohdal et al., 2023) [pasha].

    r_0 < r_1 < ...    rungs of ASHA, eta 3                K    the highest rung in use, r_1 at first
    f_r(c)             loss of configuration c at budget r

Algorithm 1. Promotions are those of ASHA, up to r_K. When a loss at r_K arrives, its configurations are ranked by their
losses there and by those at r_(K-1). If the rankings differ, K grows by one. They are compared softly (section 4.1):
the configuration of rank i at r_K must be one of those whose loss at r_(K-1) is within epsilon of that of the
configuration of rank i there. Epsilon is the noise of the rankings (section 4.2), the 90 % quantile of

    |f_r(c) - f_r(c')|    r = r_K, over pairs of its configurations whose order at r was reversed at some r' < r and
                          back again at some r'' < r'

and keeps its value, 0 at first, while there is no such pair.

The paper's runs end after 256 configurations, and cost less since few are trained to the end. Here a run goes on until
the caller ends it, so the gain is that more configurations are tried for the same cost.

The estimate needs the losses of every epoch, and an optimizer is told those that it asks for. So a training is
evaluated at every available budget on its way to a rung, which costs nothing more where trainings are continued and
makes more trials. Where they are not (`resumable` is false) give `budgets` that are the rungs. A configuration that is
drawn again counts as the same, with its last losses.

Examples
--------
>>> from hpo_core import run
>>> r = run("mini-wine", "pasha", n_trials=200, seed=0)
>>> max(trial.budget for trial in r.trials) < 100
True
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from baselines.halving.parts.promotions import Promotions
from baselines.parts.rungs import rungs
from baselines.parts.sampling import random_configs
from hpo_core.running.optimizer import Pending
from hpo_core.running.trial import Proposal
from hpo_core.space import Config, Space

NOISE_QUANTILE = 0.9

Losses = dict[float, float]  # of a configuration, by budget
Key = tuple[tuple[str, object], ...]


class PASHA:
    """Progressive asynchronous successive halving of random configurations, any space.

    `highest` is the budget of the highest rung in use, `epsilon` the estimated noise of the ranking.

    Parameters
    ----------
    space, budgets, seed
        As in `baselines.optimizer`.
    eta
        The best 1 / eta of a rung go on to the next one, whose budget is eta times as large.
    min_budget
        The lowest budget, the smallest available one unless given.
    """

    name = "pasha"

    def __init__(
        self,
        space: Space,
        *,
        budgets: Sequence[float] = (1,),
        seed: int = 0,
        eta: float = 3,
        min_budget: float | None = None,
    ):
        self._promotions = Promotions(rungs(budgets, eta, min_budget), eta)
        self._ladder = [budget for budget in budgets if budget >= self._promotions.budgets[0]]
        self._configs = random_configs(space, np.random.default_rng(seed))
        self._curves: list[dict[Key, Losses]] = [{} for _ in self._promotions.budgets]  # of what reached each rung
        self._waiting: deque[tuple[Config, int, float]] = deque()  # on the way to a rung: configuration, rung, budget
        self._top = min(1, len(self._curves) - 1)
        self._distances: list[float] = []  # at the highest rung in use, of pairs that crossed twice
        self.epsilon = 0.0
        self._pending: Pending[int] = Pending()

    @property
    def highest(self) -> float:
        return self._promotions.budgets[self._top]

    def ask(self) -> Proposal:
        if self._waiting:
            return self._propose(*self._waiting.popleft())
        promoted = self._promotions.promoted(self._top)
        if promoted is None:
            return self._propose(next(self._configs), 0, self._promotions.budgets[0])
        config, level = promoted
        return self._propose(config, level, self._after(self._promotions.budgets[level - 1]))

    def tell(self, proposal: Proposal, loss: float, cost: float) -> None:
        level = self._pending.take(proposal, loss)
        budget, config = proposal.budget or self._ladder[-1], proposal.config
        key: Key = tuple(config.items())
        curve = self._curves[max(level - 1, 0)].get(key, {})
        curve[budget] = float(loss)
        if loss < math.inf and budget < self._promotions.budgets[level]:
            self._waiting.append((config, level, self._after(budget)))
            return
        self._promotions.add(level, config, loss)
        if loss < math.inf:
            self._curves[level][key] = curve
            if level == self._top < len(self._curves) - 1:
                self._compare(curve)

    def _propose(self, config: Config, level: int, budget: float) -> Proposal:
        return self._pending.add(Proposal(dict(config), budget), level)

    def _after(self, budget: float) -> float:
        return self._ladder[self._ladder.index(budget) + 1]

    def _compare(self, newest: Losses) -> None:
        """Use one rung more if the rankings of the two highest in use differ by more than noise.

        A curve ends at the highest rung in use, so each pair is looked at once, when its second one gets there.
        """
        curves, upper, lower = self._curves[self._top], self.highest, self._promotions.budgets[self._top - 1]
        self._distances += [
            abs(newest[upper] - other[upper]) for other in curves.values() if crossed_twice(newest, other)
        ]
        if self._distances:
            self.epsilon = float(np.quantile(self._distances, NOISE_QUANTILE))
        if not is_stable([(curve[lower], curve[upper]) for curve in curves.values()], self.epsilon):
            self._top += 1
            self._distances = []


def is_stable(losses: Sequence[tuple[float, float]], epsilon: float) -> bool:
    """Whether two rankings agree softly (section 4.1).

    Parameters
    ----------
    losses
        Of each configuration at the lower and at the higher rung.
    epsilon
        Losses at the lower rung that differ by no more than this are of equal rank.

    Returns
    -------
    bool
        Whether the configuration at each rank of the higher rung is about as good as that one at the lower.
    """
    by_lower = sorted(lower for lower, _ in losses)
    by_upper = sorted(losses, key=lambda pair: pair[1])
    return all(abs(pair[0] - loss) <= epsilon for pair, loss in zip(by_upper, by_lower, strict=True))


def crossed_twice(one: Losses, other: Losses) -> bool:
    """Whether the order of two curves was reversed and back again, over the budgets at which both have losses."""
    shared = sorted(one.keys() & other.keys())
    lower = [one[budget] < other[budget] for budget in shared if one[budget] != other[budget]]
    return sum(before != after for before, after in pairwise(lower)) >= 2
