"""SMAC3's multi-fidelity facade (Lindauer et al., 2022): Hyperband with configurations from a random forest.

The forest is fitted to the trials of the highest budget that has enough of them. SMAC's budgets, the full one divided
by powers of `eta`, are evaluated at the nearest budget of the benchmark. What `baselines.adapters.smac3` says about
spaces and lists holds here, too.

A failed trial is told as crashed with the highest loss so far; those before the first success are told after it, so
that their brackets go on. SMAC begins no configuration twice. When all of a finite space were begun, `ask` returns None
until what is pending was told, and for good when nothing is left to promote. SMAC drops the configurations of a last
bracket that it cannot fill; they are evaluated at the full budget in the end.

Options are those of the facade's parts, that is of its functions `get_model`, `get_intensifier` (Hyperband: `eta`)...,
and two of SMAC's scenario: `n_trials`, which SMAC plans for (the initial design takes at most a quarter of it; more can
be asked for), and `use_default_config`.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from baselines.adapters.parts.library import check_known, explained, keywords, quiet, required, versions
from baselines.adapters.parts.searched import Searched
from baselines.adapters.smac3 import PARTS, SCENARIO, order_starts
from baselines.parts.rungs import rungs
from hpo_core.running.optimizer import Pending
from hpo_core.running.trial import Proposal
from hpo_core.single_thread import single_threaded
from hpo_core.space import Space

ALL_PARTS = (*PARTS, "intensifier")


class SMAC3MF:
    """SMAC with several budgets.

    Parameters
    ----------
    space, budgets, seed
        As in `baselines.optimizer`.
    options
        As in the module's head, such as `eta` and `n_trials`.

    Attributes
    ----------
    facade
        SMAC's facade, with its history of the run.
    """

    name = "smac3-mf"

    def __init__(self, space: Space, *, budgets: Sequence[float] = (1,), seed: int = 0, **options: Any):
        self._searched = Searched(space, self.name, seed)
        rungs(budgets, 2)  # refuses a single budget
        smac = required("smac", "smac")
        self.version = versions("smac")
        self._budgets = budgets
        self._pending: Pending[Any] = Pending()
        self._begun: set[tuple[tuple[str, Any], ...]] = set()
        self._untold: list[tuple[Any, float]] = []  # failures before the first success, with their costs
        self._worst = -math.inf
        facade = smac.MultiFidelityFacade
        parts = {part: keywords(getattr(facade, f"get_{part}"), taken=("scenario",)) for part in ALL_PARTS}
        check_known(self.name, options, "SMAC3", [*SCENARIO, *(name for known in parts.values() for name in known)])
        with quiet("smac"), explained(self.name, options):
            self._configspace = self._searched.space.to_configspace()
            scenario = smac.Scenario(
                self._configspace,
                deterministic=True,
                seed=seed % 2**32,
                min_budget=budgets[0],
                max_budget=budgets[-1],
                output_directory=Path(tempfile.gettempdir()),  # nothing is saved there
                **_given(options, SCENARIO),
            )
            made = {
                part: getattr(facade, f"get_{part}")(scenario, **given)
                for part, known in parts.items()
                if (given := _given(options, known))
            }
            self.facade = facade(scenario, logging_level=False, **made)
        order_starts(self.facade)

    @single_threaded
    def ask(self) -> Proposal | None:
        from smac.main.exceptions import ConfigurationSpaceExhaustedException

        if self._all_begun() and (len(self._pending) or self._worst == -math.inf):
            return None
        try:
            with quiet("smac"):
                config, trial = self._searched.propose(self._asked, self._refuse, self._entered)
        except (ConfigurationSpaceExhaustedException, StopIteration):  # the one first, the other ever after
            return self._dropped()
        self._begun.add(_key(self._searched.space.check(trial.config)))
        budget = min(self._budgets, key=lambda known: abs(known - trial.budget))
        return self._pending.add(Proposal(config, budget), trial)

    @single_threaded
    def tell(self, proposal: Proposal, loss: float, cost: float) -> None:
        trial = self._pending.take(proposal, loss)
        if trial is not None:
            with quiet("smac"):
                self._report(trial, loss, cost)

    def _asked(self) -> tuple[dict[str, Any], Any]:
        trial = self.facade.ask()
        return self._searched.completed(self._searched.space.check(trial.config)), trial

    def _refuse(self, trial: Any) -> None:
        self._report(trial, math.inf, 0.0)

    def _entered(self, config: dict[str, Any]) -> Any:
        from ConfigSpace import Configuration
        from smac.runhistory import TrialInfo

        values = {name: config[name] for name in self._searched.space.names if name in config}
        return TrialInfo(Configuration(self._configspace, values=values), seed=0, budget=float(self._budgets[-1]))

    def _report(self, trial: Any, loss: float, cost: float) -> None:
        from smac.runhistory import StatusType, TrialValue

        if loss == math.inf:
            self._untold.append((trial, cost))
        else:
            self._worst = max(self._worst, float(loss))
            self.facade.tell(trial, TrialValue(float(loss), time=cost, status=StatusType.SUCCESS), save=False)
        while self._untold and self._worst > -math.inf:
            failed, seconds = self._untold.pop(0)
            self.facade.tell(failed, TrialValue(self._worst, time=seconds, status=StatusType.CRASHED), save=False)

    def _dropped(self) -> Proposal | None:
        """The next configuration of a finite space that SMAC never proposed, None if there is none."""
        space = self._searched.space
        for config in space.configs() if space.finite else ():
            if _key(config) not in self._begun:
                self._begun.add(_key(config))
                return self._pending.add(Proposal(self._searched.completed(config), self._budgets[-1]), None)
        return None

    def _all_begun(self) -> bool:
        """Whether every configuration of a finite space was proposed once; SMAC itself would search on and on."""
        space = self._searched.space
        return space.finite and next(islice(space.configs(), len(self._begun), None), None) is None


def _key(config: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    return tuple(sorted(config.items()))


def _given(options: Mapping[str, Any], known: Sequence[str]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name in known}
