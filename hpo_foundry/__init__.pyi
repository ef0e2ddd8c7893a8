"""What a type checker sees of `hpo_foundry`; the names are those of `__init__.py`."""

from baselines import criterion, optimizer, register_optimizer
from hpo_core import (
    Benchmark,
    Categorical,
    Condition,
    Constant,
    Float,
    Forbidden,
    ForbiddenRelation,
    HpoError,
    Int,
    Optimizer,
    Ordinal,
    Problem,
    Proposal,
    Result,
    Run,
    SimpleProblem,
    Space,
    StoppingCriterion,
    Trial,
    benchmarks,
    errors,
    noisy,
    run,
    shifted,
    subset,
    with_budgets,
)
from hpo_core.names import criteria, optimizers
from hpo_leaderboard.experiments.study_priors import study_prior
from hpo_leaderboard.experiments.suite import Suite, make_suite, open_suite
from hpo_leaderboard.exports.exporting import export_runs
from hpo_leaderboard.leaderboards import compare, leaderboard, report
from hpo_leaderboard.scores.comparisons import mann_whitney
from hpo_leaderboard.scores.critical_difference import critical_difference
from hpo_leaderboard.scores.curves import curve_summary, curves
from hpo_leaderboard.scores.fixed_target.runtimes import ecdf, runtimes
from hpo_leaderboard.scores.incumbents import final_values, incumbents
from hpo_leaderboard.scores.ranks import average_ranks
from hpo_leaderboard.stopping.replay import replay
from hpo_leaderboard.stopping.run_sources import read_runs
from profet import Task, open_model, read_model, write_model
from profet import sample as sample_tasks
from profet import train as train_model
from profet.many_tasks import batch as evaluate_tasks
from tabular import Table, open_table, read_table, write_table

__version__: str

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
    "Suite",
    "Table",
    "Task",
    "Trial",
    "__version__",
    "average_ranks",
    "benchmarks",
    "compare",
    "criteria",
    "criterion",
    "critical_difference",
    "curve_summary",
    "curves",
    "ecdf",
    "errors",
    "evaluate_tasks",
    "export_runs",
    "final_values",
    "incumbents",
    "leaderboard",
    "make_suite",
    "mann_whitney",
    "noisy",
    "open_model",
    "open_suite",
    "open_table",
    "optimizer",
    "optimizers",
    "read_model",
    "read_runs",
    "read_table",
    "register_optimizer",
    "replay",
    "report",
    "run",
    "runtimes",
    "sample_tasks",
    "shifted",
    "study_prior",
    "subset",
    "train_model",
    "with_budgets",
    "write_model",
    "write_table",
]
