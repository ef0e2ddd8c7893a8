"""Configurations from optuna: `Space.suggest` inside of an optuna objective.

    Float         suggest_float                  Ordinal, Categorical, Constant   suggest_categorical of the values
    Int           suggest_int

The suggested values are those of the configuration, so `study.best_params` is a configuration of the space. The price:
optuna, which has no ordinals, does not see the order of an ordinal's values, nor a categorical's weights. The adapters
(`optuna-tpe`...) do it otherwise and hand over an ordinal as the index of its value.

In a space with a list the configuration is the nearest one of the list, and `space.nearest(study.best_params)` gives it
again. A suggestion that a clause forbids raises `InvalidConfig`: with `study.optimize(..., catch=InvalidConfig)` its
trial counts as failed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from hpo_core.space.hyperparameters import Float, Hyperparameter, Int, Value

if TYPE_CHECKING:
    from hpo_core.space import Space


class OptunaTrial(Protocol):
    """What is asked of a trial: `optuna.Trial`, `FixedTrial` and `FrozenTrial` have it."""

    def suggest_float(self, name: str, low: float, high: float, *, log: bool = False) -> float: ...
    def suggest_int(self, name: str, low: int, high: int, *, log: bool = False) -> int: ...
    def suggest_categorical(self, name: str, choices: Sequence[Any]) -> Any: ...


def suggest(space: Space, trial: OptunaTrial) -> dict[str, Value]:
    """Configuration that the trial suggests; what a condition switches off is not asked for."""
    config: dict[str, Value] = {}
    for h in space:
        if space.is_active(h.name, config):
            config[h.name] = _suggested(h, trial)
    return space.nearest(config)


def _suggested(h: Hyperparameter, trial: OptunaTrial) -> Value:
    if isinstance(h, Float):
        return trial.suggest_float(h.name, h.low, h.high, log=h.log)
    if isinstance(h, Int):
        return trial.suggest_int(h.name, h.low, h.high, log=h.log)
    return trial.suggest_categorical(h.name, h.values)
