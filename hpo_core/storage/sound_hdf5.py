"""What an HDF5 file may be made of before it is read: arrays of numbers that lie in the file itself, and fit in memory.

A file of HDF5 may name other files (external links, external and virtual datasets), say that it holds gigabytes which
were never written, or unpack to a thousand times its size. All of that is known before anything is read.
"""

from __future__ import annotations

import math
import mmap
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import h5py

MOST_UNPACKED = 256 * 2**20  # bytes that the compressed arrays of one file unpack to
MOST_CHUNKS = 100_000  # of one array, each of which is found and unpacked by itself
HEAP, HEAP_HEAD, HEAP_ITEM = b"GCOL\1\0\0\0", 16, 16  # of a global heap, where HDF5 keeps texts
MOST_ITEMS = 2**16 - 1  # of a heap
ITEM = struct.Struct("<HHIQ")  # number, references, nothing, size


def check_heaps(path: Path, base: int = 0) -> None:
    """Raise `ValueError` for a heap of texts that does not end where its items end, or for a text of endless length.

    The HDF5 library takes both as they are written: it may never come to the end of such a heap, and makes room for
    gigabytes of text before it looks for them. `base` is where the HDF5 part of the file begins.
    """
    if not path.stat().st_size:
        return
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        start = content.find(HEAP)
        while start >= 0:
            _check_heap(content, start)
            _check_references(content, start - base)
            start = content.find(HEAP, start + len(HEAP))


def _check_heap(content: mmap.mmap, start: int) -> None:
    size = int.from_bytes(content[start + 8 : start + HEAP_HEAD], "little")
    end = start + size
    position = start + HEAP_HEAD
    while position + HEAP_ITEM <= min(end, len(content)):
        number, _, _, length = ITEM.unpack_from(content, position)
        # item 0 is the room that is left, with its own head
        position += length if number == 0 else HEAP_ITEM + (length + 7) // 8 * 8
        if number == 0 and length < HEAP_ITEM:
            break
    if position != end and not 0 <= end - position < HEAP_ITEM:
        raise ValueError("a heap of texts does not end where it says")


def _check_references(content: mmap.mmap, heap: int) -> None:
    """A reference to a text is its length (4 bytes), the heap's address (8) and the number of the item (4)."""
    address = heap.to_bytes(8, "little", signed=True)
    at = content.find(address, 4)
    while at >= 0:
        length, number = (int.from_bytes(content[i : i + 4], "little") for i in (at - 4, at + 8))
        if 0 < number <= MOST_ITEMS and length > len(content):
            raise ValueError("a text is said to be longer than the file")
        at = content.find(address, at + 1)


def sound_group(group: h5py.Group, name: str) -> h5py.Group:
    """A group inside of another; raises `ValueError` unless it lies there itself."""
    import h5py

    _check_link(group, name)
    found = group[name]
    if not isinstance(found, h5py.Group):
        raise ValueError(f"{name!r} is no group")
    return found


def sound_arrays(group: h5py.Group) -> dict[str, h5py.Dataset]:
    """The arrays of a group by name; raises `ValueError` for anything that is no array of numbers in this file.

    Those that are compressed unpack to `MOST_UNPACKED` bytes at most, all together; the others lie in the file as they
    are.
    """
    found = dict(_arrays(group))
    packed = [dataset.nbytes for dataset in found.values() if dataset.chunks is not None]
    if sum(packed) > MOST_UNPACKED:
        raise ValueError(f"its compressed arrays unpack to {sum(packed):,} bytes, more than {MOST_UNPACKED:,}")
    return found


def _arrays(group: h5py.Group) -> Iterator[tuple[str, h5py.Dataset]]:
    import h5py

    for name in group:
        _check_link(group, name)
        dataset = group[name]
        if not isinstance(dataset, h5py.Dataset):
            raise ValueError(f"{name!r} is no array")
        check_array(dataset)
        yield name, dataset


def _check_link(group: h5py.Group, name: str) -> None:
    import h5py

    if not isinstance(group.get(name, getlink=True), h5py.HardLink):
        raise ValueError(f"{name!r} lies elsewhere: links to other places and other files are not followed")


def check_array(dataset: h5py.Dataset) -> None:
    """Raise `ValueError` for an array that is not of plain numbers, lies in other files or was never written."""
    from h5py import h5d, h5z

    name = dataset.name
    if dataset.shape is None or dataset.dtype.kind not in "biuf" or dataset.dtype.itemsize > 8:
        raise ValueError(f"{name!r} holds no plain numbers but {dataset.dtype}")
    made = dataset.id.get_create_plist()
    if made.get_layout() == h5d.VIRTUAL or made.get_external_count():
        raise ValueError(f"{name!r} lies elsewhere: virtual and external arrays are not read")
    filters = {made.get_filter(i)[0] for i in range(made.get_nfilters())}
    if filters - {h5z.FILTER_DEFLATE, h5z.FILTER_SHUFFLE}:
        raise ValueError(f"{name!r} is packed in another way than by gzip")
    if dataset.chunks is None:
        if dataset.id.get_storage_size() != dataset.nbytes:
            raise ValueError(f"{name!r} was not written as a whole")
        return
    if math.prod(dataset.chunks) * dataset.dtype.itemsize > MOST_UNPACKED or dataset.nbytes > MOST_UNPACKED:
        raise ValueError(f"{name!r} unpacks to more than {MOST_UNPACKED:,} bytes")
    n_chunks = math.prod(-(-n // size) for n, size in zip(dataset.shape, dataset.chunks, strict=True))
    if n_chunks > MOST_CHUNKS or dataset.id.get_num_chunks() != n_chunks:
        raise ValueError(f"{name!r} was not written as a whole, or in more than {MOST_CHUNKS:,} pieces")
