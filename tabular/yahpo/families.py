"""Names of the surrogates' instances, `SCENARIO/ID`, for the registry of `hpo_core`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hpo_core.errors import InvalidOption
from hpo_core.facts import BenchmarkFacts
from tabular.instances import unknown_instance
from tabular.yahpo.scenarios import IAML_GLMNET, LCBENCH, RBV2_RPART, RBV2_XGBOOST, Scenario

if TYPE_CHECKING:
    from tabular.yahpo.problem import NetworkProblem


@dataclass(frozen=True)
class SurrogateFamily:
    """The instances of one scenario."""

    scenario: Scenario

    def listing(self) -> dict[str, str]:
        scenario = self.scenario
        return {f"{scenario.name}/{instance}": scenario.summary.format(instance) for instance in scenario.instances}

    def facts(self, name: str) -> BenchmarkFacts:
        """Facts about an instance; its optimum is the lowest loss that a long search found."""
        budgets = self.scenario.budgets
        return BenchmarkFacts(
            (budgets[0], budgets[-1]), optimum=True, curves=True, extra="", group=f"{self.scenario.name}/*"
        )

    def make(self, name: str, **options: Any) -> NetworkProblem | None:
        family, slash, instance = name.partition("/")
        if family != self.scenario.name:
            return None
        if not slash or instance not in self.scenario.instances:
            raise unknown_instance(family, instance, self.scenario.instances)
        for option in options:
            raise InvalidOption(f"{name!r} has no option {option!r}; it has none")
        from tabular.yahpo.problem import open_problem

        return open_problem(family, instance)


lcbench = SurrogateFamily(LCBENCH)
rbv2_xgboost = SurrogateFamily(RBV2_XGBOOST)
rbv2_rpart = SurrogateFamily(RBV2_RPART)
iaml_glmnet = SurrogateFamily(IAML_GLMNET)
