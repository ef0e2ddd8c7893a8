"""`MetaData`: one set of configurations with its losses, and perhaps costs, on several tasks.

T, N, B     number of tasks, of configurations, of budgets
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from hpo_core.errors import HpoError
from hpo_core.space import Space
from hpo_core.space.plain_data import space_from_json
from hpo_core.storage.own_files import MOST_NAME
from hpo_core.storage.plain_fields import finite, items, mapping, text
from hpo_core.storage.sealed_hdf5 import UNREADABLE, Kind, read_sealed, unreadable

KIND = Kind("hpo-foundry meta-data", 1, "meta-data file", "`hpo collect` makes one")


class InvalidMetaData(HpoError, ValueError):
    """Values that no meta-model can be trained on."""


@dataclass(frozen=True)
class MetaData:
    """Training data of a meta-model.

    family      name of the model
    codes       (N, d) configurations, as `space.encode` gives them
    losses      (T, N, B)
    costs       (T, N) seconds at the full budget, or None
    tasks       names of the tasks
    loss_range  lowest and highest possible loss
    log_loss    whether the logarithm of the loss is modelled
    budgets     at which the losses were measured; several make multi-fidelity tasks
    """

    family: str
    space: Space
    codes: np.ndarray
    losses: np.ndarray
    costs: np.ndarray | None = None
    tasks: tuple[str, ...] = ()
    loss_range: tuple[float, float] = (-math.inf, math.inf)
    log_loss: bool = False
    budgets: tuple[float, ...] = (1,)
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        codes = self.space.check_codes(np.asarray(self.codes))
        losses = _numbers("losses", self.losses)
        if losses.ndim == 2:
            losses = losses[:, :, None]
        shape = (len(losses), len(codes), len(self.budgets))
        if losses.shape != shape:
            raise InvalidMetaData(
                f"losses must be (tasks, {len(codes)} configurations, {len(self.budgets)} budgets), got {losses.shape}"
            )
        if len(losses) < 2:
            raise InvalidMetaData(f"a meta-model needs at least two tasks, got {len(losses)}")
        if len(codes) < 5:
            raise InvalidMetaData(f"a meta-model needs at least five configurations, got {len(codes)}")
        _check_range(losses, self.loss_range, self.log_loss)
        flat = np.flatnonzero(np.ptp(losses, axis=(1, 2)) == 0)
        if len(flat):
            raise InvalidMetaData(f"losses of a task must differ, task {flat[0]} is constant; leave it out")
        object.__setattr__(self, "codes", codes)
        object.__setattr__(self, "losses", losses)
        object.__setattr__(self, "tasks", tuple(self.tasks) or tuple(f"task {t}" for t in range(len(losses))))
        if self.costs is not None:
            object.__setattr__(self, "costs", _check_costs(self.costs, shape))

    def only(self, rows: np.ndarray) -> MetaData:
        """The same with some of the configurations."""
        costs = None if self.costs is None else self.costs[:, rows]
        return replace(self, codes=self.codes[rows], losses=self.losses[:, rows], costs=costs)

    def without(self, task: int) -> MetaData:
        """The same without one of the tasks."""
        kept = [t for t in range(len(self.tasks)) if t != task]
        costs = None if self.costs is None else self.costs[kept]
        return replace(self, losses=self.losses[kept], costs=costs, tasks=tuple(self.tasks[t] for t in kept))


def _numbers(noun: str, values: object) -> np.ndarray:
    """Array of floats; raises `InvalidMetaData` for lists of unequal lengths and for missing values."""
    if isinstance(values, Sequence) and not isinstance(values, str):
        lengths = {len(row) for row in values if hasattr(row, "__len__")}
        if len(lengths) > 1:
            raise InvalidMetaData(f"all tasks need {noun} at the same configurations, got {sorted(lengths)} of them")
    try:
        array = np.asarray(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise InvalidMetaData(f"{noun} must be numbers: {error}") from None
    if array.ndim not in (2, 3):
        raise InvalidMetaData(f"{noun} must be an array of tasks by configurations, got shape {array.shape}")
    if not np.isfinite(array).all():
        n = int((~np.isfinite(array)).sum())
        raise InvalidMetaData(
            f"{noun} must be finite numbers, {n} of {array.size} are missing or infinite; leave such configurations out"
        )
    return array


def _check_range(losses: np.ndarray, loss_range: tuple[float, float], log_loss: bool) -> None:
    low, high = loss_range
    if losses.min() < low or losses.max() > high or not low < high:
        raise InvalidMetaData(f"losses must lie in {low}..{high}, got {losses.min():g}..{losses.max():g}")
    if log_loss and losses.min() <= 0:
        raise InvalidMetaData(f"only positive losses have logarithms, the lowest is {losses.min():g}")


def _check_costs(costs: object, shape: tuple[int, int, int]) -> np.ndarray:
    array = _numbers("costs", costs)
    if array.shape != shape[:2]:
        raise InvalidMetaData(f"costs must be (tasks, configurations) = {shape[:2]}, got {array.shape}")
    if array.min() <= 0:
        raise InvalidMetaData(f"costs are seconds and must be positive, the lowest is {array.min():g}")
    return array


def read_meta_data(path: Path) -> MetaData:
    """Meta-data of a file that `hpo collect` wrote; losses are errors of classifiers or errors of regressors, >= 0."""
    header, columns = read_sealed(path, KIND)
    try:
        return _meta_data(header, columns)
    except UNREADABLE as error:
        raise unreadable(path, KIND, error) from None


def _meta_data(header: dict[str, Any], columns: dict[str, np.ndarray]) -> MetaData:
    space = space_from_json(mapping(header.get("space"), "the space"))
    tasks = [mapping(task, "a task") for task in items(header.get("tasks"), "the tasks")]
    unit = finite(columns["unit"], "unit", (None, len(space)))
    losses = finite(columns["loss"], "loss", (len(tasks), len(unit)))
    costs = finite(columns["cost"], "cost", losses.shape)
    if not unit.size or unit.min() < 0 or unit.max() > 1 or costs.min() < 0:
        raise ValueError("configurations must lie in the unit cube, and costs be 0 or more")
    return MetaData(
        family=text(header.get("family"), "the family", MOST_NAME),
        space=space,
        codes=space.from_unit(unit),
        losses=losses,
        costs=np.maximum(costs, 1e-6),  # clocks have a resolution
        tasks=tuple(text(task.get("name"), "the name of a task") for task in tasks),
        loss_range=(0.0, 1.0) if all(task.get("classes") for task in tasks) else (0.0, math.inf),
        provenance=mapping(header.get("provenance"), "provenance"),
    )
