"""Notes that the checksum of a large file was found right, so that it need not be computed whenever it is opened.

They lie in the cache directory of the user: a note that came along with a file says nothing.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from pathlib import Path

from hpo_core.storage.files import cache_directory


def stamp_path(path: Path) -> Path:
    """Where the note about a file lies, or would."""
    name = hashlib.sha256(str(path.resolve()).encode(errors="surrogateescape")).hexdigest()
    return cache_directory() / "verified" / f"{name}.json"


def write_stamp(path: Path, digest: str) -> None:
    """Note that the checksum of a file was found right, and for which state of the file."""
    stamp = stamp_path(path)
    with suppress(OSError):  # on a disk that is full: without the note, opening takes longer
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.write_text(json.dumps(_state(path, digest)))


def is_stamped(path: Path, digest: str) -> bool:
    """Whether a checksum was found right, and the file has not been changed since."""
    try:
        return json.loads(stamp_path(path).read_text()) == _state(path, digest)
    except (OSError, ValueError):
        return False


def _state(path: Path, digest: str) -> list[int | str]:
    """Size, identity and times of a file; that of its last change of any kind cannot be set by whoever writes it."""
    stat = path.stat()
    return [stat.st_size, stat.st_ino, stat.st_mtime_ns, stat.st_ctime_ns, digest]
