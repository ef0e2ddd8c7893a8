"""Evaluations that were trained on this machine: an SQLite file per problem, safe for many processes.

A row is a key, and JSON of the numbers of its evaluation with a checksum of both. Rows of earlier releases have none.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from fcnet_data.trainers.evaluation import Evaluation
from hpo_core.errors import CacheUnavailable, DamagedFile
from hpo_core.storage.files import VARIABLE
from hpo_core.storage.plain_fields import items

PATIENCE = 60.0  # seconds to wait for another process' write


class EvaluationCache:
    """Evaluations by configuration and seed. If two processes train the same one, both get the one stored first."""

    def __init__(self, path: Path):
        self.path = path
        self._local = threading.local()

    def get(self, key: str, measure: Callable[[], Evaluation]) -> Evaluation:
        """The evaluation stored under a key; if there is none, it is measured and stored."""
        found = self._find(key)
        if found is not None:
            return found
        measured = measure()
        text = _written(key, measured)
        connection = self._connection()
        try:
            with connection:
                connection.execute("INSERT OR IGNORE INTO evaluations VALUES (?, ?)", (key, text))
        except sqlite3.Error as error:
            raise self._unavailable(error) from None
        return self._find(key) or measured

    def _find(self, key: str) -> Evaluation | None:
        try:
            row = self._connection().execute("SELECT numbers FROM evaluations WHERE key = ?", (key,)).fetchone()
        except sqlite3.DatabaseError as error:
            raise self._unavailable(error) from None
        if row is None:
            return None
        try:
            return _read(key, row[0])
        except (TypeError, ValueError, RecursionError) as error:
            raise DamagedFile(
                f"{self.path}: an evaluation in it was altered ({str(error)[:200]}); delete the file to train again"
            ) from None

    def _connection(self) -> sqlite3.Connection:
        """Connection of this thread; opened again if the file was deleted in the meantime."""
        known: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if known is not None and self.path.exists():
            return known
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(self.path, timeout=PATIENCE)
            with connection:
                connection.execute("CREATE TABLE IF NOT EXISTS evaluations (key TEXT PRIMARY KEY, numbers TEXT)")
        except (OSError, sqlite3.Error) as error:
            raise self._unavailable(error) from None
        self._local.connection = connection
        return connection

    def _unavailable(self, error: Exception) -> CacheUnavailable | DamagedFile:
        is_damage = isinstance(error, sqlite3.Error) and (
            not isinstance(error, sqlite3.OperationalError)
            or "no such" in str(error)
            or "Could not decode" in str(error)
        )
        if is_damage:
            return DamagedFile(f"{self.path}: not a readable file of evaluations ({error}); delete it to train again")
        return CacheUnavailable(
            f"cannot write {self.path} ({error}); make room or give the directory write permission, or set "
            f"{VARIABLE} to another directory"
        )

    def __len__(self) -> int:
        try:
            with closing(self._connection().execute("SELECT COUNT(*) FROM evaluations")) as cursor:
                return cursor.fetchone()[0]
        except sqlite3.Error as error:
            raise self._unavailable(error) from None


def _written(key: str, measured: Evaluation) -> str:
    """JSON of an evaluation, which `_read` takes."""
    numbers = [measured.valid_loss, measured.test_loss, measured.cost, list(measured.folds)]
    return json.dumps([*numbers, _checksum(key, numbers)])


def _read(key: str, text: str) -> Evaluation:
    """The evaluation of a row; raises `ValueError` or `TypeError` for one that was altered."""
    found = items(json.loads(text), "an evaluation", 5)
    if len(found) < 4:
        raise ValueError("an evaluation has three numbers and its folds")
    *numbers, folds = found[:4]
    checksum = found[4:]
    if checksum and checksum != [_checksum(key, [*numbers, folds])]:
        raise ValueError("its numbers do not match their checksum")
    valid_loss, test_loss, cost = (_number(value) for value in numbers)
    if not cost >= 0:
        raise ValueError("a cost must be seconds, 0 or more")
    return Evaluation(valid_loss, test_loss, cost, tuple(_number(fold) for fold in items(folds, "the folds", 1000)))


def _number(value: object) -> float:
    if value.__class__ not in (int, float):  # also infinite or NaN, of a training that diverged
        raise ValueError(f"a number was expected, got {value!r:.60}")
    return value


def _checksum(key: str, numbers: list[Any]) -> str:
    return hashlib.sha256(json.dumps([key, *numbers]).encode()).hexdigest()
