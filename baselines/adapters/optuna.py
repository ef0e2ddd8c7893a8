"""Optuna's samplers (Akiba et al., 2019) with their own default settings: TPE, a Gaussian process, CMA-ES.

A study is asked and told as an optuna user does it by hand, and the sampler gets the seed: the same seed gives the
same run. A failed trial is told as such; what a sampler makes of failed and pending trials is its own affair.

    Float      FloatDistribution                  Categorical    CategoricalDistribution of the codes, without weights
    Int        IntDistribution                    one value      left out of the study
    Ordinal    IntDistribution of the codes
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from baselines.adapters.parts.library import quiet, required, versions
from baselines.adapters.parts.searched import Searched
from baselines.parts.requirements import without_conditions
from hpo_core.running.optimizer import Pending
from hpo_core.running.trial import Proposal
from hpo_core.space import Space
from hpo_core.space.hyperparameters import Choice, Float, Hyperparameter

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution


def optuna_tpe(space: Space, *, budgets: Sequence[float] = (1,), seed: int = 0) -> OptunaStudy:
    """TPE as optuna has it."""
    return OptunaStudy("optuna-tpe", space, "TPESampler", seed)


def optuna_gp(space: Space, *, budgets: Sequence[float] = (1,), seed: int = 0) -> OptunaStudy:
    """Gaussian process with expected improvement; optuna needs torch for it."""
    return OptunaStudy("optuna-gp", space, "GPSampler", seed, needs=("torch", "peers"))


def optuna_cmaes(space: Space, *, budgets: Sequence[float] = (1,), seed: int = 0) -> OptunaStudy:
    """CMA-ES, with random values for categoricals; optuna needs the `cmaes` package for it."""
    return OptunaStudy("optuna-cmaes", space, "CmaEsSampler", seed, needs=("cmaes", "peers"))


class OptunaStudy:
    """A study with the named sampler; `needs` is another module that the sampler needs, and the extra that has it."""

    def __init__(self, name: str, space: Space, sampler: str, seed: int, needs: tuple[str, str] | None = None):
        self.name = name
        self._searched = Searched(without_conditions(space, name), name)
        optuna: Any = required("optuna", "peers")
        self.version = versions("optuna")
        if needs is not None:
            required(*needs)
            self.version = versions("optuna", needs[0])
        self._distributions = distributions(self._searched.space)
        self._failed = optuna.trial.TrialState.FAIL
        self._pending: Pending[Any] = Pending()
        with quiet("optuna"):
            self._study = optuna.create_study(sampler=getattr(optuna.samplers, sampler)(seed=seed % 2**32))

    def ask(self) -> Proposal:
        with quiet("optuna"):
            trial = self._study.ask(self._distributions)
        return self._pending.add(Proposal(self._searched.config(trial.params)), trial)

    def tell(self, proposal: Proposal, loss: float, cost: float) -> None:
        trial = self._pending.take(proposal, loss)
        with quiet("optuna"):
            if loss < math.inf:
                self._study.tell(trial, float(loss))
            else:
                self._study.tell(trial, state=self._failed)


def distributions(space: Space) -> dict[str, BaseDistribution]:
    """Optuna's distribution of each hyperparameter."""
    return {h.name: _distribution(h) for h in space}


def _distribution(h: Hyperparameter) -> BaseDistribution:
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

    if isinstance(h, Choice):
        return IntDistribution(0, h.size - 1) if h.kind == "ordinal" else CategoricalDistribution(range(h.size))
    if isinstance(h, Float):
        return FloatDistribution(h.low, h.high, log=h.log)
    return IntDistribution(h.low, h.high, log=h.log)
