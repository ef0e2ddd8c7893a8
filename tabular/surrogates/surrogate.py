"""`TrainedSurrogate`: a model of recorded evaluations, with all that is needed to evaluate it and to judge it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from hpo_core.space import Space
from hpo_core.space.plain_data import space_to_json
from tabular.surrogates.quality import Quality
from tabular.surrogates.scales import LossScale, scale_arrays
from tabular.surrogates.trees.bins import Bins
from tabular.surrogates.trees.ensemble import TreeEnsemble


class KnownOptimum(NamedTuple):
    """Lowest loss at the full budget that a search of the surrogate found, and how it was searched for."""

    loss: float
    config: Mapping[str, Any]
    how: str


@dataclass(frozen=True, eq=False)
class TrainedSurrogate:
    """A model of recorded evaluations.

    name          of the benchmark
    space         of the configurations
    budgets       ascending; the last is the full budget, (1,) if there was one only
    bins          of the codes, and of the budget as one more code if there are several
    loss          trees for the loss on its scale
    scale         of the loss
    bounds        lowest and highest recorded loss; no prediction lies outside
    cost          trees for the logarithm of the cost in seconds, None if no costs were recorded
    noise         trees for the logarithm of the variance on the scale of the loss, None if none is known
    resumable     whether a larger budget continues a training
    quality       error on held-out configurations
    optimum       lowest loss known
    provenance    where the rows came from, and what was made of them
    """

    name: str
    space: Space
    budgets: Sequence[float]
    bins: Bins
    loss: TreeEnsemble
    scale: LossScale
    bounds: tuple[float, float]
    cost: TreeEnsemble | None
    noise: TreeEnsemble | None
    resumable: bool
    quality: Quality
    optimum: KnownOptimum | None
    provenance: Mapping[str, Any]

    @property
    def ensembles(self) -> dict[str, TreeEnsemble]:
        """The ensembles that there are, by name."""
        every = {"loss": self.loss, "cost": self.cost, "noise": self.noise}
        return {name: ensemble for name, ensemble in every.items() if ensemble is not None}

    @cached_property
    def arrays(self) -> dict[str, np.ndarray]:
        """All arrays by name, as a file has them."""
        made = {"edges": np.concatenate(self.bins.edges), "edge_counts": np.array([len(e) for e in self.bins.edges])}
        made.update({f"scale_{name}": array for name, array in scale_arrays(self.scale).items()})
        for name, ensemble in self.ensembles.items():
            made.update({f"{name}_{field}": array for field, array in ensemble.nodes.items()})
            made.update({f"{name}_leaf_counts": ensemble.leaf_counts, f"{name}_values": ensemble.values})
        return made

    @cached_property
    def settings(self) -> dict[str, Any]:
        """What an evaluation depends on beside the arrays, as plain data."""
        every = isinstance(self.budgets, range)
        return {
            "space": space_to_json(self.space),
            "budgets": {"range": [self.budgets[0], self.budgets[-1]]} if every else list(self.budgets),
            "categories": list(self.bins.sizes),
            "scale": self.scale.name,
            "bounds": list(self.bounds),
            "intercepts": {name: ensemble.intercept for name, ensemble in self.ensembles.items()},
            "resumable": self.resumable,
        }

    @cached_property
    def checksum(self) -> str:
        """Hexadecimal SHA-256 of what an evaluation depends on."""
        digest = hashlib.sha256(json.dumps(self.settings, sort_keys=True).encode())
        for name, array in sorted(self.arrays.items()):
            digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()
