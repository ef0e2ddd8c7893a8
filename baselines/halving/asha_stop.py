"""ASHA by stopping: a training goes on until it is not among the best of a rung (Li et al., 2018) [asha-stop].

The variant of Ray (Liaw et al., 2018) and Syne Tune (Salinas et al., 2022), which Li et al. compare with theirs. A new
configuration is trained up to the first rung, and its loss joins those of the rung. It goes on to the next rung at once
if

    loss <= 1 / eta quantile of the losses at the rung, its own among them (interpolated)

and is stopped for good otherwise. Nothing is paused: a training whose loss turns out to be among the best later, when
others have been worse, is not taken up again, which `asha` does. The first two trainings to reach a rung are let
through with a lower bar, the first one always. So fewer configurations are tried, and more of the first ones
reach the full budget.

A training that failed is stopped, and its loss counts at its rung as an infinite one.

Examples
--------
>>> from hpo_core import run
>>> r = run("mini-wine", "asha-stop", n_trials=6, seed=0)
>>> [trial.budget for trial in r.trials][:5]  # the first training is never stopped
[1, 4, 11, 33, 100]
"""

from __future__ import annotations

import math
from bisect import insort
from collections.abc import Sequence

import numpy as np

from baselines.curves.parts.stepwise import Stepwise, StepwiseTraining
from baselines.parts.rungs import rungs
from baselines.parts.sampling import random_configs
from hpo_core.running.trial import Proposal
from hpo_core.space import Space


class StoppingASHA:
    """Asynchronous successive halving that stops trainings, of random configurations; any space.

    Parameters
    ----------
    space, budgets, seed
        As in `baselines.optimizer`.
    eta
        The best 1 / eta of a rung go on to the next one, whose budget is eta times as large.
    min_budget
        The lowest budget, the smallest available one unless given.
    """

    name = "asha-stop"

    def __init__(
        self,
        space: Space,
        *,
        budgets: Sequence[float] = (1,),
        seed: int = 0,
        eta: float = 3,
        min_budget: float | None = None,
    ):
        steps = rungs(budgets, eta, min_budget)
        self._eta = eta
        self._losses: list[list[float]] = [[] for _ in steps]  # at each rung, ascending
        configs = random_configs(space, np.random.default_rng(seed))
        self._trainings = Stepwise(steps, lambda: (Proposal(next(configs)), []), self._verdict, self._end)

    def ask(self) -> Proposal | None:
        return self._trainings.ask()

    def tell(self, proposal: Proposal, loss: float, cost: float) -> None:
        self._trainings.tell(proposal, loss, cost)

    def _verdict(self, training: StepwiseTraining) -> float | None:
        """The last loss of a training that is stopped."""
        loss, losses = training.losses[-1], self._losses[len(training.losses) - 1]
        insort(losses, loss)
        return None if loss <= lower_quantile(losses, 1.0 / self._eta) else loss

    def _end(self, training: StepwiseTraining, loss: float) -> None:
        if loss == math.inf:
            self._losses[len(training.losses) - 1].append(loss)


def lower_quantile(ascending: Sequence[float], q: float) -> float:
    """The q quantile of numbers in ascending order, linear between them as numpy has it; finite if its neighbours are.

    Parameters
    ----------
    ascending
        At least one number.
    q
        In [0, 1).

    Returns
    -------
    float
        Infinite if the number above it is.
    """
    position = (len(ascending) - 1) * q
    below = int(position)
    share = position - below
    if share == 0.0:
        return ascending[below]
    return (1.0 - share) * ascending[below] + share * ascending[below + 1]
