"""A surrogate as one sealed file (`hpo_core.storage.sealed_hdf5`): trees as arrays, no pickle.

header                           name, quality, optimum, provenance, and `TrainedSurrogate.settings`
/columns/edges, edge_counts      of the bins, those of all codes one after another
/columns/loss_*, cost_*, noise_* the trees, see `tabular.surrogates.trees.ensemble`
/columns/scale_*                 of the loss, where its scale needs numbers
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from hpo_core.space import Space
from hpo_core.space.hyperparameters import Categorical
from hpo_core.space.plain_data import config_from_json, space_from_json
from hpo_core.storage.own_files import MOST_NAME
from hpo_core.storage.plain_fields import budgets, finite, items, mapping, number, text, truth
from hpo_core.storage.sealed_hdf5 import UNREADABLE, Kind, is_sealed, read_sealed, unreadable, write_sealed
from tabular.surrogates.quality import Quality
from tabular.surrogates.scales import LossScale, read_scale
from tabular.surrogates.surrogate import KnownOptimum, TrainedSurrogate
from tabular.surrogates.trees.bins import MAX_EDGES, Bins
from tabular.surrogates.trees.ensemble import MAX_LEAVES, NODE_TYPES, TreeEnsemble

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
    space = space_from_json(mapping(header.get("space"), "the space"))
    known_budgets = budgets(header.get("budgets"))
    bins = _bins(header, arrays, space, len(known_budgets))
    intercepts = mapping(header.get("intercepts"), "the intercepts")
    if "loss" not in intercepts or intercepts.keys() - {"loss", "cost", "noise"}:
        raise ValueError(f"a surrogate has trees for loss, cost and noise, got {', '.join(intercepts)[:100]}")
    ensembles = {name: _ensemble(name, value, arrays, len(bins.columns)) for name, value in intercepts.items()}
    return TrainedSurrogate(
        name=text(header.get("name"), "the name", MOST_NAME),
        space=space,
        budgets=known_budgets,
        bins=bins,
        loss=ensembles["loss"],
        scale=_scale(header.get("scale"), arrays),
        bounds=_bounds(header.get("bounds")),
        cost=ensembles.get("cost"),
        noise=ensembles.get("noise"),
        resumable=truth(header.get("resumable"), "resumable"),
        quality=Quality.from_json(mapping(header.get("quality"), "the quality")),
        optimum=_optimum(header.get("optimum"), space),
        provenance=mapping(header.get("provenance"), "provenance"),
    )


def _bins(header: Mapping[str, Any], arrays: Mapping[str, np.ndarray], space: Space, n_budgets: int) -> Bins:
    """Bins that fit the space: edges of numbers, sizes of categoricals."""
    counts = finite(arrays["edge_counts"], "edge_counts", (len(space) + (n_budgets > 1),), "iu").tolist()
    edges = finite(arrays["edges"], "edges", (sum(counts),))
    parts = tuple(np.split(edges, np.cumsum(counts)[:-1]))
    sizes = [int(h.size) if isinstance(h, Categorical) and h.size > 1 else 0 for h in space] + [0] * (n_budgets > 1)
    if header.get("categories") != sizes:
        raise ValueError("the sizes of the categoricals must be those of the space")
    for count, size, part in zip(counts, sizes, parts, strict=True):
        if not 0 <= count <= MAX_EDGES * (size == 0) or (np.diff(part) <= 0).any():
            raise ValueError(f"a number must have up to {MAX_EDGES} ascending edges, and a categorical none")
    return Bins(parts, tuple(sizes))


def _ensemble(name: str, intercept: object, arrays: Mapping[str, np.ndarray], n_columns: int) -> TreeEnsemble:
    """Trees whose nodes test columns that there are, and leave the last leaf within reach."""
    counts = finite(arrays[f"{name}_leaf_counts"], f"{name}_leaf_counts", (None,), "iu").astype(np.int64)
    if ((counts < 1) | (counts > MAX_LEAVES)).any():  # no trees at all are a constant
        raise ValueError(f"a tree of {name} must have 1 to {MAX_LEAVES} leaves")
    values = finite(arrays[f"{name}_values"], f"{name}_values", (int(counts.sum()),))
    nodes = {field: arrays[f"{name}_{field}"] for field in NODE_TYPES}
    n_nodes = len(nodes["tree"])
    for field, kind in NODE_TYPES.items():
        finite(nodes[field], f"{name}_{field}", (n_nodes,), np.dtype(kind).kind)
    trees, first, end = (nodes[field].astype(np.int64) for field in ("tree", "first", "end"))
    if n_nodes and (trees.max() >= len(counts) or int(nodes["column"].max()) >= n_columns):
        raise ValueError(f"a node of {name} is in a tree, or tests a column, that is not there")
    if (first >= end).any() or (end >= counts[trees]).any():
        raise ValueError(f"the leaves to the left of a node of {name} must be some of its tree's, and not the last one")
    return TreeEnsemble(float(number(intercept, "an intercept")), arrays[f"{name}_leaf_counts"], values, nodes)


def _scale(name: object, arrays: Mapping[str, np.ndarray]) -> LossScale:
    numbers = {
        key.removeprefix("scale_"): finite(array, key, (None,))
        for key, array in arrays.items()
        if key.startswith("scale_")
    }
    if name == "scores":
        scores, losses = numbers["scores"], numbers["losses"]
        if len(scores) != len(losses) or len(scores) < 2 or (np.diff(scores) <= 0).any() or (np.diff(losses) < 0).any():
            raise ValueError("the scores and losses of the scale must ascend in pairs")
    return read_scale(text(name, "the scale"), numbers)


def _bounds(data: object) -> tuple[float, float]:
    low, high = (float(number(bound, "a bound of the loss")) for bound in items(data, "the bounds of the loss", 2))
    if low > high:
        raise ValueError(f"the lowest loss must not be above the highest, got {low:g} and {high:g}")
    return low, high


def _optimum(data: object, space: Space) -> KnownOptimum | None:
    if data is None:
        return None
    found = mapping(data, "the optimum")
    config = config_from_json(mapping(found.get("config"), "the best configuration"))
    space.check(config)
    return KnownOptimum(number(found.get("loss"), "the lowest loss"), config, text(found.get("how"), "the search"))
