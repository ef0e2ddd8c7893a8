"""Evaluations that were trained on this machine: an SQLite file per problem, safe for many processes."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from fcnet_data.trainers.evaluation import Evaluation
from hpo_core.errors import CacheUnavailable, DamagedFile
from hpo_core.storage.files import VARIABLE

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
        text = json.dumps([measured.valid_loss, measured.test_loss, measured.cost, list(measured.folds)])
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
        valid_loss, test_loss, cost, folds = json.loads(row[0])
        return Evaluation(valid_loss, test_loss, cost, tuple(folds))

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
        if isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError):
            return DamagedFile(f"{self.path}: not a readable file of evaluations ({error}); delete it to train again")
        return CacheUnavailable(
            f"cannot write {self.path} ({error}); make room or give the directory write permission, or set "
            f"{VARIABLE} to another directory"
        )

    def __len__(self) -> int:
        with closing(self._connection().execute("SELECT COUNT(*) FROM evaluations")) as cursor:
            return cursor.fetchone()[0]
