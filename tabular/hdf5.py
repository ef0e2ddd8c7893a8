"""The table format: one HDF5 file per table, columnar, with everything needed to use and to trust it inside.

    user block           the seal, 512 bytes in front of the HDF5 part: JSON of format ("hpo-foundry table"),
                         version (1) and sha256 (of every byte behind the block), filled up with spaces
    attribute header     JSON: name, space, budgets, budget_unit, units, provenance
    /columns/NAME        an array, see `tabular.table`; contiguous, so that a large one is memory-mapped,
                         or compressed in files made to be shipped

Configurations are not stored: their order is that of `space.grid`. The seal is checked before HDF5 sees the file:
where a single bit of its own structures is wrong, the HDF5 library may never return.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_core.errors import DamagedFile
from hpo_core.space_json import space_from_json, space_to_json
from tabular.hdf5_output import hdf5_output
from tabular.table import Table

if TYPE_CHECKING:
    import h5py

FORMAT, VERSION = "hpo-foundry table", 1
CHECKED_AT_OPENING = 64 * 2**20  # bytes up to which the checksum is computed whenever a file is opened
SEAL_SIZE = 512  # the smallest user block that HDF5 allows
# what h5py, or the use of what it returned, raises over a file that is not as expected
UNREADABLE = (OSError, RuntimeError, LookupError, ValueError, TypeError, AttributeError, ArithmeticError, MemoryError)


def write_table(table: Table, path: Path, *, compress: bool = False) -> None:
    """Write a table to `path`, which appears only when it is complete."""
    from tabular.files import replacing

    header = json.dumps(_header(table), sort_keys=True)
    with replacing(path) as temporary:
        _write(temporary, header, table.columns, compress)
        digest = checksum(temporary)
        _write_seal(temporary, digest)
    if _is_large(path):
        _write_stamp(path, digest)


def _header(table: Table) -> dict[str, Any]:
    budgets = table.budgets
    return {
        "name": table.name,
        "space": space_to_json(table.space),
        "budgets": {"range": [budgets[0], budgets[-1]]} if _is_every_integer(budgets) else list(budgets),
        "budget_unit": table.budget_unit,
        "units": dict(table.units),
        "provenance": {**table.provenance, "optimum": _optima(table)},
    }


def _is_every_integer(budgets: Sequence[float]) -> bool:
    return isinstance(budgets, range) and budgets.step == 1


def _optima(table: Table) -> dict[str, float]:
    """Lowest mean of each loss at the full budget, kept so that opening a large table need not read it all."""
    losses = [name for name in table.columns if name.endswith("loss") and table.columns[name].ndim > 1]
    return {name: float(np.nanmin(table.mean(name))) for name in losses}


def _write(path: Path, header: str, columns: Mapping[str, np.ndarray], compress: bool) -> None:
    options = {"compression": "gzip", "compression_opts": 9, "shuffle": True} if compress else {}
    with hdf5_output(path, userblock_size=SEAL_SIZE) as (file, _):
        file.attrs["header"] = header
        for name in sorted(columns):
            file.create_dataset(f"columns/{name}", data=columns[name], **options)


def checksum(path: Path) -> str:
    """Hexadecimal SHA-256 of what a file holds behind its seal."""
    with path.open("rb") as file:
        file.seek(SEAL_SIZE)
        return hashlib.file_digest(file, "sha256").hexdigest()


def _write_seal(path: Path, digest: str) -> None:
    seal = json.dumps({"format": FORMAT, "version": VERSION, "sha256": digest})
    with path.open("r+b") as file:
        file.write(seal.encode().ljust(SEAL_SIZE))


def is_table(path: Path) -> bool:
    """Whether a file bears the seal of this format, of whatever version."""
    return _read_seal(path) is not None


def _read_seal(path: Path) -> dict[str, Any] | None:
    with path.open("rb") as file:
        block = file.read(SEAL_SIZE)
    try:
        seal = json.loads(block)
    except ValueError:
        return None
    return seal if isinstance(seal, dict) and seal.get("format") == FORMAT else None


def read_table(path: Path, *, verify: bool = False) -> Table:
    """Table in a file; raises `DamagedFile` where it is not whole.

    The checksum of a file of up to 64 MB is always computed. That of a larger one is computed when the file is not as
    `write_table` left it (size and time of change, noted beside it), or with `verify=True`.
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"no table at {path}")
    try:
        digest = _check_seal(path)
        if (verify or not _is_large(path) or not _is_stamped(path, digest)) and checksum(path) != digest:
            raise DamagedFile(f"{path}: its contents do not match its checksum; it was altered or cut off")
        return _table(*_read(path))
    except DamagedFile:
        raise
    except UNREADABLE as error:
        raise DamagedFile(f"{path}: not a readable table ({type(error).__name__}: {error})") from None


def _check_seal(path: Path) -> str:
    """Checksum that a file claims to have."""
    seal = _read_seal(path)
    if seal is None:
        raise DamagedFile(
            f"{path}: not a table of HPO Foundry, or its beginning was altered; "
            "`hpo table import` reads the original FC-Net files"
        )
    if int(seal["version"]) > VERSION:
        raise DamagedFile(
            f"{path}: table format {seal['version']}, this release reads up to {VERSION}; upgrade hpo-foundry"
        )
    return seal["sha256"]


def _read(path: Path) -> tuple[str, dict[str, np.ndarray]]:
    import h5py

    with h5py.File(path, "r") as file:
        return file.attrs["header"], {name: _column(path, dataset) for name, dataset in file["columns"].items()}


def _column(path: Path, dataset: h5py.Dataset) -> np.ndarray:
    """The array of a dataset: memory-mapped if it lies in one piece and is large, read otherwise."""
    offset = dataset.id.get_offset()
    if offset is None or dataset.nbytes < CHECKED_AT_OPENING:
        return dataset[()]
    if offset + dataset.nbytes > os.path.getsize(path):
        raise DamagedFile(f"{path}: cut off, column {dataset.name!r} ends behind the end of the file")
    return np.memmap(path, dtype=plain_dtype(dataset), mode="r", offset=offset, shape=dataset.shape)


def plain_dtype(dataset: h5py.Dataset | h5py.h5d.DatasetID) -> np.dtype:
    """Type of a dataset as numpy itself writes it: h5py spells out the byte order, which a memoryview does not take."""
    return np.dtype(dataset.dtype.str)


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


def _is_large(path: Path) -> bool:
    return path.stat().st_size > CHECKED_AT_OPENING


def _stamp_path(path: Path) -> Path:
    return path.with_name(path.name + ".verified")


def _write_stamp(path: Path, digest: str) -> None:
    """Note beside a large file that its checksum was found right, and for which size and time of change."""
    stat = path.stat()
    with suppress(OSError):  # on a disk that is now full: without the note, opening takes longer
        _stamp_path(path).write_text(json.dumps([stat.st_size, stat.st_mtime_ns, digest]))


def _is_stamped(path: Path, digest: str) -> bool:
    stat = path.stat()
    try:
        return json.loads(_stamp_path(path).read_text()) == [stat.st_size, stat.st_mtime_ns, digest]
    except (OSError, ValueError):
        return False
