"""Export of tables in the schema of the original FC-Net files."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hpo_core.errors import InvalidOption, UnsupportedSpace
from hpo_core.space.hyperparameters import Choice
from hpo_core.storage.files import replacing
from hpo_core.storage.hdf5_output import hdf5_output
from tabular.fcnet_files.schema import CHOICES, CURVES, FINALS, UNITS
from tabular.table import WRONG_CLASSES, Table


def write_original(table: Table, path: Path) -> None:
    """Write a table in the original schema to `path`, which appears only when it is complete.

    `read_original` restores the same columns, space and budgets if the table is like those that it makes: kinds and
    order of the hyperparameters those of FC-Net, `n_params` an integer per configuration, one budget without an axis.
    The schema does not store names, units and provenance, the curves of `test_loss` and `cost` (their last epoch is
    written), nor other columns: a warning names the numbers that are lost.
    """
    _check_exportable(table)
    lost = [name for name in table.columns if name not in UNITS]
    lost += [f"{name} before the last budget" for name in FINALS.values() if _is_curve(table.columns.get(name))]
    if lost:
        warnings.warn(f"{path}: the FC-Net schema cannot store {', '.join(lost)} of {table.name!r}", stacklevel=2)
    with replacing(Path(path)) as temporary:
        _write_groups(table, temporary, Path(path).name)


def _is_curve(array: np.ndarray | None) -> bool:
    return array is not None and array.ndim == 3


def _check_exportable(table: Table) -> None:
    if set(table.space.names) != CHOICES.keys() or not all(isinstance(h, Choice) for h in table.space):
        raise UnsupportedSpace(
            f"the FC-Net schema holds tables of {', '.join(CHOICES)}; {table.name!r} has {', '.join(table.space.names)}"
        )
    if table.units["loss"] == WRONG_CLASSES:
        raise InvalidOption(
            f"the FC-Net schema holds mean squared errors, the loss of {table.name!r} is the {WRONG_CLASSES}; pass the "
            "table's own file on instead, `hpo table list` says where it is"
        )
    table.require_grid("the FC-Net schema")
    if not all(budget >= 1 and budget == int(budget) for budget in table.budgets):
        raise InvalidOption(f"the FC-Net schema counts epochs from 1 on, budgets of {table.name!r} are {table.budgets}")


def _write_groups(table: Table, path: Path, shown: str) -> None:
    from h5py import h5d, h5g, h5s, h5t
    from tqdm import tqdm

    fields = [_field(table, metric, column) for metric, column in (CURVES | FINALS).items()]
    kinds = [(h5t.py_create(field.buffer.dtype), h5s.create_simple(field.buffer.shape)) for field in fields]
    with hdf5_output(path) as (file, check_written):
        configs = tqdm(table.space.configs(), f"exporting {shown}", table.space.grid.size, leave=False, disable=None)
        for i, config in enumerate(configs):
            group = h5g.create(file.id, json.dumps(config, sort_keys=True).encode())
            for field, (kind, extent) in zip(fields, kinds, strict=True):
                if field.source is not None:
                    field.buffer[field.index] = field.source[i]
                h5d.create(group, field.metric, kind, extent).write(h5s.ALL, h5s.ALL, field.buffer, kind)
            check_written()


class _Field(NamedTuple):
    """A metric of the schema: `source[i]`, written to `buffer[index]`, is that of configuration i."""

    metric: bytes
    source: np.ndarray | None
    buffer: np.ndarray
    index: Any


def _field(table: Table, metric: str, column: str) -> _Field:
    source = table.columns.get(column)
    dtype = table.columns["loss"].dtype if source is None else source.dtype
    if metric in FINALS:
        if source is not None and source.ndim == 3:
            source = source[:, :, -1]
        buffer = np.full(table.n_repetitions, np.nan if source is None else 0, dtype)
        return _Field(metric.encode(), source, buffer, ...)
    buffer = np.full((table.n_repetitions, int(table.budgets[-1])), np.nan, dtype)
    epochs = np.array(table.budgets, dtype=int) - 1 if _is_curve(source) else -1
    return _Field(metric.encode(), source, buffer, (slice(None), epochs))
