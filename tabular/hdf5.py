"""The table format: one HDF5 file per table, columnar, with everything needed to use and to trust it inside.

    attribute format     "hpo-foundry table"
    attribute version    1
    attribute header     JSON: name, space, budgets, budget_unit, units, provenance
    attribute checksum   SHA-256 over the header and every column (name, type, shape, bytes), columns by name
    /columns/NAME        an array, see `tabular.table`; contiguous, so that a large one is memory-mapped,
                         or compressed in files made to be shipped

Configurations are not stored: their order is that of `space.grid`.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_core.errors import DamagedFile, HpoError
from hpo_core.space_json import space_from_json, space_to_json
from tabular.table import Table

if TYPE_CHECKING:
    import h5py

FORMAT, VERSION = "hpo-foundry table", 1
CHECKED_AT_OPENING = 64 * 2**20  # bytes up to which the checksum is computed whenever a file is opened
HASH_BLOCK = 8 * 2**20


def write_table(table: Table, path: Path, *, compress: bool = False) -> None:
    """Write a table to `path`, which appears only when it is complete."""
    from tabular.files import replacing

    header = json.dumps(_header(table), sort_keys=True)
    with replacing(path) as temporary:
        _write(temporary, header, table.columns, compress)
    if _is_large(table.columns):
        _write_stamp(path, checksum(header, table.columns))


def _header(table: Table) -> dict[str, Any]:
    budgets = table.budgets
    return {
        "name": table.name,
        "space": space_to_json(table.space),
        "budgets": {"range": [budgets[0], budgets[-1]]} if isinstance(budgets, range) else list(budgets),
        "budget_unit": table.budget_unit,
        "units": dict(table.units),
        "provenance": {**table.provenance, "optimum": _optima(table)},
    }


def _optima(table: Table) -> dict[str, float]:
    """Lowest mean of each loss at the full budget, kept so that opening a large table need not read it all."""
    losses = [name for name in table.columns if name.endswith("loss") and table.columns[name].ndim > 1]
    return {name: float(np.nanmin(table.mean(name))) for name in losses}


def _write(path: Path, header: str, columns: Mapping[str, np.ndarray], compress: bool) -> None:
    import h5py

    options = {"compression": "gzip", "compression_opts": 9, "shuffle": True} if compress else {}
    with h5py.File(path, "w") as file:
        file.attrs["format"], file.attrs["version"] = FORMAT, VERSION
        file.attrs["header"], file.attrs["checksum"] = header, checksum(header, columns)
        for name in sorted(columns):
            file.create_dataset(f"columns/{name}", data=columns[name], **options)


def checksum(header: str, columns: Mapping[str, np.ndarray]) -> str:
    """Hexadecimal SHA-256 of what a file says."""
    digest = hashlib.sha256(header.encode())
    for name in sorted(columns):
        array = columns[name]
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
        flat = np.ascontiguousarray(array).reshape(-1).data.cast("B")
        for start in range(0, len(flat), HASH_BLOCK):
            digest.update(flat[start : start + HASH_BLOCK])
    return digest.hexdigest()


def read_table(path: Path, *, verify: bool = False) -> Table:
    """Table in a file; raises `DamagedFile` where it is not whole.

    The checksum of a file of up to 64 MB is always computed. That of a larger one is computed when the file is not as
    `write_table` left it (size and time of change, noted beside it), or with `verify=True`.
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"no table at {path}")
    try:
        header, stored, columns = _read(path)
        if (verify or not _is_large(columns) or not _is_stamped(path, stored)) and checksum(header, columns) != stored:
            raise DamagedFile(f"{path}: its contents do not match its checksum; it was altered or cut off")
        return _table(header, columns)
    except HpoError:
        raise
    except (OSError, RuntimeError, KeyError, ValueError, TypeError, EOFError) as error:
        raise DamagedFile(f"{path}: not a readable table ({type(error).__name__}: {error})") from None


def _read(path: Path) -> tuple[str, str, dict[str, np.ndarray]]:
    import h5py

    with h5py.File(path, "r") as file:
        if file.attrs.get("format") != FORMAT:
            raise DamagedFile(
                f"{path}: an HDF5 file, but not a table of HPO Foundry; "
                "`hpo table import` reads the original FC-Net files"
            )
        version = int(file.attrs["version"])
        if version > VERSION:
            raise DamagedFile(
                f"{path}: table format {version}, this release reads up to {VERSION}; upgrade hpo-foundry"
            )
        columns = {name: _column(path, dataset) for name, dataset in file["columns"].items()}
        return file.attrs["header"], file.attrs["checksum"], columns


def _column(path: Path, dataset: h5py.Dataset) -> np.ndarray:
    """The array of a dataset: memory-mapped if it lies in one piece and is large, read otherwise."""
    offset = dataset.id.get_offset()
    if offset is None or dataset.nbytes < CHECKED_AT_OPENING:
        return dataset[()]
    if offset + dataset.nbytes > os.path.getsize(path):
        raise DamagedFile(f"{path}: cut off, column {dataset.name!r} ends behind the end of the file")
    return np.memmap(path, dtype=dataset.dtype, mode="r", offset=offset, shape=dataset.shape)


def _table(header: str, columns: dict[str, np.ndarray]) -> Table:
    data = json.loads(header)
    budgets = data["budgets"]
    if isinstance(budgets, dict):
        first, last = budgets["range"]
        budgets = range(first, last + 1)
    return Table(
        name=data["name"],
        space=space_from_json(data["space"]),
        columns=columns,
        units=data["units"],
        budgets=budgets if isinstance(budgets, range) else tuple(budgets),
        budget_unit=data["budget_unit"],
        provenance=data["provenance"],
    )


def _is_large(columns: Mapping[str, np.ndarray]) -> bool:
    return sum(array.nbytes for array in columns.values()) > CHECKED_AT_OPENING


def _stamp_path(path: Path) -> Path:
    return path.with_name(path.name + ".verified")


def _write_stamp(path: Path, digest: str) -> None:
    """Note beside a large file that its checksum was found right, and for which size and time of change."""
    stat = path.stat()
    _stamp_path(path).write_text(json.dumps([stat.st_size, stat.st_mtime_ns, digest]))


def _is_stamped(path: Path, digest: str) -> bool:
    stat = path.stat()
    try:
        return json.loads(_stamp_path(path).read_text()) == [stat.st_size, stat.st_mtime_ns, digest]
    except (OSError, ValueError):
        return False
