"""Sealed files: named arrays and a header in one HDF5 file that is checked before it is trusted.

    user block           the seal, 512 bytes in front of the HDF5 part: JSON of format (what kind of file it is),
                         version and sha256 (of every byte behind the block), filled up with spaces
    attribute header     JSON, whatever belongs to the kind
    /columns/NAME        an array; contiguous, so that a large one is memory-mapped, or compressed in files made to be
                         shipped: in one piece, or in pieces of so many rows that are read one by one

The seal is checked before HDF5 sees the file: where a single bit of its own structures is wrong, the HDF5 library may
never return.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_core.errors import DamagedFile, HpoError, InvalidOption
from hpo_core.storage.files import replacing
from hpo_core.storage.hdf5_output import hdf5_output
from hpo_core.storage.plain_fields import json_object, text, whole
from hpo_core.storage.sound_hdf5 import MOST_UNPACKED, check_heaps, sound_arrays, sound_group
from hpo_core.storage.stamps import is_stamped, write_stamp

if TYPE_CHECKING:
    import h5py

CHECKED_AT_OPENING = 64 * 2**20  # bytes up to which the checksum is computed whenever a file is opened
SEAL_SIZE = 512  # the smallest user block that HDF5 allows
MOST_WORDS = 500  # of a message about a file, which may quote it
Part = Mapping[str, slice]  # rows of arrays by name
# what h5py, or the use of what it returned, raises over a file that is not as expected
UNREADABLE = (OSError, RuntimeError, LookupError, ValueError, TypeError, AttributeError, ArithmeticError, MemoryError)


@dataclass(frozen=True)
class Kind:
    """A kind of sealed file.

    format      name of the format, written in the seal
    version     the newest that this release reads and the one that it writes
    noun        what such a file is called in messages, such as "table"
    way_out     what to do about a file of another kind
    """

    format: str
    version: int
    noun: str
    way_out: str = ""


def write_sealed(
    path: Path,
    kind: Kind,
    header: Mapping[str, Any],
    arrays: Mapping[str, np.ndarray],
    *,
    compress: bool = False,
    piece: int | None = None,
) -> None:
    """Write header and arrays to `path`, which appears only when it is complete. Equal contents give equal bytes.

    Parameters
    ----------
    path
        File to write or to replace.
    kind
        Kind of file, for its seal.
    header
        What JSON can hold.
    arrays
        Columns of the file by name.
    compress
        Whether to compress, for a file to be shipped; one that is to be memory-mapped must not be.
    piece
        Rows that are compressed together, for a reader that wants some of them; None for all.
    """
    n_bytes = sum(array.nbytes for array in arrays.values())
    if compress and n_bytes > MOST_UNPACKED:
        raise InvalidOption(f"arrays of {n_bytes:,} bytes are too many to compress; write them as they are")
    with replacing(path) as temporary:
        _write(temporary, json.dumps(header, sort_keys=True), arrays, compress, piece)
        digest = checksum(temporary)
        _write_seal(temporary, kind, digest)
    if _is_large(path):
        write_stamp(path, digest)


def _write(path: Path, header: str, arrays: Mapping[str, np.ndarray], compress: bool, piece: int | None) -> None:
    options = {"compression": "gzip", "compression_opts": 9, "shuffle": True} if compress else {}
    with hdf5_output(path, userblock_size=SEAL_SIZE) as (file, _):
        file.attrs["header"] = header
        for name in sorted(arrays):
            shape = arrays[name].shape
            # one chunk: whoever reads a compressed array reads all of it, and it compresses better in one piece
            chunked = compress and arrays[name].size > 0  # HDF5 has no chunks of nothing
            chunks = (min(shape[0], piece or shape[0]), *shape[1:]) if chunked else None
            file.create_dataset(f"columns/{name}", data=arrays[name], chunks=chunks, **(options if chunked else {}))


def checksum(path: Path) -> str:
    """Hexadecimal SHA-256 of what a file holds behind its seal."""
    with path.open("rb") as file:
        file.seek(SEAL_SIZE)
        return hashlib.file_digest(file, "sha256").hexdigest()


def _write_seal(path: Path, kind: Kind, digest: str) -> None:
    seal = json.dumps({"format": kind.format, "version": kind.version, "sha256": digest})
    with path.open("r+b") as file:
        file.write(seal.encode().ljust(SEAL_SIZE))


def is_sealed(path: Path, kind: Kind) -> bool:
    """Whether a file bears the seal of a kind, of whatever version."""
    return _read_seal(path, kind) is not None


def _read_seal(path: Path, kind: Kind) -> dict[str, Any] | None:
    with path.open("rb") as file:
        block = file.read(SEAL_SIZE)
    try:
        seal = json.loads(block)
    except (ValueError, RecursionError):
        return None
    return seal if isinstance(seal, dict) and seal.get("format") == kind.format else None


def read_sealed(
    path: Path, kind: Kind, *, verify: bool = False, part: Callable[[dict[str, Any]], Part] | None = None
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Header and arrays of a file; raises `DamagedFile` where it is not whole.

    The checksum of a file of up to 64 MB is always computed. That of a larger one is computed when the file is not as
    it was when its checksum was last found right (`hpo_core.storage.stamps`), or with `verify=True`.

    `part` tells from the header which rows of which arrays are wanted; those that it does not name are read as a whole.
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"no {kind.noun} at {path}")
    try:
        digest = _check_seal(path, kind)
        if verify or not _is_large(path) or not is_stamped(path, digest):
            if checksum(path) != digest:
                raise DamagedFile(f"{path}: its contents do not match its checksum; it was altered or cut off")
            check_heaps(path, SEAL_SIZE)
            if _is_large(path):
                write_stamp(path, digest)
        return _read(path, part)
    except HpoError:
        raise
    except UNREADABLE as error:
        raise unreadable(path, kind, error) from None


def unreadable(path: Path, kind: Kind, error: Exception) -> DamagedFile:
    """The exception for a file whose seal is right and whose contents are not."""
    words = str(error) if type(error) is ValueError else f"{type(error).__name__}: {error}"
    return DamagedFile(f"{path}: not a readable {kind.noun} ({words[:MOST_WORDS]})")


def _check_seal(path: Path, kind: Kind) -> str:
    """Checksum that a file claims to have."""
    seal = _read_seal(path, kind)
    if seal is None:
        way_out = f"; {kind.way_out}" if kind.way_out else ""
        raise DamagedFile(f"{path}: not a {kind.noun} of HPO Foundry, or its beginning was altered{way_out}")
    version = whole(seal.get("version"), "the version of the format", 1)
    if version > kind.version:
        raise DamagedFile(
            f"{path}: {kind.noun} format {version}, this release reads up to {kind.version}; upgrade hpo-foundry"
        )
    return text(seal.get("sha256"), "the checksum")


def _read(path: Path, part: Callable[[dict[str, Any]], Part] | None) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    import h5py

    with h5py.File(path, "r") as file:
        header = json_object(file.attrs["header"], "the header")
        datasets = sound_arrays(sound_group(file, "columns"))
        rows = {} if part is None else part(header)
        return header, {name: d[rows[name]] if name in rows else _array(path, d) for name, d in datasets.items()}


def _array(path: Path, dataset: h5py.Dataset) -> np.ndarray:
    """The array of a dataset: memory-mapped if it is large and contiguous in the file, read otherwise."""
    offset = dataset.id.get_offset()
    if offset is None or dataset.nbytes < CHECKED_AT_OPENING:
        return dataset[()]
    if offset + dataset.nbytes > os.path.getsize(path):
        raise DamagedFile(f"{path}: cut off, column {dataset.name!r} ends behind the end of the file")
    return np.memmap(path, dtype=plain_dtype(dataset), mode="r", offset=offset, shape=dataset.shape)


def plain_dtype(dataset: h5py.Dataset | h5py.h5d.DatasetID) -> np.dtype:
    """Type of a dataset as numpy itself writes it: h5py spells out the byte order, which a memoryview does not take."""
    return np.dtype(dataset.dtype.str)


def _is_large(path: Path) -> bool:
    return path.stat().st_size > CHECKED_AT_OPENING
