"""Text of files: UTF-8, packed or not, and no more of it than the file's size lets expect."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from hpo_core.errors import DamagedFile

PACKED = (".gz", ".bz2", ".xz", ".zip")  # endings of packed files
MOST_RATIO, ALWAYS, NEVER = 20, 4 * 2**20, 512 * 2**20  # text is packed to a third of its size, or a tenth
UNPACKING = (OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, RuntimeError, NotImplementedError)
MAGIC = {b"PK\3\4": "a zip archive or an Excel file", b"\x1f\x8b": "packed by gzip", b"PAR1": "Parquet"}
UTF16 = (b"\xff\xfe", b"\xfe\xff")


def read_utf8(path: Path) -> str:
    """Text of a file; raises `DamagedFile` for one that is not UTF-8. A byte order mark is left out."""
    with opened_text(path) as file:
        return file.read()


@contextmanager
def opened_text(path: Path) -> Iterator[io.TextIOWrapper]:
    """The text of a file, packed by gzip, bz2, xz or as the one file of a zip archive if its ending says so.

    Line ends are left as they are. Whatever is wrong with the file while it is read ends in a `DamagedFile`.
    """
    try:
        with _opened(path) as raw:
            packed = path.suffix.lower() in PACKED
            limited = io.BufferedReader(Limited(raw, unpacked_limit(path), path)) if packed else raw
            with io.TextIOWrapper(limited, "utf-8-sig", newline="") as text:
                yield text
    except UnicodeDecodeError as error:
        raise not_utf8(path, error) from None
    except (DamagedFile, FileNotFoundError, IsADirectoryError, PermissionError):
        raise
    except UNPACKING as error:
        raise DamagedFile(f"{path} cannot be read ({error}); is it whole?") from None


def unpacked_limit(path: Path) -> int:
    """Bytes that a packed file may unpack to."""
    return min(NEVER, max(ALWAYS, MOST_RATIO * path.stat().st_size))


class Limited(io.RawIOBase):
    """What a packed file holds, up to a number of bytes; more of it raises `DamagedFile`."""

    def __init__(self, raw: IO[bytes], most: int, path: Path):
        self._raw, self._left, self._most, self._path = raw, most, most, path

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._raw.read(len(buffer))
        self._left -= len(data)
        if self._left < 0:
            raise DamagedFile(
                f"{self._path} unpacks to more than {self._most:,} bytes, far more than text does; if that is right, "
                "unpack it first"
            )
        buffer[: len(data)] = data
        return len(data)


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    openers: dict[str, Callable[[Path], Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
    ending = path.suffix.lower()
    if ending != ".zip":
        with openers.get(ending, lambda given: given.open("rb"))(path) as file:
            yield file
        return
    with zipfile.ZipFile(path) as archive:
        members = archive.namelist()
        if len(members) != 1:
            raise DamagedFile(f"{path} must hold one file, it has {len(members)}: {', '.join(members[:5])[:200]}")
        with archive.open(members[0]) as file:
            yield file


def not_utf8(path: Path, error: UnicodeDecodeError) -> DamagedFile:
    """The exception for a file that is not UTF-8: what it is as far as its bytes tell, and the way out."""
    data = error.object
    with path.open("rb") as file:
        beginning = file.read(4)
    packed = path.suffix.lower() in PACKED
    kind = next((words for magic, words in MAGIC.items() if beginning.startswith(magic) and not packed), None)
    if kind is not None:
        return DamagedFile(f"{path} is not text but {kind}; give it the ending of its format, or save it as text")
    start = data[:2] if packed else beginning[:2]
    byte = data[error.start]
    if start in UTF16:
        likely = "UTF-16"
    elif 0 in data:
        return DamagedFile(f"{path} is not text: it holds binary data; save it as text in UTF-8")
    else:  # most often the one of Windows, which says the same as Latin-1 but for 0x80..0x9f
        likely = "WINDOWS-1252"
    unpack = "unpack it, then " if packed else ""
    name = path.name.removesuffix(path.suffix) if packed else path.name
    return DamagedFile(
        f"{path} is not UTF-8 text ({error.reason}, byte {byte:#04x}); save it as UTF-8. If it is {likely}, {unpack}"
        f"`iconv -f {likely} -t UTF-8 {name} > utf8-{name}`"
    )
