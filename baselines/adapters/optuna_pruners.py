"""Optuna's TPE with one of its pruners, Hyperband or the median rule (Akiba et al., 2019).

A training goes through the budgets one after the other, as an optuna objective that reports after each epoch: the run
loop charges the difference. After each loss but the last the pruner says whether it ends; a pruned trial is told as
such, and what TPE makes of it is optuna's affair. A training that goes on goes before a new one. One that fails is told
as failed as a whole.

Pruners count steps in whole numbers: those of the budgets b are round(b / b_min), so that 1/27, 1/9, 1/3 and 1 are the
steps 1, 3, 9 and 27. Hyperband's highest step, which optuna would otherwise take from the first finished trial, is that
of the full budget. It deals trials out to brackets by the study's name, which optuna draws at random and which is here
made of the seed.

Options are those of the pruner and of the sampler; `n_startup_trials`, which the median rule and TPE both have, is that
of the pruner. All else is as in `baselines.adapters.optuna`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from baselines.adapters.optuna import OptunaStudy
from baselines.adapters.parts.library import check_known, explained, keywords, quiet, required
from baselines.adapters.parts.searched import Searched
from baselines.curves.parts.stepwise import Stepwise, StepwiseTraining, ladder
from hpo_core.running.trial import Proposal
from hpo_core.space import Space


def optuna_hyperband(space: Space, *, budgets: Sequence[float] = (1,), seed: int = 0, **options: Any) -> PrunedStudy:
    """TPE with `optuna.pruners.HyperbandPruner`.

    Parameters
    ----------
    space, budgets, seed
        As in `baselines.optimizer`.
    options
        Keyword arguments of the pruner, such as `reduction_factor`, and of `optuna.samplers.TPESampler`.
    """
    steps = pruner_steps(ladder(budgets))
    return PrunedStudy(
        "optuna-hyperband", space, "HyperbandPruner", budgets, seed, {"max_resource": steps[-1], **options}
    )


def optuna_median(space: Space, *, budgets: Sequence[float] = (1,), seed: int = 0, **options: Any) -> PrunedStudy:
    """TPE with `optuna.pruners.MedianPruner`.

    Parameters
    ----------
    space, budgets, seed
        As in `baselines.optimizer`.
    options
        Keyword arguments of the pruner, such as `n_warmup_steps`, and of `optuna.samplers.TPESampler`.
    """
    return PrunedStudy("optuna-median", space, "MedianPruner", budgets, seed, options)


class PrunedStudy:
    """A study with TPE and a pruner, which is asked and told one budget at a time.

    Parameters
    ----------
    name
        The optimizer's.
    space
        What it searches.
    pruner
        Name of the pruner's class in `optuna.pruners`.
    budgets
        Of a training, ascending.
    seed
        Of the sampler and of the study's name.
    options
        Keyword arguments of the pruner's and of the sampler's class.

    Attributes
    ----------
    study
        The `optuna.Study`.
    """

    def __init__(
        self,
        name: str,
        space: Space,
        pruner: str,
        budgets: Sequence[float],
        seed: int,
        options: Mapping[str, Any],
    ):
        self.name = name
        Searched(space, name)  # refuses a space of one configuration, with or without the library
        steps = ladder(budgets)
        self._steps = pruner_steps(steps)
        optuna = required("optuna", "optuna")
        make = getattr(optuna.pruners, pruner)
        known = keywords(make)
        both = [*known, *keywords(optuna.samplers.TPESampler, taken=("seed",))]
        check_known(name, options, f"optuna's {pruner} and TPESampler", both)
        sampler = {option: value for option, value in options.items() if option not in known}
        self._trials = OptunaStudy(name, space, "TPESampler", seed, sampler, dynamic=space.conditional)
        self.version = self._trials.version
        with quiet("optuna"), explained(name, options):
            self.study = optuna.create_study(
                study_name=f"seed {seed}",
                sampler=self._trials.study.sampler,
                pruner=make(**{option: value for option, value in options.items() if option in known}),
            )
        self._asked = self._trials.study = _AskedStudy(self.study, optuna.trial.TrialState.PRUNED)
        self._running: dict[int, Any] = {}  # optuna's trials, by the number of the training
        self._stepwise = Stepwise(steps, self._begin, self._verdict, self._end)

    def ask(self) -> Proposal | None:
        return self._stepwise.ask()

    def tell(self, proposal: Proposal, loss: float, cost: float) -> None:
        self._stepwise.tell(proposal, loss, cost)

    def _begin(self) -> tuple[Proposal, list[float]]:
        proposal = self._trials.ask()
        self._running[self._stepwise.n_begun + 1] = self._asked.last
        return proposal, []

    def _verdict(self, training: StepwiseTraining) -> float | None:
        trial = self._running[training.number]
        with quiet("optuna"):
            trial.report(training.losses[-1], self._steps[len(training.losses) - 1])
            if not trial.should_prune():
                return None
        self._asked.pruned.add(trial.number)
        return training.losses[-1]

    def _end(self, training: StepwiseTraining, loss: float) -> None:
        del self._running[training.number]
        self._trials.tell(training.proposal, loss, 0.0)


class _AskedStudy:
    """A study as `OptunaStudy` uses it, which remembers the last trial and tells those that were pruned as such."""

    def __init__(self, study: Any, state: Any):
        self._study, self._state = study, state
        self.enqueue_trial = study.enqueue_trial
        self.last: Any = None
        self.pruned: set[int] = set()

    def ask(self, *given: Any) -> Any:
        self.last = self._study.ask(*given)
        return self.last

    def tell(self, trial: Any, value: float | None = None, state: Any = None) -> None:
        if trial.number in self.pruned:
            self.pruned.remove(trial.number)
            value, state = None, self._state
        self._study.tell(trial, value, state=state)


def pruner_steps(budgets: Sequence[float]) -> list[int]:
    """Whole numbers that ascend as the budgets do, in units of the first one.

    >>> pruner_steps([1 / 27, 1 / 9, 1 / 3, 1]), pruner_steps([10, 12, 14])
    ([1, 3, 9, 27], [1, 2, 3])
    """
    steps: list[int] = []
    for budget in budgets:
        steps.append(max(round(budget / budgets[0]), steps[-1] + 1 if steps else 1))
    return steps
