"""A surrogate as one sealed file (`hpo_core.storage.sealed_hdf5`): trees as arrays, no pickle.

header                           name, quality, optimum, provenance, and `TrainedSurrogate.settings`
/columns/edges, edge_counts      of the bins, those of all codes one after another
/columns/loss_*, cost_*, noise_* the trees, see `tabular.surrogates.trees.ensemble`
/columns/scale_*                 of the loss, where its scale needs numbers
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hpo_core.space.plain_data import space_from_json
from hpo_core.storage.sealed_hdf5 import UNREADABLE, Kind, is_sealed, read_sealed, unreadable, write_sealed
from tabular.surrogates.quality import Quality
from tabular.surrogates.scales import read_scale
from tabular.surrogates.surrogate import KnownOptimum, TrainedSurrogate
from tabular.surrogates.trees.bins import Bins
from tabular.surrogates.trees.ensemble import NODE_TYPES, TreeEnsemble

KIND = Kind("hpo-foundry surrogate", 1, "surrogate", "`hpo surrogate train` makes one")


def write_surrogate(surrogate: TrainedSurrogate, path: Path) -> None:
    """Write a surrogate to `path`, which appears only when it is complete."""
    optimum = surrogate.optimum
    header = {
        "name": surrogate.name,
        "quality": surrogate.quality.to_json(),
        "optimum": None if optimum is None else {**optimum._asdict(), "config": dict(optimum.config)},
        "provenance": dict(surrogate.provenance),
        **surrogate.settings,
    }
    write_sealed(path, KIND, header, surrogate.arrays, compress=True)


def is_surrogate(path: Path) -> bool:
    """Whether a file has the seal of this format, of any version."""
    return is_sealed(path, KIND)


def read_surrogate(path: Path) -> TrainedSurrogate:
    """Surrogate in a file; raises `DamagedFile` where it is not whole."""
    header, arrays = read_sealed(path, KIND)
    try:
        return _surrogate(header, arrays)
    except UNREADABLE as error:
        raise unreadable(path, KIND, error) from None


def _surrogate(header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> TrainedSurrogate:
    ends = np.cumsum(arrays["edge_counts"])[:-1]
    bins = Bins(tuple(np.split(arrays["edges"], ends)), tuple(header["categories"]))
    ensembles = {name: _ensemble(name, value, arrays) for name, value in header["intercepts"].items()}
    optimum = header["optimum"]
    return TrainedSurrogate(
        name=header["name"],
        space=space_from_json(header["space"]),
        budgets=_budgets(header["budgets"]),
        bins=bins,
        loss=ensembles["loss"],
        scale=read_scale(header["scale"], {name.removeprefix("scale_"): array for name, array in arrays.items()}),
        bounds=tuple(header["bounds"]),
        cost=ensembles.get("cost"),
        noise=ensembles.get("noise"),
        resumable=header["resumable"],
        quality=Quality.from_json(header["quality"]),
        optimum=None if optimum is None else KnownOptimum(**optimum),
        provenance=header["provenance"],
    )


def _ensemble(name: str, intercept: float, arrays: Mapping[str, np.ndarray]) -> TreeEnsemble:
    nodes = {field: arrays[f"{name}_{field}"] for field in NODE_TYPES}
    return TreeEnsemble(intercept, arrays[f"{name}_leaf_counts"], arrays[f"{name}_values"], nodes)


def _budgets(data: Any) -> Sequence[float]:
    if isinstance(data, dict):
        first, last = data["range"]
        return range(first, last + 1)
    return tuple(data)
