"""`Journal`: the finished items of a collection, appended to a file one by one; a kill loses only unfinished items.

    first line    JSON: the settings of the collection; a journal with other settings is refused
    records       of equal length: CRC-32 of the rest (4 bytes), index of the item (4 bytes), numbers of the item

An incomplete record at the end, or one whose checksum is wrong, is ignored.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from hpo_core.errors import HpoError


class CollectionStopped(HpoError, OSError):
    """A collection that cannot continue for now; finished items are kept."""


class OtherCollection(HpoError, ValueError):
    """A file that belongs to a collection with other settings."""


class Journal:
    """Finished items of a collection, by their index.

    Parameters
    ----------
    path
        Of the file; made if it does not exist.
    settings
        Of the collection, JSON-serializable.
    dtype, shape
        Of the array of numbers of each item.
    """

    def __init__(self, path: Path, settings: Mapping[str, Any], dtype: np.dtype, shape: tuple[int, ...]):
        self.path = path
        self._dtype, self._shape = dtype, shape
        self._payload = dtype.itemsize * int(np.prod(shape))
        header = json.dumps(dict(settings), sort_keys=True).encode() + b"\n"
        self._start = len(header)
        self.finished: dict[int, np.ndarray] = {}
        try:
            if path.exists():
                self._read(header)
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(header)
            self._file = path.open("r+b", buffering=0)
            self._end = self._start + (path.stat().st_size - self._start) // self._size * self._size
            self._file.truncate(self._end)
        except OSError as error:
            raise self._stopped(error) from None

    @property
    def _size(self) -> int:
        return 8 + self._payload

    def _read(self, header: bytes) -> None:
        content = self.path.read_bytes()
        if header.startswith(content):  # killed while the first line was written
            self.path.write_bytes(header)
            return
        if not content.startswith(header):
            raise OtherCollection(
                f"{self.path} belongs to a collection with other settings; delete it to start again, or give another "
                "--out. It begins with " + content[:300].partition(b"\n")[0].decode(errors="replace")
            )
        for start in range(self._start, len(content) - self._size + 1, self._size):
            record = content[start : start + self._size]
            if zlib.crc32(record[4:]) == int.from_bytes(record[:4], "little"):
                item = int.from_bytes(record[4:8], "little")
                self.finished[item] = np.frombuffer(record, self._dtype, offset=8).reshape(self._shape)

    def append(self, item: int, numbers: np.ndarray) -> None:
        """Write the numbers of a finished item."""
        body = item.to_bytes(4, "little") + np.ascontiguousarray(numbers, self._dtype).tobytes()
        record = zlib.crc32(body).to_bytes(4, "little") + body
        try:
            self._file.seek(self._end)
            written = self._file.write(record)
            if written != len(record):
                raise OSError("no space left on the device")
        except OSError as error:
            self._file.truncate(self._end)
            raise self._stopped(error) from None
        self._end += len(record)
        self.finished[item] = numbers

    def _stopped(self, error: OSError) -> CollectionStopped:
        return CollectionStopped(
            f"cannot write {self.path} ({error}); its {len(self.finished)} finished items are kept: make room or give "
            "the directory write permission, then give the same command again"
        )

    def close(self) -> None:
        os.fsync(self._file.fileno())
        self._file.close()
