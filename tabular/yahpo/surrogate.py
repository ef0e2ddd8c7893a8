"""`SurrogateNetwork`: one scenario's network as data, and the file that holds it.

    header                space, inputs, targets, instances, their records, source and licence
    embedding.J           (codes, width) of categorical input J
    first.weight, .bias   the first layer
    K.norm                (4, width) weight, bias, mean and variance of a batch normalisation, K the block or `last`
    K.first.weight ...    (2 units, width) of block K: values, then gates; K.second.weight (width, units)
    head.weight, .bias    the last layer

The weights are the float32 numbers of the source. How they are combined is in `tabular.yahpo.folding`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from hpo_core.space import Space
from hpo_core.space.plain_data import space_from_json, space_to_json
from hpo_core.storage.plain_fields import items, mapping, number, text
from hpo_core.storage.sealed_hdf5 import UNREADABLE, Kind, read_sealed, unreadable, write_sealed
from tabular.yahpo.sound_network import (
    check_input,
    check_output,
    check_weights,
    sound_codes,
    sound_record,
    sound_transform,
)
from tabular.yahpo.transform import Transform

KIND = Kind("hpo-foundry surrogate networks", 1, "file of surrogate networks", "reinstall hpo-foundry")
EVALUATION = 1  # goes up when a release gets other numbers out of the same weights, beyond rounding


@dataclass(frozen=True)
class NumericInput:
    """An input that is a number: a hyperparameter, the budget or a fixed one; `absent` is what stands for no value."""

    name: str
    transform: Transform
    absent: float = 0.0


@dataclass(frozen=True)
class CategoricalInput:
    """An input that is looked up in an embedding: the code of each value."""

    name: str
    codes: Mapping[str, int]


@dataclass(frozen=True)
class NetworkTarget:
    """An output of the network."""

    name: str
    transform: Transform


@dataclass(frozen=True)
class Record:
    """What was measured on an instance, at the full budget.

    Attributes
    ----------
    optimum, config
        Lowest loss that a search found, and where.
    evaluations, restarts, agreeing
        Of that search: evaluations, its independent restarts, and how many of them ended at that loss.
    clipped
        Share of 10,000 random configurations with a negative target or a loss outside of [0, 1], which are clipped.
    extrapolated
        Share of the same with a logit beyond 50 in size: no recorded evaluation can have taught the network that.
    optimum_extrapolated
        Whether the best configuration is one of these.
    """

    optimum: float
    config: Mapping[str, Any]
    evaluations: int
    restarts: int
    agreeing: int
    clipped: float
    extrapolated: float
    optimum_extrapolated: bool


@dataclass(frozen=True, eq=False)
class SurrogateNetwork:
    """A scenario's network, not yet folded.

    Attributes
    ----------
    space
        Hyperparameters, without instance, budget and fixed inputs.
    numbers, categories, targets
        Inputs and outputs in the network's order; the first category is the instance.
    arrays
        Weights by name, see the module's docstring.
    provenance
        Source, commit, licence and paper.
    published
        By instance, (n_targets, 2) minimum and maximum of each target, as published with the network.
    records
        By instance; empty before the search.
    """

    name: str
    space: Space
    numbers: tuple[NumericInput, ...]
    categories: tuple[CategoricalInput, ...]
    targets: tuple[NetworkTarget, ...]
    arrays: Mapping[str, np.ndarray]
    provenance: Mapping[str, str]
    published: Mapping[str, Sequence[Sequence[float]]]
    records: Mapping[str, Record] = field(default_factory=dict)

    @property
    def n_blocks(self) -> int:
        """Number of residual blocks."""
        return sum(name.endswith(".first.weight") for name in self.arrays)

    @cached_property
    def checksum(self) -> str:
        """Hexadecimal SHA-256 of what an evaluation depends on."""
        digest = hashlib.sha256(f"{EVALUATION} {json.dumps(_described(self), sort_keys=True)}".encode())
        for name in sorted(self.arrays):
            digest.update(f"{name} {self.arrays[name].shape}".encode())
            digest.update(np.ascontiguousarray(self.arrays[name]).data.cast("B"))
        return digest.hexdigest()


def shipped_path(name: str) -> Path:
    """Where the file of a scenario lies that comes with this package."""
    return Path(__file__).parents[1] / "data" / "yahpo" / f"{name}.h5"


@lru_cache(maxsize=8)
def open_surrogate(name: str) -> SurrogateNetwork:
    """The surrogate of a scenario that comes with this package."""
    return read_surrogate(shipped_path(name))


def write_surrogate(surrogate: SurrogateNetwork, path: Path) -> None:
    """Write a surrogate to a file, which appears only when it is complete."""
    records = {instance: asdict(record) for instance, record in surrogate.records.items()}
    measured = {"records": records, "published": dict(surrogate.published)}
    header = {**_described(surrogate), **measured, "provenance": dict(surrogate.provenance)}
    write_sealed(path, KIND, header, surrogate.arrays, compress=True)


def read_surrogate(path: Path) -> SurrogateNetwork:
    """The surrogate of a file; raises `DamagedFile` where it is not whole."""
    header, arrays = read_sealed(path, KIND)
    try:
        return _network(header, arrays)
    except UNREADABLE as error:
        raise unreadable(path, KIND, error) from None


def _network(header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> SurrogateNetwork:
    space = space_from_json(mapping(header.get("space"), "the space"))
    numbers = tuple(_number(data, space) for data in items(header.get("numbers"), "the inputs"))
    targets = tuple(_output(data) for data in items(header.get("targets"), "the outputs"))
    described = [mapping(data, "a category") for data in items(header.get("categories"), "the categories")]
    check_weights(arrays, len(numbers), len(described), len(targets))
    categories = []
    for i, data in enumerate(described):
        name = text(data.get("name"), "the name of a category")
        categories.append(CategoricalInput(name, sound_codes(data.get("codes"), arrays[f"embedding.{i}"], name)))
    records = mapping(header.get("records"), "the records")
    return SurrogateNetwork(
        name=text(header.get("name"), "the name"),
        space=space,
        numbers=numbers,
        categories=tuple(categories),
        targets=targets,
        arrays=arrays,
        provenance=mapping(header.get("provenance"), "provenance"),
        published=mapping(header.get("published"), "the published ranges"),
        records={instance: Record(**sound_record(record)) for instance, record in records.items()},
    )


def _number(data: object, space: Space) -> NumericInput:
    said = mapping(data, "an input")
    name, transform = text(said.get("name"), "the name of an input"), sound_transform(said.get("transform"))
    check_input(name, transform, space)
    return NumericInput(name, transform, number(said.get("absent"), "what stands for no value"))


def _output(data: object) -> NetworkTarget:
    said = mapping(data, "an output")
    name, transform = text(said.get("name"), "the name of an output"), sound_transform(said.get("transform"))
    check_output(name, transform)
    return NetworkTarget(name, transform)


def _described(surrogate: SurrogateNetwork) -> dict[str, Any]:
    """Everything but the arrays and what was measured, as plain data."""
    return {
        "name": surrogate.name,
        "space": space_to_json(surrogate.space),
        "numbers": [asdict(number) for number in surrogate.numbers],
        "categories": [{"name": c.name, "codes": dict(c.codes)} for c in surrogate.categories],
        "targets": [asdict(target) for target in surrogate.targets],
    }
