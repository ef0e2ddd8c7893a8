"""Optuna's samplers (Akiba et al., 2019): TPE, a Gaussian process, CMA-ES. Options are those of the sampler.

A study is asked and told as an optuna user does it by hand, and the sampler gets the seed: the same seed gives the
same run. A failed trial is told as such; what a sampler makes of failed and pending trials is its own affair.

    Float      FloatDistribution                  Categorical    CategoricalDistribution of the codes, without weights
    Int        IntDistribution                    one value      left out of the study
    Ordinal    IntDistribution of the codes
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from baselines.adapters.parts.library import check_known, explained, keywords, quiet, required, versions
from baselines.adapters.parts.searched import Searched
from baselines.parts.requirements import without_conditions
from hpo_core.running.optimizer import Pending
from hpo_core.running.trial import Proposal
from hpo_core.space import Space
from hpo_core.space.hyperparameters import Choice, Float, Hyperparameter

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution


def optuna_tpe(space: Space, *, budgets: Sequence[float] = (1,), seed: int = 0, **options: Any) -> OptunaStudy:
    """TPE as optuna has it.

    Parameters
    ----------
    space, budgets, seed
        As in `baselines.optimizer`.
    options
        Keyword arguments of `optuna.samplers.TPESampler`, such as `n_startup_trials`.
    """
    return OptunaStudy("optuna-tpe", space, "TPESampler", seed, options)


def optuna_gp(space: Space, *, budgets: Sequence[float] = (1,), seed: int = 0, **options: Any) -> OptunaStudy:
    """Gaussian process with expected improvement; optuna needs torch for it.

    Parameters
    ----------
    space, budgets, seed
        As in `baselines.optimizer`.
    options
        Keyword arguments of `optuna.samplers.GPSampler`, such as `deterministic_objective`.
    """
    return OptunaStudy("optuna-gp", space, "GPSampler", seed, options, needs="torch", extra="optuna-gp")


def optuna_cmaes(space: Space, *, budgets: Sequence[float] = (1,), seed: int = 0, **options: Any) -> OptunaStudy:
    """CMA-ES, with random values for categoricals; optuna needs the `cmaes` package for it.

    Parameters
    ----------
    space, budgets, seed
        As in `baselines.optimizer`.
    options
        Keyword arguments of `optuna.samplers.CmaEsSampler`, such as `sigma0`.
    """
    return OptunaStudy("optuna-cmaes", space, "CmaEsSampler", seed, options, needs="cmaes")


class OptunaStudy:
    """A study with one of optuna's samplers.

    Parameters
    ----------
    name
        The optimizer's.
    space
        What it searches.
    sampler
        Name of the sampler's class in `optuna.samplers`.
    seed
        Of the sampler.
    options
        Other keyword arguments of the sampler's class.
    needs
        Another module that the sampler needs.
    extra
        The extra that has optuna and this module.
    """

    def __init__(
        self,
        name: str,
        space: Space,
        sampler: str,
        seed: int,
        options: Mapping[str, Any],
        *,
        needs: str | None = None,
        extra: str = "optuna",
    ):
        self.name = name
        self._searched = Searched(without_conditions(space, name), name)
        modules = ["optuna"] if needs is None else ["optuna", needs]
        optuna, *_ = (required(module, extra) for module in modules)
        self.version = versions(*modules)
        self._distributions = distributions(self._searched.space)
        self._failed = optuna.trial.TrialState.FAIL
        self._pending: Pending[Any] = Pending()
        make = getattr(optuna.samplers, sampler)
        check_known(name, options, f"optuna's {sampler}", keywords(make, taken=("seed",)))
        with quiet("optuna"), explained(name, options):
            self._study = optuna.create_study(sampler=make(seed=seed % 2**32, **options))

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
