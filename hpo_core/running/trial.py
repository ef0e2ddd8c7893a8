"""`Proposal` and `Trial`: what an optimizer asks for, and its evaluation."""

from __future__ import annotations

from typing import NamedTuple

from hpo_core.problems.problem import Result
from hpo_core.space import Config


class Proposal(NamedTuple):
    """A configuration to evaluate at a budget; None is the full budget.

    The configuration belongs to the proposal: an optimizer hands out a fresh mapping each time.
    """

    config: Config
    budget: float | None = None


class Trial(NamedTuple):
    """One evaluation in a run.

    proposal    what the optimizer asked for
    result      what the objective returned; a failed trial has an infinite loss
    step        index in the order in which the trials were started
    seed        the seed that the objective received
    worker      which of the workers ran it, from 0
    start       seconds on the run's clock
    paid        seconds of an earlier trial whose training this one continues, 0 for a training from scratch
    failure     why it failed, None if it did not
    """

    proposal: Proposal
    result: Result
    step: int = 0
    seed: int | None = None
    worker: int = 0
    start: float = 0.0
    paid: float = 0.0
    failure: str | None = None

    @property
    def config(self) -> Config:
        return self.proposal.config

    @property
    def budget(self) -> float:
        """The budget it was evaluated at, never None."""
        return self.result.budget

    @property
    def loss(self) -> float:
        return self.result.loss

    @property
    def cost(self) -> float:
        """Seconds that the trial took: its result's cost, less what an earlier trial paid for the same training."""
        return max(self.result.cost - self.paid, 0.0)

    @property
    def end(self) -> float:
        """Seconds on the run's clock."""
        return self.start + self.cost
