"""Optuna's samplers (Akiba et al., 2019): TPE, a Gaussian process, CMA-ES. Options are those of the sampler.

A study is asked and told as an optuna user does it by hand, and the sampler gets the seed: the same seed gives the
same run. A failed trial is told as such; what a sampler makes of failed and pending trials is its own affair.

    Float      FloatDistribution                  Categorical    CategoricalDistribution of the codes, without weights
    Int        IntDistribution                    one value      left out of the study
    Ordinal    IntDistribution of the codes

In a space with conditions TPE is asked for what is active, one hyperparameter after the other, as in an optuna
objective: those that every trial has are drawn together, the others each on its own, or in groups with the option
`group=True`. The other two samplers would draw the latter at random. So they search all hyperparameters at once, and a
configuration leaves out those that are switched off; for the sampler these keep what it drew.

A proposal that is forbidden is told with the highest loss so far, or as failed before the first one, and the study is
asked again, up to 20 times; then a random configuration that is allowed is entered into the study. In a space with a
list the nearest configuration of the list is evaluated, and its loss told for what was proposed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from baselines.adapters.parts.library import check_known, explained, keywords, quiet, required, versions
from baselines.adapters.parts.searched import Searched
from hpo_core.running.optimizer import Pending
from hpo_core.running.trial import Proposal
from hpo_core.single_thread import single_threaded
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
    return OptunaStudy("optuna-tpe", space, "TPESampler", seed, options, dynamic=space.conditional)


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
    dynamic
        Whether a trial is asked for what is active only.

    Attributes
    ----------
    study
        The `optuna.Study` that is asked and told.
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
        dynamic: bool = False,
    ):
        self.name = name
        self._searched = Searched(space, name, seed)
        self._dynamic = dynamic
        modules = ["optuna"] if needs is None else ["optuna", needs]
        optuna, *_ = (required(module, extra) for module in modules)
        self.version = versions(*modules)
        self._distributions = distributions(self._searched.space)
        self._failed = optuna.trial.TrialState.FAIL
        self._worst = -math.inf
        self._pending: Pending[Any] = Pending()
        make = getattr(optuna.samplers, sampler)
        check_known(name, options, f"optuna's {sampler}", keywords(make, taken=("seed",)))
        with quiet("optuna"), explained(name, options):
            self.study = optuna.create_study(sampler=make(seed=seed % 2**32, **options))

    @single_threaded
    def ask(self) -> Proposal:
        with quiet("optuna"):
            config, trial = self._searched.propose(self._asked, self._refuse, self._entered)
        return self._pending.add(Proposal(config), trial)

    @single_threaded
    def tell(self, proposal: Proposal, loss: float, cost: float) -> None:
        trial = self._pending.take(proposal, loss)
        with quiet("optuna"):
            self._report(trial, loss)

    def _asked(self) -> tuple[dict[str, Any], Any]:
        if not self._dynamic:
            trial = self.study.ask(self._distributions)
            return self._searched.config(trial.params), trial
        trial, space = self.study.ask(), self._searched.space
        values: dict[str, Any] = {}
        for h in space:
            if space.is_active(h.name, values):
                values[h.name] = self._searched.value(h, _suggested(trial, h.name, self._distributions[h.name]))
        return self._searched.completed(values), trial

    def _refuse(self, trial: Any) -> None:
        self._report(trial, self._worst if self._worst > -math.inf else math.inf)

    def _entered(self, config: dict[str, Any]) -> Any:
        self.study.enqueue_trial(self._searched.found(config))
        return self._asked()[1]

    def _report(self, trial: Any, loss: float) -> None:
        if loss < math.inf:
            self._worst = max(self._worst, float(loss))
            self.study.tell(trial, float(loss))
        else:
            self.study.tell(trial, state=self._failed)


def distributions(space: Space) -> dict[str, BaseDistribution]:
    """Optuna's distribution of each hyperparameter."""
    return {h.name: _distribution(h) for h in space}


def _suggested(trial: Any, name: str, distribution: Any) -> Any:
    """What a trial suggests; optuna has a method for each kind of distribution."""
    if hasattr(distribution, "choices"):
        return trial.suggest_categorical(name, distribution.choices)
    suggest = trial.suggest_int if isinstance(distribution.low, int) else trial.suggest_float
    return suggest(name, distribution.low, distribution.high, log=distribution.log)


def _distribution(h: Hyperparameter) -> BaseDistribution:
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

    if isinstance(h, Choice):
        return IntDistribution(0, h.size - 1) if h.kind == "ordinal" else CategoricalDistribution(range(h.size))
    if isinstance(h, Float):
        return FloatDistribution(h.low, h.high, log=h.log)
    return IntDistribution(h.low, h.high, log=h.log)
