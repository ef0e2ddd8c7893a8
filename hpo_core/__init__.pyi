"""What a type checker sees of `hpo_core`; the names are those of `__init__.py`."""

from hpo_core import errors
from hpo_core.benchmark import Benchmark
from hpo_core.errors import HpoError
from hpo_core.names import benchmarks
from hpo_core.problems.problem import Problem, Result, SimpleProblem
from hpo_core.problems.wrappers import noisy, shifted, subset, with_budgets
from hpo_core.running.loop import run
from hpo_core.running.optimizer import Optimizer, StoppingCriterion
from hpo_core.running.record import Run
from hpo_core.running.trial import Proposal, Trial
from hpo_core.space import Condition, Forbidden, ForbiddenRelation, Space
from hpo_core.space.hyperparameters import Categorical, Constant, Float, Int, Ordinal

__all__ = [
    "Benchmark",
    "Categorical",
    "Condition",
    "Constant",
    "Float",
    "Forbidden",
    "ForbiddenRelation",
    "HpoError",
    "Int",
    "Optimizer",
    "Ordinal",
    "Problem",
    "Proposal",
    "Result",
    "Run",
    "SimpleProblem",
    "Space",
    "StoppingCriterion",
    "Trial",
    "benchmarks",
    "errors",
    "noisy",
    "run",
    "shifted",
    "subset",
    "with_budgets",
]
