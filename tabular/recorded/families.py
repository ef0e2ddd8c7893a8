"""Names of the recorded tables, FAMILY/INSTANCE, for the registry of `hpo_core`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hpo_core.facts import BenchmarkFacts
from tabular.families import table_problem
from tabular.problem import TableProblem
from tabular.recorded import catalogue


@dataclass(frozen=True)
class RecordedFamily:
    """A family of recorded tables as benchmarks."""

    family: catalogue.Family

    def listing(self) -> dict[str, str]:
        return {f"{self.family.name}/{instance}": self.family.line(instance) for instance in self.family.instances}

    def facts(self, name: str) -> BenchmarkFacts:
        """Facts about a table, which hold for all of the family."""
        first, last = self.family.budgets
        extra, group = self.family.extra, f"{self.family.name}/*"
        return BenchmarkFacts((first, last), optimum=True, curves=last > first, extra=extra, group=group)

    def make(self, name: str, **options: Any) -> TableProblem | None:
        return table_problem(name, options) if name.partition("/")[0] == self.family.name else None


taskset = RecordedFamily(catalogue.TASKSET)
xgboost_tables = RecordedFamily(catalogue.XGBOOST)
deepar = RecordedFamily(catalogue.DEEPAR)
openml_rf = RecordedFamily(catalogue.FOREST)
openml_adaboost = RecordedFamily(catalogue.BOOSTING)
nas_graph = RecordedFamily(catalogue.GRAPH)
