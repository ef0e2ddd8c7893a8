"""Results of parts of a computation in one SQLite file, by a key that holds what was computed and with which code."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import zlib
from pathlib import Path
from threading import Lock
from typing import Any

from hpo_core.errors import CannotWrite, DamagedFile

TABLE = "CREATE TABLE IF NOT EXISTS parts (key TEXT PRIMARY KEY, name TEXT, value BLOB, seconds REAL)"


def part_key(name: str, arguments: Any, digest: str) -> str:
    """Key of a part: of a function's name, its arguments and the digest of the code."""
    return hashlib.sha256(json.dumps([name, arguments, digest], sort_keys=True).encode()).hexdigest()


def plain_number(value: Any) -> Any:
    """An array as lists, a number of numpy as Python's: what `json` asks for where it does not know a type."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"numbers are dicts, lists, texts and numbers, got {type(value).__name__}")


class PartStore:
    """Parts that are finished; one process writes, from any of its threads."""

    def __init__(self, path: Path):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(path, check_same_thread=False)
            self._lock = Lock()
            self._database.execute(TABLE)
        except (OSError, sqlite3.OperationalError) as error:
            raise CannotWrite(f"parts are kept in a file that can be written, got {path} ({error})") from None
        except sqlite3.DatabaseError as error:
            raise DamagedFile(f"{path} is no store of parts ({error}); remove it or give another --out") from None

    def get(self, key: str) -> tuple[Any] | None:
        """The value of a part in a tuple, None if it is not there."""
        with self._lock:
            row = self._database.execute("SELECT value FROM parts WHERE key = ?", (key,)).fetchone()
        return None if row is None else (json.loads(zlib.decompress(row[0])),)

    def put(self, key: str, name: str, value: Any, seconds: float) -> Any:
        """The value as it will be read again, after it is stored; one that is there stays."""
        text = json.dumps(value, default=plain_number)
        with self._lock, self._database:
            row = (key, name, zlib.compress(text.encode()), seconds)
            self._database.execute("INSERT OR IGNORE INTO parts VALUES (?, ?, ?, ?)", row)
        return json.loads(text)

    def close(self) -> None:
        self._database.close()
