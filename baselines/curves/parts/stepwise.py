"""`Stepwise`: trainings that go on one budget at a time, for optimizers that follow learning curves.

A new configuration is evaluated at the first budget of the ladder, then at the next, and so on: the run loop charges
the difference. After each loss there is a verdict: go on, or end with a loss that represents the whole training. At the
last budget that is the loss itself; a training that fails has failed as a whole. One that was ended before the last
budget may go on later.

A training that can go on goes before a new one; a free worker takes the one that waits longest.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from baselines.parts.requirements import count
from hpo_core.errors import InvalidBudget
from hpo_core.running.optimizer import Pending
from hpo_core.running.trial import Proposal
from hpo_core.single_thread import single_threaded


@dataclass(eq=False)
class StepwiseTraining:
    """A configuration and its losses so far, one for each step of the ladder."""

    proposal: Proposal  # of the configuration, at no budget
    number: int  # 1, 2... in the order of their beginning
    losses: list[float] = field(default_factory=list)


Begin = Callable[[], tuple[Proposal, list[float]] | None]
Verdict = Callable[[StepwiseTraining], float | None]
End = Callable[[StepwiseTraining, float], None]


def ladder(budgets: Sequence[float], step: int = 1) -> list[float]:
    """Every `step`-th of the budgets, counted back from the last."""
    if len(budgets) < 2:
        raise InvalidBudget(
            f"a method that follows learning curves needs at least two budgets, got {list(budgets)!r}; pass "
            "benchmark.budgets of a benchmark that has several (a table with learning curves), or take a method that "
            "evaluates at the full budget only"
        )
    return list(budgets)[::-1][:: count("step", step)][::-1]


class Stepwise:
    """Trainings step by step, with `ask` and `tell`; `n_begun` is the number of them so far.

    Parameters
    ----------
    steps
        The budgets of a training, ascending.
    begin
        Called for each training: its configuration, and the losses it has already if it was stopped once.
    verdict
        Called after each loss but the last of a training: None to go on, or the loss that it ends with.
    end
        Called with a training that has ended and its loss, infinite if it failed.
    """

    def __init__(self, steps: Sequence[float], begin: Begin, verdict: Verdict, end: End):
        self._steps, self._new, self._verdict, self._end = steps, begin, verdict, end
        self._waiting: deque[StepwiseTraining] = deque()
        self._pending: Pending[StepwiseTraining] = Pending()
        self.n_begun = 0

    @single_threaded
    def ask(self) -> Proposal | None:
        training = self._waiting.popleft() if self._waiting else self._begin()
        if training is None:
            return None
        budget = self._steps[len(training.losses)]
        return self._pending.add(Proposal(dict(training.proposal.config), budget), training)

    @single_threaded
    def tell(self, proposal: Proposal, loss: float, cost: float) -> None:
        training = self._pending.take(proposal, loss)
        training.losses.append(float(loss))
        ended = loss if len(training.losses) == len(self._steps) or loss == math.inf else self._verdict(training)
        if ended is None:
            self._waiting.append(training)
        else:
            self._end(training, ended)

    def _begin(self) -> StepwiseTraining | None:
        found = self._new()
        if found is None:
            return None
        self.n_begun += 1
        proposal, losses = found
        return StepwiseTraining(proposal, self.n_begun, losses)
