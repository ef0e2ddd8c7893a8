"""HPO Foundry: benchmarks for hyperparameter optimization, and the optimizers, criteria and scores to go with them.

    import hpo_foundry as hpo

    b = hpo.Benchmark("protein")
    r = hpo.run(b, "tpe", n_trials=100, seed=0)
    r.best.loss, r.best_config

Everything that users need is here under one name, each part imported when it is first used, so the import itself takes
no time. The packages behind it (`hpo_core`, `baselines`, `tabular`, `profet`, `hpo_leaderboard`...) hold the rest.
Functions are named by one rule: `open_` takes a name, of what is installed or was kept; `read_` and `write_` take the
path of a file.
"""

from typing import Any

_HOMES = {
    "baselines": ("criterion", "optimizer", "register_optimizer"),
    "hpo_core": (
        *("Benchmark", "HpoError", "Problem", "Result", "SimpleProblem", "benchmarks"),
        *("Categorical", "Condition", "Constant", "Float", "Int", "Ordinal", "Space"),
        *("Forbidden", "ForbiddenRelation"),
        *("Optimizer", "Proposal", "Run", "StoppingCriterion", "Trial", "run"),
        *("noisy", "shifted", "subset", "with_budgets"),
    ),
    "hpo_core.names": ("criteria", "optimizers"),
    "hpo_leaderboard.experiments.study_priors": ("study_prior",),
    "hpo_leaderboard.experiments.suite": ("Suite", "open_suite", "make_suite"),
    "hpo_leaderboard.exports.exporting": ("export_runs",),
    "hpo_leaderboard.leaderboards": ("compare", "leaderboard", "report"),
    "hpo_leaderboard.scores.comparisons": ("mann_whitney",),
    "hpo_leaderboard.scores.critical_difference": ("critical_difference",),
    "hpo_leaderboard.scores.curves": ("curve_summary", "curves"),
    "hpo_leaderboard.scores.fixed_target.runtimes": ("ecdf", "runtimes"),
    "hpo_leaderboard.scores.incumbents": ("final_values", "incumbents"),
    "hpo_leaderboard.scores.ranks": ("average_ranks",),
    "hpo_leaderboard.stopping.run_sources": ("read_runs",),
    "hpo_leaderboard.stopping.replay": ("replay",),
    "profet": ("Task", "open_model"),
    "tabular": ("Table", "open_table", "read_table", "write_table"),
}
_TARGETS = {name: (module, name) for module, names in _HOMES.items() for name in names} | {
    "errors": ("hpo_core.errors", None),
    "evaluate_tasks": ("profet.many_tasks", "batch"),
    "read_model": ("profet", "read_model"),
    "sample_tasks": ("profet", "sample"),
    "train_model": ("profet", "train"),
    "write_model": ("profet", "write_model"),
}

__all__ = ["__version__", *sorted(_TARGETS)]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name == "__version__":
        from importlib.metadata import version

        value: Any = version("hpo-foundry")
    elif name in _TARGETS:
        module, attribute = _TARGETS[name]
        value = import_module(module) if attribute is None else getattr(import_module(module), attribute)
    else:
        raise AttributeError(f"hpo_foundry has no {name!r}; dir(hpo_foundry) lists what there is")
    globals()[name] = value  # found without this function from now on
    return value


def __dir__() -> list[str]:
    return __all__
