"""Hyperband: successive halving from several starting budgets (Li et al., 2017; Klein, 2020, algorithm 6) [hyperband].

For s = s_max, s_max - 1, ..., 0 in turn, again and again: n = ceil((s_max + 1) / (s + 1) * eta^s) configurations are
halved from budget eta^-s * b_max on. Workers share these runs as described in `baselines.halving.sh`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import cycle

import numpy as np

from baselines.halving.sh import HalvingSchedule, Stages, stages
from baselines.parts.rungs import rungs
from baselines.parts.sampling import random_configs
from hpo_core.running.trial import Proposal
from hpo_core.space import Space


class Hyperband:
    """Hyperband with random configurations, any space.

    Parameters
    ----------
    space, budgets, seed
        As in `baselines.optimizer`.
    eta
        The best 1 / eta of a rung go on to the next one, whose budget is eta times as large.
    min_budget
        b_min, the smallest available budget unless given; Klein (2020) has 3 or 4 of 100 epochs on FC-Net.
    """

    name = "hyperband"

    def __init__(
        self,
        space: Space,
        *,
        budgets: Sequence[float] = (1,),
        seed: int = 0,
        eta: float = 3,
        min_budget: float | None = None,
    ):
        configs = random_configs(space, np.random.default_rng(seed))
        self._schedule = HalvingSchedule(cycle(brackets(budgets, eta, min_budget)), configs.__next__)

    def ask(self) -> Proposal:
        return self._schedule.ask()

    def tell(self, proposal: Proposal, loss: float, cost: float) -> None:
        self._schedule.tell(proposal, loss, cost)


def brackets(budgets: Sequence[float], eta: float = 3, min_budget: float | None = None) -> list[Stages]:
    """Stages of the runs of one round, from the widest, s = s_max, to the one at the full budget only, s = 0."""
    steps = rungs(budgets, eta, min_budget)
    s_max = len(steps) - 1
    plans = []
    for s in range(s_max, -1, -1):
        n = math.ceil((s_max + 1) / (s + 1) * float(eta) ** s - 1e-9)
        plans.append(stages(n, steps[s_max - s :], eta))
    return plans
