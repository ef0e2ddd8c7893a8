"""HDF5 files whose writing fails cleanly.

On a full disk the HDF5 library raises from wherever it happens to flush, prints from its destructors once per open
object, and may end the process with a segmentation fault. Here it writes through a Python object instead, which keeps
the first error to itself, takes every later write as done, and leaves it to `hdf5_output` to raise that error.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import h5py


@contextmanager
def hdf5_output(path: Path, userblock_size: int = 0) -> Iterator[tuple[h5py.File, Callable[[], None]]]:
    """A new, open HDF5 file at `path`, and a function that raises the OSError of the first write that failed.

    The error is raised in any case once the file is closed; a long loop calls the function to end early.
    """
    import h5py

    with path.open("w+b", buffering=0) as raw:
        sink = Sink(raw)
        try:
            with h5py.File(sink, "w", userblock_size=userblock_size) as file:
                yield file, sink.check
        finally:
            sink.check()


class Sink:
    """What h5py asks of a file object. After an error it only keeps count, so that HDF5 can close in peace."""

    def __init__(self, raw: FileIO):
        self._raw = raw
        self._position = 0
        self._end = 0
        self.error: OSError | None = None

    def check(self) -> None:
        if self.error is not None:
            raise self.error

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self._position = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: self._end}[whence]
        return self._position

    def tell(self) -> int:
        return self._position

    def read(self, size: int) -> bytes:
        self._raw.seek(self._position)
        data = self._raw.read(size) or b""
        self._position += len(data)
        return data

    def readinto(self, buffer: memoryview) -> int:
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(buffer)  # what was taken as done and is not there reads as whatever the buffer held

    def write(self, data: memoryview) -> int:
        if self.error is None:
            try:
                self._raw.seek(self._position)
                written = 0
                while written < len(data):  # the last write before a disk is full may be a part of what was asked
                    written += self._raw.write(data[written:])
            except OSError as error:
                self.error = error
        self._position += len(data)
        self._end = max(self._end, self._position)
        return len(data)

    def truncate(self, size: int) -> int:
        self._end = size
        if self.error is None:
            try:
                self._raw.truncate(size)
            except OSError as error:
                self.error = error
        return size

    def flush(self) -> None:
        """Nothing is held back."""
