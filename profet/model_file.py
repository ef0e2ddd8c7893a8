"""A meta-model as one file: a sealed HDF5 file (`hpo_core.storage.sealed_hdf5`), no pickle.

header              name, space, budgets, tasks, provenance, and of each network its sizes and target
/columns/means, variances, weights      the encoding
/columns/loss, cost     (draws, parameters + 1) float32, 16 bits of each number's mantissa, which compress better
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from hpo_core.space.plain_data import space_from_json, space_to_json
from hpo_core.storage.sealed_hdf5 import Kind, checksum, read_sealed, unreadable, write_sealed
from hpo_models.networks.tanh_network import TanhNetwork
from profet.meta_model import Emulator, Encoding, MetaModel
from profet.target import Target

KIND = Kind("hpo-foundry meta-model", 1, "meta-model file", "`hpo profet train` makes one")
KEPT_BITS = 16


def write_model(model: MetaModel, path: Path) -> None:
    """Write a model to a file. A loaded model differs from it by the rounding of its weights."""
    emulators = {"loss": model.loss, **({"cost": model.cost} if model.cost else {})}
    header = {
        "name": model.name,
        "space": space_to_json(model.space),
        "budgets": list(model.budgets),
        "tasks": list(model.tasks),
        "provenance": dict(model.provenance),
        "networks": {
            key: {"sizes": list(e.network.sizes), "target": _target_to_json(e.target)} for key, e in emulators.items()
        },
    }
    arrays = {**model.encoding._asdict(), **{key: rounded(e.theta) for key, e in emulators.items()}}
    write_sealed(Path(path), KIND, header, arrays, compress=True)


def read_model(path: Path) -> MetaModel:
    """Model of a file; raises `DamagedFile` if it is damaged or of a newer version."""
    path = Path(path)
    header, columns = read_sealed(path, KIND)
    try:
        networks = header["networks"]
        emulators = {key: _emulator(networks[key], columns[key]) for key in networks}
        budgets = header["budgets"]
        return MetaModel(
            name=header["name"],
            space=space_from_json(header["space"]),
            encoding=Encoding(columns["means"], columns["variances"], columns["weights"]),
            loss=emulators["loss"],
            cost=emulators.get("cost"),
            budgets=tuple(budgets) if len(budgets) == 1 else range(budgets[0], budgets[-1] + 1),
            tasks=tuple(header["tasks"]),
            provenance=header["provenance"],
            checksum=checksum(path),
        )
    except (LookupError, TypeError, AttributeError) as error:
        raise unreadable(path, KIND, error) from None


def rounded(theta: np.ndarray) -> np.ndarray:
    """float32 numbers with `KEPT_BITS` bits of mantissa, rounded to the nearest."""
    bits = np.ascontiguousarray(theta, dtype=np.float32).view(np.uint32)
    dropped = np.uint32(23 - KEPT_BITS)
    half = np.uint32(1) << (dropped - np.uint32(1))
    return (((bits + half) >> dropped) << dropped).view(np.float32)


def _target_to_json(target: Target) -> dict[str, Any]:
    """Infinite ends as None, since JSON has no infinity; `std` is called `sd` in files."""
    values = {"sd" if key == "std" else key: v for key, v in target._asdict().items()}
    return {key: None if isinstance(v, float) and not np.isfinite(v) else v for key, v in values.items()}


def _emulator(described: dict[str, Any], theta: np.ndarray) -> Emulator:
    target = dict(described["target"])
    low = -np.inf if target["low"] is None else target["low"]
    high = np.inf if target["high"] is None else target["high"]
    restored = Target(target["mean"], target["sd"], low, high, target["log"])
    network = TanhNetwork(described["sizes"])
    if theta.ndim != 2 or theta.shape[1] != network.n_parameters + 1:
        raise LookupError(f"weights of shape {theta.shape} for a network of {network.n_parameters} parameters")
    return Emulator(network, theta, restored)
