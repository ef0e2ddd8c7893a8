"""An instance of a scenario as a `Problem`."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from hpo_core.problems.problem import Batch, Result
from hpo_core.space import Config
from tabular.yahpo.folding import FoldedSurrogate
from tabular.yahpo.inputs import InputLayout
from tabular.yahpo.scenarios import SCENARIOS, Scenario
from tabular.yahpo.surrogate import Record, SurrogateNetwork, open_surrogate
from tabular.yahpo.transform import LEAST_LOGIT, restored_logit

LEAST_COST = 1e-6  # seconds: a cost is above zero


class NetworkProblem:
    """Predictions of a scenario's network on one of its instances.

    There is no noise: the seed is ignored. No target is negative, the loss is in [0, 1] and the cost above zero: what
    the network predicts beyond is clipped.
    """

    validates = True
    noise_free_is_cheap = True

    def __init__(self, scenario: Scenario, surrogate: SurrogateNetwork, instance: str):
        self.name = f"{scenario.name}/{instance}"
        self.scenario, self.surrogate, self.instance = scenario, surrogate, instance
        self.space = surrogate.space
        self.budgets, self.budget_range = scenario.budgets, scenario.budget_range
        self.resumable = scenario.resumable
        self.layout, folded = _folded(surrogate, scenario.fidelity, tuple(scenario.fixed.items()))
        self._network, self._entry = folded.network, folded.entry(instance)
        self._inputs = self.layout.one
        self._targets = [target.name for target in surrogate.targets]
        self._restore = [restored_logit(target.transform) for target in surrogate.targets]
        self._loss, self._cost = self._targets.index(scenario.loss), self._targets.index(scenario.cost)

    def evaluate(self, config: Config, budget: float, seed: int | None) -> Result:
        logits = self._network.one(self._entry, self._inputs(config, budget))
        info: dict[str, Any] = {}
        for name, restore, logit in zip(self._targets, self._restore, logits, strict=True):
            info[name] = restore(logit)
        scenario = self.scenario
        loss = scenario.loss_scale * info.pop(scenario.loss) + scenario.loss_shift
        loss = 0.0 if loss < 0.0 else 1.0 if loss > 1.0 else loss
        return Result(loss, max(info.pop(scenario.cost), LEAST_COST), budget, info)

    def evaluate_batch(self, codes: np.ndarray, budget: float, seeds: np.ndarray | None) -> Batch:
        logits = self.logits(codes, budget)
        value = self._restored(logits, self._loss)
        losses = self.scenario.loss_scale * np.maximum(value, 0.0) + self.scenario.loss_shift
        return np.clip(losses, 0.0, 1.0), np.maximum(self._restored(logits, self._cost), LEAST_COST)

    def predictions(self, codes: np.ndarray, budget: float | np.ndarray) -> np.ndarray:
        """(n, n_targets) all targets of (n, d) codes as the network has them, not clipped; budgets may be (n,)."""
        logits = self.logits(codes, budget)
        return np.stack([self._restored(logits, i) for i in range(logits.shape[1])], axis=1)

    def logits(self, codes: np.ndarray, budget: float | np.ndarray) -> np.ndarray:
        """(n, n_targets) what the network gives before sigmoid and transforms."""
        return self._network.many(self._entry, self.layout.many(codes, budget))

    def _restored(self, logits: np.ndarray, index: int) -> np.ndarray:
        values = 1.0 / (1.0 + np.exp(-np.maximum(logits[:, index], LEAST_LOGIT, dtype=float)))
        return self.surrogate.targets[index].transform.many(values)

    @property
    def optimum(self) -> float | None:
        """Lowest loss that the recorded search found."""
        record = self.surrogate.records.get(self.instance)
        return None if record is None else record.optimum

    @property
    def checksum(self) -> str:
        """Hexadecimal SHA-256 of what the results depend on: the network, and which instance."""
        return hashlib.sha256(f"{self.surrogate.checksum} {self.instance}".encode()).hexdigest()

    @property
    def provenance(self) -> Mapping[str, Any]:
        described: dict[str, Any] = {
            **self.surrogate.provenance,
            "kind": "surrogate: predictions of a network, not recorded trainings",
            "seed": "ignored, a prediction has no noise",
        }
        record = self.surrogate.records.get(self.instance)
        return described if record is None else described | _measured(record)


def _measured(record: Record) -> dict[str, Any]:
    """What is known about an instance, as a part of its provenance."""
    return {
        "optimum": {
            "basis": f"lowest loss found by a search of {record.evaluations:,} evaluations; {record.agreeing} of "
            f"{record.restarts} restarts ended there",
            "config": dict(record.config),
            "extrapolated": record.optimum_extrapolated,
        },
        "clipped": record.clipped,
        "extrapolated": record.extrapolated,
    }


@lru_cache(maxsize=16)
def _folded(surrogate: SurrogateNetwork, fidelity: str, fixed: tuple) -> tuple[InputLayout, FoldedSurrogate]:
    """What the instances of a scenario share."""
    layout = InputLayout(surrogate, fidelity, dict(fixed))
    return layout, FoldedSurrogate(surrogate, layout)


def open_problem(name: str, instance: str) -> NetworkProblem:
    """The problem of a scenario's instance."""
    return NetworkProblem(SCENARIOS[name], open_surrogate(name), instance)
