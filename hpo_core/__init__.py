"""Core of HPO Foundry: spaces, problems, benchmarks and the registry that finds them by name."""

from hpo_core.benchmark import Benchmark
from hpo_core.errors import HpoError
from hpo_core.hyperparameters import Categorical, Constant, Float, Int, Ordinal
from hpo_core.problem import Problem, Result, SimpleProblem
from hpo_core.registry import benchmarks
from hpo_core.space import Condition, Space
from hpo_core.wrappers import noisy, shifted, subset, with_budgets

__all__ = [
    "Benchmark",
    "Categorical",
    "Condition",
    "Constant",
    "Float",
    "HpoError",
    "Int",
    "Ordinal",
    "Problem",
    "Result",
    "SimpleProblem",
    "Space",
    "benchmarks",
    "noisy",
    "shifted",
    "subset",
    "with_budgets",
]
