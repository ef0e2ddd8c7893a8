"""Ax (Olson et al., 2025), which searches with BoTorch (Balandat et al., 2020); options are those of
`Client.configure_generation_strategy`, such as `method` and `initialization_budget`.

Ax proposes quasi-random configurations first and then those of its own choice of model and acquisition function. It
gets choices as their numbers, ordered or not. A failed trial is marked as such; pending ones are Ax's own affair.
"""

from __future__ import annotations

from typing import Any

DISTRIBUTIONS = ["ax-platform", "botorch", "gpytorch", "torch", "numpy"]


def parameter(h: dict) -> Any:
    """Ax's parameter of a hyperparameter."""
    from ax.api.configs import ChoiceParameterConfig, RangeParameterConfig

    if "values" in h:
        numbers = list(range(len(h["values"])))
        ordered = h["kind"] == "ordinal"
        return ChoiceParameterConfig(name=h["name"], values=numbers, parameter_type="int", is_ordered=ordered)
    scaling = "log" if h["log"] else "linear"
    return RangeParameterConfig(name=h["name"], bounds=(h["low"], h["high"]), parameter_type=h["kind"], scaling=scaling)


def value(h: dict, found: Any) -> Any:
    """Value of a hyperparameter that Ax found."""
    if "values" in h:
        return h["values"][int(found)]
    return min(max(int(found) if h["kind"] == "int" else float(found), h["low"]), h["high"])


class AxPeer:
    """An Ax client, asked and told."""

    def __init__(self, hyperparameters: list[dict], seed: int, options: dict):
        import torch
        from ax.api.client import Client

        torch.default_generator.manual_seed(seed)  # what Ax does not seed itself; this process has nobody else
        torch.set_num_threads(1)
        self._hyperparameters = hyperparameters
        self._client = Client(random_seed=seed % 2**31)
        self._client.configure_experiment(parameters=[parameter(h) for h in hyperparameters])
        self._client.configure_optimization(objective="-loss")
        if options:
            self._client.configure_generation_strategy(**options)

    def ask(self) -> tuple[dict, None, int] | None:
        trials = self._client.get_next_trials(max_trials=1)
        for number, found in trials.items():
            return {h["name"]: value(h, found[h["name"]]) for h in self._hyperparameters}, None, number
        return None

    def tell(self, number: int, loss: float | None, cost: float | None) -> None:
        if loss is None:
            self._client.mark_trial_failed(trial_index=number)
        else:
            self._client.complete_trial(trial_index=number, raw_data={"loss": loss})


def build(hyperparameters: list[dict], budgets: list[float], seed: int, options: dict) -> AxPeer:
    return AxPeer(hyperparameters, seed, options)
