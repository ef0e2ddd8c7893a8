"""Searchers of Syne Tune (Salinas et al., 2022): BORE and conformalised quantile regression; options are theirs.

A searcher is asked and told without Syne Tune's scheduler, which adds nothing for a single budget. Hyperparameters are
its own domains, choices those of their numbers. It draws from numpy's global generator, which the seed is given to. A
failed trial is told with the highest loss so far, and not at all if there is none yet.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

DISTRIBUTIONS = ["syne-tune", "xgboost", "scikit-learn", "numpy"]


SEARCHERS = {
    "bore": ("bore.bore", "Bore"),
    "cqr": ("conformal.conformal_quantile_regression_searcher", "ConformalQuantileRegression"),
}


def domain(h: dict) -> Any:
    """Syne Tune's domain of a hyperparameter."""
    from syne_tune import config_space

    if "values" in h:
        numbers = list(range(len(h["values"])))
        return config_space.choice(numbers) if h["kind"] == "categorical" else config_space.randint(0, numbers[-1])
    kind = {"float": ("uniform", "loguniform"), "int": ("randint", "lograndint")}[h["kind"]][h["log"]]
    return getattr(config_space, kind)(h["low"], h["high"])


def value(h: dict, found: Any) -> Any:
    """Value of a hyperparameter that the searcher found."""
    if "values" in h:
        return h["values"][int(found)]
    return min(max(int(found) if h["kind"] == "int" else float(found), h["low"]), h["high"])


class SearcherPeer:
    """A searcher, asked and told."""

    def __init__(self, searcher: Any, hyperparameters: list[dict]):
        self._searcher, self._hyperparameters = searcher, hyperparameters
        self._n_asked = 0
        self._worst: float | None = None

    def ask(self) -> tuple[dict, None, tuple[int, dict]] | None:
        found = self._searcher.suggest()
        if found is None:
            return None
        self._n_asked += 1
        return {h["name"]: value(h, found[h["name"]]) for h in self._hyperparameters}, None, (self._n_asked, found)

    def tell(self, handle: tuple[int, dict], loss: float | None, cost: float | None) -> None:
        if loss is not None:
            self._worst = loss if self._worst is None else max(self._worst, loss)
        if self._worst is not None:
            self._searcher.on_trial_complete(*handle, self._worst if loss is None else loss)


def build(hyperparameters: list[dict], budgets: list[float], seed: int, options: dict) -> SearcherPeer:
    """The searcher that the option `searcher` names."""
    import numpy

    module, name = SEARCHERS[options.pop("searcher")]
    make = getattr(import_module(f"syne_tune.optimizer.schedulers.searchers.{module}"), name)
    numpy.random.seed(seed)  # noqa: NPY002 - this process has nobody else
    space = {h["name"]: domain(h) for h in hyperparameters}
    return SearcherPeer(make(space, random_seed=seed, **options), hyperparameters)
