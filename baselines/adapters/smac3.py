"""SMAC3 (Lindauer et al., 2022): a random forest with expected improvement, its facade for hyperparameter optimization.

SMAC works on ConfigSpace, which `Space.to_configspace` converts to without loss, with conditions, forbidden clauses and
weights; a hyperparameter of one value is left out. It treats losses as free of noise, so it never proposes a
configuration twice, and `ask` returns None when there is none left. Its model takes no infinite losses: a failed trial
is told as crashed with the highest loss so far, and stays pending for SMAC if there is none yet. In a space with a list
the nearest configuration of the list is evaluated, and its loss told for what was proposed.

Options are those of the facade's parts, that is of its functions `get_model`, `get_acquisition_function`..., and two of
SMAC's scenario: `n_trials`, which SMAC plans for (the initial design takes at most a quarter of it; more can be asked
for), and `use_default_config`.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from baselines.adapters.parts.library import check_known, explained, keywords, quiet, required, versions
from baselines.adapters.parts.searched import Searched
from hpo_core.running.optimizer import Pending
from hpo_core.running.trial import Proposal
from hpo_core.single_thread import single_threaded
from hpo_core.space import Space

SCENARIO = ("n_trials", "use_default_config")
PARTS = ("model", "acquisition_function", "acquisition_maximizer", "initial_design", "random_design", "config_selector")


def order_starts(facade: Any) -> None:
    """Have SMAC's local searches start in an order that depends on the configurations alone.

    SMAC takes that of a set, which Python's hash seed decides, so that each process would make another run.
    """
    search = getattr(facade._acquisition_maximizer, "_local_search", None)
    starts = getattr(search, "_get_init_points_from_previous_configs", None)
    if search is not None and starts is not None:
        search._get_init_points_from_previous_configs = lambda *given, **named: sorted(
            starts(*given, **named), key=repr
        )


class SMAC3:
    """SMAC for hyperparameter optimization.

    Parameters
    ----------
    space, budgets, seed
        As in `baselines.optimizer`.
    options
        As in the module's head, such as `n_trials` and `n_trees`.

    Attributes
    ----------
    facade
        SMAC's facade, with its history of the run.
    """

    name = "smac3"

    def __init__(self, space: Space, *, budgets: Sequence[float] = (1,), seed: int = 0, **options: Any):
        self._searched = Searched(space, self.name, seed)
        smac = required("smac", "smac")
        self.version = versions("smac")
        self._pending: Pending[Any] = Pending()
        self._n_asked = 0
        self._worst = -math.inf
        facade = smac.HyperparameterOptimizationFacade
        accepted = accepted_options(facade)
        check_known(self.name, options, "SMAC3", [*SCENARIO, *accepted])
        with quiet("smac"), explained(self.name, options):
            self._configspace = self._searched.space.to_configspace()
            scenario = smac.Scenario(
                self._configspace,
                deterministic=True,
                seed=seed % 2**32,
                output_directory=Path(tempfile.gettempdir()),  # nothing is saved there
                **{name: value for name, value in options.items() if name in SCENARIO},
            )
            parts = {
                part: getattr(facade, f"get_{part}")(scenario, **given)
                for part in PARTS
                if (given := {name: value for name, value in options.items() if accepted.get(name) == part})
            }
            self.facade = facade(scenario, logging_level=False, **parts)
        order_starts(self.facade)

    @single_threaded
    def ask(self) -> Proposal | None:
        from smac.main.exceptions import ConfigurationSpaceExhaustedException

        if self._all_asked():
            return None
        try:
            with quiet("smac"):
                config, trial = self._searched.propose(self._asked, self._refuse, self._entered)
        except (ConfigurationSpaceExhaustedException, StopIteration):  # the one first, the other ever after
            return None
        self._n_asked += 1
        return self._pending.add(Proposal(config), trial)

    @single_threaded
    def tell(self, proposal: Proposal, loss: float, cost: float) -> None:
        trial = self._pending.take(proposal, loss)
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
        return TrialInfo(Configuration(self._configspace, values=values), seed=0)

    def _report(self, trial: Any, loss: float, cost: float) -> None:
        from smac.runhistory import StatusType, TrialValue

        failed = loss == math.inf
        self._worst = self._worst if failed else max(self._worst, float(loss))
        if self._worst > -math.inf:
            status = StatusType.CRASHED if failed else StatusType.SUCCESS
            told = TrialValue(self._worst if failed else float(loss), time=cost, status=status)
            self.facade.tell(trial, told, save=False)

    def _all_asked(self) -> bool:
        """Whether nothing is left; SMAC itself would search for ever as long as it was told nothing."""
        space = self._searched.space
        return space.finite and next(islice(space.configs(), self._n_asked, None), None) is None


def accepted_options(facade: Any) -> dict[str, str]:
    """Options of a facade's parts, each with the part that takes it."""
    return {name: part for part in PARTS for name in keywords(getattr(facade, f"get_{part}"), taken=("scenario",))}
