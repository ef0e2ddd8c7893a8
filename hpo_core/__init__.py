"""Core of HPO Foundry: spaces, problems, benchmarks by name, and the loop that runs optimizers on them.

Each name is imported when it is first used: a module that needs the exceptions alone does not pay for numpy.
"""

from typing import Any

_HOMES = {
    "benchmark": ("Benchmark",),
    "errors": ("HpoError",),
    "names": ("benchmarks",),
    "problems.problem": ("Problem", "Result", "SimpleProblem"),
    "problems.wrappers": ("noisy", "shifted", "subset", "with_budgets"),
    "running.loop": ("run",),
    "running.optimizer": ("Optimizer", "StoppingCriterion"),
    "running.record": ("Run",),
    "running.trial": ("Proposal", "Trial"),
    "space": ("Condition", "Forbidden", "ForbiddenRelation", "Space"),
    "space.hyperparameters": ("Categorical", "Constant", "Float", "Int", "Ordinal"),
}
_TARGETS = {name: module for module, names in _HOMES.items() for name in names}

__all__ = ["errors", *sorted(_TARGETS)]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name == "errors":
        return import_module("hpo_core.errors")
    if name not in _TARGETS:
        raise AttributeError(f"hpo_core has no {name!r}; dir(hpo_core) lists what there is")
    value = getattr(import_module(f"hpo_core.{_TARGETS[name]}"), name)
    globals()[name] = value  # found without this function from now on
    return value


def __dir__() -> list[str]:
    return __all__
