"""A surrogate as a `Problem`: an evaluation takes microseconds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from hpo_core.problems.noise import standard_normal
from hpo_core.problems.problem import Batch, Result
from hpo_core.space import Config, Space
from tabular.surrogates.surrogate import TrainedSurrogate
from tabular.surrogates.trees.scorer import Scorer

NOMINAL_COST = 1.0  # second of an evaluation at the full budget, where no costs are known


class SurrogateProblem:
    """Predictions of a surrogate.

    `seed=None` gives the predicted loss. An int adds noise where the repetitions of recorded configurations showed how
    much there is: normal on the scale on which the trees predict, a function of configuration, budget and seed. The
    cost is the predicted one, or one nominal second at the full budget and in proportion to the budget below it. No
    loss lies below the lowest or above the highest that was recorded.
    """

    validates = True
    noise_free_is_cheap = True

    def __init__(self, surrogate: TrainedSurrogate):
        self.surrogate = surrogate
        self.name: str = surrogate.name
        self.space: Space = surrogate.space
        self.budgets: Sequence[float] = surrogate.budgets
        self.resumable: bool = surrogate.resumable
        self._several = len(self.budgets) > 1
        self.budget_range = (self.budgets[0], self.budgets[-1]) if self._several else None
        self._low, self._high = surrogate.bounds
        self._back = surrogate.scale.back_one
        names = list(surrogate.ensembles)
        self._cost = names.index("cost") if "cost" in names else None
        self._noise = names.index("noise") if "noise" in names else None
        self._scorer = Scorer(surrogate.bins, list(surrogate.ensembles.values()))

    @property
    def optimum(self) -> float | None:
        """Lowest loss at the full budget that a search of the surrogate found."""
        return None if self.surrogate.optimum is None else self.surrogate.optimum.loss

    @property
    def provenance(self) -> Mapping[str, Any]:
        return self.surrogate.provenance

    @cached_property
    def checksum(self) -> str:
        """Of what an evaluation depends on."""
        return self.surrogate.checksum

    def evaluate(self, config: Config, budget: float, seed: int | None) -> Result:
        codes = self.space.codes_of(config)
        sums = self._scorer.one([*codes, budget] if self._several else codes)
        z = sums[0]
        if seed is not None and self._noise is not None:
            z += math.sqrt(float(np.exp(sums[self._noise]))) * standard_normal(codes, budget, seed)
        loss = min(max(self._back(z), self._low), self._high)
        if self._cost is None:
            return Result(loss, NOMINAL_COST * budget / self.budgets[-1], budget, {})
        return Result(loss, float(np.exp(sums[self._cost])), budget, {})

    def evaluate_batch(self, codes: np.ndarray, budget: float, seeds: np.ndarray | None) -> Batch:
        codes = np.where(np.isnan(codes), np.nan, codes).astype(float)  # NaN of one kind only, for the noise
        seen = np.column_stack([codes, np.full(len(codes), float(budget))]) if self._several else codes
        sums = self._scorer.many(seen)
        z = sums[0]
        if seeds is not None and self._noise is not None:
            pairs = zip(codes.tolist(), seeds.tolist(), strict=True)
            normals = np.array([standard_normal(row, budget, seed) for row, seed in pairs])
            z = z + np.sqrt(np.exp(sums[self._noise])) * normals
        losses = np.clip(self.surrogate.scale.back(z), self._low, self._high)
        if self._cost is None:
            return losses, np.full(len(codes), NOMINAL_COST * budget / self.budgets[-1])
        return losses, np.exp(sums[self._cost])
