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
from hpo_core.storage.own_files import MOST_NAME
from hpo_core.storage.plain_fields import budgets, finite, items, mapping, number, text, truth, whole
from hpo_core.storage.sealed_hdf5 import UNREADABLE, Kind, checksum, read_sealed, unreadable, write_sealed
from hpo_models.networks.tanh_network import TanhNetwork
from profet.inputs import Inputs
from profet.meta_model import Emulator, Encoding, MetaModel
from profet.target import Target

KIND = Kind("hpo-foundry meta-model", 1, "meta-model file", "`hpo profet train` makes one")
KEPT_BITS = 16
MOST_UNITS = 100_000  # of a layer


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
        return _model(header, columns, checksum(path))
    except UNREADABLE as error:
        raise unreadable(path, KIND, error) from None


def _model(header: dict[str, Any], columns: dict[str, np.ndarray], digest: str) -> MetaModel:
    space = space_from_json(mapping(header.get("space"), "the space"))
    found = budgets(header.get("budgets"))
    if len(found) > 1 and list(found) != list(range(int(found[0]), int(found[-1]) + 1)):
        raise ValueError("several budgets must be every whole number between two")
    several = range(int(found[0]), int(found[-1]) + 1) if len(found) > 1 else tuple(found)
    tasks = tuple(text(task, "the name of a task") for task in items(header.get("tasks"), "the tasks"))
    encoding = _encoding(columns, len(tasks))
    networks = mapping(header.get("networks"), "the networks")
    if "loss" not in networks or networks.keys() - {"loss", "cost"}:
        raise ValueError(f"a model has networks for loss and cost, got {', '.join(networks)[:100]}")
    width = Inputs(space, several).width + encoding.means.shape[1]
    widths = {"loss": width + 2 * (len(several) > 1), "cost": width}  # two inputs are the budget's
    emulators = {key: _emulator(networks[key], columns[key], widths[key]) for key in networks}
    return MetaModel(
        name=text(header.get("name"), "the name", MOST_NAME),
        space=space,
        encoding=encoding,
        loss=emulators["loss"],
        cost=emulators.get("cost"),
        budgets=several,
        tasks=tasks,
        provenance=mapping(header.get("provenance"), "provenance"),
        checksum=digest,
    )


def _encoding(columns: dict[str, np.ndarray], n_tasks: int) -> Encoding:
    means = finite(columns["means"], "means", (n_tasks, None))
    variances = finite(columns["variances"], "variances", means.shape)
    if not means.size or variances.min() < 0:
        raise ValueError("every task must have a position, and no variance may be negative")
    return Encoding(means, variances, finite(columns["weights"], "weights", means.shape[1:]))


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


def _emulator(described: object, theta: np.ndarray, width: int) -> Emulator:
    """A network with as many inputs as it gets and one output, and its draws."""
    said = mapping(described, "a network")
    sizes = [whole(size, "the size of a layer", 1, MOST_UNITS) for size in items(said.get("sizes"), "the layers", 20)]
    if len(sizes) < 2 or sizes[0] != width or sizes[-1] != 1:
        raise ValueError(f"a network must have {width} inputs and one output, got layers of {sizes}")
    network = TanhNetwork(sizes)
    finite(theta, "the draws of a network", (None, network.n_parameters + 1))
    if not len(theta):
        raise ValueError("a network must have a draw")
    return Emulator(network, theta, _target(mapping(said.get("target"), "the target of a network")))


def _target(said: dict[str, Any]) -> Target:
    low = -np.inf if said.get("low") is None else number(said["low"], "the lowest value")
    high = np.inf if said.get("high") is None else number(said["high"], "the highest value")
    std = number(said.get("sd"), "the standard deviation", 0.0)
    if not low < high or std == 0:
        raise ValueError("a target must have a range and a standard deviation above 0")
    mean = number(said.get("mean"), "the mean of a target")
    return Target(float(mean), float(std), float(low), float(high), truth(said.get("log"), "log"))
