"""`Store`: finished runs in one SQLite file. One process writes at a time, any number may read."""

from __future__ import annotations

import hashlib
import sqlite3
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from hpo_core.errors import DamagedFile
from hpo_leaderboard.experiments.execution import FinishedRun
from hpo_leaderboard.experiments.job import Job
from hpo_leaderboard.experiments.plan import BenchmarkRecord
from hpo_leaderboard.experiments.scoring import Scoring
from hpo_leaderboard.experiments.splitting.estimates import Overhead
from hpo_leaderboard.store.file import changes
from hpo_leaderboard.store.file.rows import COLUMNS, StoredRun, StoredSuite, note_of, run_of, suite_of, task_of
from hpo_leaderboard.store.file.verification import Damage, damages
from hpo_leaderboard.store.schema import (
    StoreBusy,
    StoreUnavailable,
    connect_for_reading,
    connect_for_writing,
    explained,
    format_version,
    transaction,
)

if TYPE_CHECKING:
    from hpo_leaderboard.store.frames import Frames

T = TypeVar("T")
LOG = "-wal"  # ending of the file beside a store that holds its last transactions
RATIO, SLACK = 32, 64_000_000  # trials unpack to at most so many times the size of the file, and so many bytes more


class Store:
    """Finished runs in a file; made by `reading` and `writing`. What is read went through `store.file.rows`."""

    def __init__(self, path: Path, connection: sqlite3.Connection):
        self.path = path
        self._connection = connection

    def settled(self) -> dict[str, bytes]:
        """Digest of every run whose outcome is settled, by its key."""
        return dict(self._settled())

    def _settled(self, order: str = "") -> Iterator[tuple[str, bytes]]:
        """Key and digest of every settled run, one at a time."""
        query = f"SELECT key, digest FROM runs NOT INDEXED WHERE settled = 1 {order}"
        with explained(self.path):
            for key, digest in self._connection.execute(query):
                if not (isinstance(key, str) and isinstance(digest, bytes)):
                    raise self.damaged("a run has something else than a key and a digest")
                yield key, digest

    def digest_of(self, key: str) -> bytes | None:
        """Digest of the run with a key, None if there is none whose outcome is settled."""
        with explained(self.path):
            found = self._connection.execute("SELECT digest FROM runs WHERE key = ? AND settled = 1", (key,)).fetchone()
        return None if found is None else found[0]

    def digest(self) -> str:
        """Hexadecimal SHA-256 of the settled runs: equal for two stores of the same runs, however they were made."""
        total = hashlib.sha256()
        for key, digest in self._settled("ORDER BY key"):
            total.update(key.encode() + digest)
        return total.hexdigest()

    def n_runs(self, *, settled: bool = False) -> int:
        """Number of the runs, or of those whose outcome is settled."""
        query = f"SELECT count(*) FROM runs NOT INDEXED {'WHERE settled = 1' if settled else ''}"
        with explained(self.path):
            return self._connection.execute(query).fetchone()[0]

    def runs(self, *, as_stored: bool = False) -> Iterator[StoredRun]:
        """The runs, sorted by benchmark, optimizer, seed and key, or in the order of storing."""
        query = f"{self._select()} WHERE runs.rowid = ?"
        with explained(self.path):
            order = self._position() if as_stored else "benchmark, optimizer, seed, key"
            rows = self._connection.execute(f"SELECT rowid FROM runs NOT INDEXED ORDER BY {order}")
            for row in array("q", (row for (row,) in rows)):  # sorting whole rows would copy every blob
                yield self._run(self._connection.execute(query, (row,)).fetchone())

    def keys(self, *, by_name: bool = False) -> list[str]:
        """Keys of the runs in the order in which they were stored, the latest last; or in the order of `runs`."""
        order = "benchmark, optimizer, seed, key" if by_name else self._position()
        with explained(self.path):
            return [key for (key,) in self._connection.execute(f"SELECT key FROM runs NOT INDEXED ORDER BY {order}")]

    def heads(self) -> Iterator[StoredRun]:
        """The runs in the order of `runs`, with empty columns: what they are, without reading their trials."""
        select = self._select(numbers="x''", configs="x''")
        query = f"{select} ORDER BY benchmark, optimizer, seed, runs.key"
        with explained(self.path):
            yield from map(self._run, self._connection.execute(query))

    def run(self, key: str) -> StoredRun:
        """The run with a key."""
        with explained(self.path):
            row = self._connection.execute(self._by_key, (key,)).fetchone()
        if row is None:
            raise DamagedFile(f"{self.path} has no longer the run {key[:12]}; it was removed while it was read")
        return self._run(row)

    def contents(self, run: StoredRun, room: float | None = None) -> tuple[bytes, bytes]:
        """Decompressed numbers and configurations of a run, which take at most `room` bytes, see `StoredRun`."""
        try:
            return run.contents(self.room() if room is None else room)
        except ValueError as error:
            raise self.damaged(f"{run}: {error}") from None

    def room(self) -> int:
        """Bytes that the trials of a file of this size may take: none that was made by runs unpacks to more."""
        files = (self.path, self.path.with_name(self.path.name + LOG))
        return SLACK + RATIO * sum(file.stat().st_size for file in files if file.exists())

    def overheads(self) -> dict[tuple[str, str], Overhead]:
        """Mean CPU seconds and trials of the runs that did not break, by the labels of benchmark and optimizer."""
        found: dict[tuple[str, str], list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0])
        for head in self.heads():
            if head.failure is None:
                sums = found[head.benchmark, head.optimizer]
                for i, value in enumerate((head.overhead, head.n_trials, 1)):
                    sums[i] += value
        return {names: Overhead(seconds / n, n_trials / n) for names, (seconds, n_trials, n) in found.items()}

    def tasks(self) -> list[BenchmarkRecord]:
        """What is known about the benchmarks."""
        columns = ", ".join(BenchmarkRecord._fields)
        return self._rows(task_of, f"SELECT {columns}, {self._seal()} FROM tasks ORDER BY benchmark, checksum")

    def suites(self) -> list[StoredSuite]:
        """The suites that were run into the store, the latest last."""
        if format_version(self._connection) < 2:
            return []
        position = self._position()
        query = f"SELECT name, version, scoring, {position}, {self._seal()} FROM suites ORDER BY {position}"
        return self._rows(suite_of, query)

    def scoring(self) -> Scoring:
        """Scoring of the latest suite, the default one if it has none."""
        suites = self.suites()
        return suites[-1].scoring if suites else Scoring()

    def about(self) -> dict[str, str]:
        """Notes about what made the store, by name."""
        return dict(self._rows(note_of, f"SELECT name, value, {self._seal()} FROM about ORDER BY name"))

    def frames(self, *, configs: bool = True) -> Frames:
        """Data frames of trials, runs and tasks, see `hpo_leaderboard.store.frames`."""
        from hpo_leaderboard.store.frames import make_frames

        return make_frames(self, configs=configs)

    def damages(self) -> Iterator[Damage]:
        """Everything that is wrong, in words, with the row of the run it is wrong with."""
        return damages(self, self._connection, f"{self._select()} WHERE runs.rowid = ?")

    # --- changes -----------------------------------------------------------------------------------------------------

    def changing(self) -> AbstractContextManager[None]:
        """A context in which all changes are stored, or none if it is left by an exception."""
        return transaction(self._connection)

    def add(self, finished: Iterable[tuple[Job, FinishedRun]]) -> None:
        """Store runs in one transaction; one that is settled is never replaced."""
        self.add_rows([changes.row_of(job, run) for job, run in finished])

    def add_rows(self, rows: Iterable[StoredRun]) -> None:
        """Store rows of this or another store in one transaction; one that is settled is never replaced."""
        with explained(self.path), transaction(self._connection):
            changes.add_runs(self._connection, list(rows))

    def add_tasks(self, tasks: Iterable[BenchmarkRecord], about: dict[str, str]) -> None:
        """Store what is known about benchmarks, and notes."""
        with explained(self.path), transaction(self._connection):
            changes.put(self._connection, "tasks", map(changes.task_values, tasks), n_key=2)
            changes.put(self._connection, "about", about.items(), n_key=1)

    def add_suites(self, suites: Iterable[StoredSuite]) -> None:
        """Store how suites are scored; one that is there already is replaced, and becomes the latest."""
        with explained(self.path), transaction(self._connection):
            rows = [(suite.name, suite.version, suite.scoring.to_json()) for suite in suites]
            changes.put_suites(self._connection, rows)

    def drop(self, keys: Iterable[str]) -> None:
        """Remove runs, so that asking for the experiment again runs them again."""
        with explained(self.path), transaction(self._connection):
            changes.drop(self._connection, "key", keys)

    def drop_damaged(self, rows: Iterable[int]) -> None:
        """Remove the runs of rows that `damages` names."""
        with explained(self.path), transaction(self._connection):
            changes.drop(self._connection, "rowid", rows)

    # --- what the version of the file has ----------------------------------------------------------------------------

    def _select(self, **replaced: str) -> str:
        """SQL for the fields of a `StoredRun`, some replaced by a constant; NULL where the file's version has none."""
        version = format_version(self._connection)
        if version < 3:
            replaced |= {"position": "runs.rowid", "seal": "NULL"}
        if version < 2:
            replaced["n_random"] = "NULL"
        columns = ", ".join(replaced.get(column, f"runs.{column}") for column in COLUMNS)
        return f"SELECT {columns}, coalesce(overheads.seconds, 0.0) FROM runs LEFT JOIN overheads USING (key)"

    @cached_property
    def _by_key(self) -> str:
        return f"{self._select()} WHERE runs.key = ?"

    def _position(self) -> str:
        return "rowid" if format_version(self._connection) < 3 else "position"

    def _seal(self) -> str:
        return "NULL" if format_version(self._connection) < 3 else "seal"

    def _run(self, row: Sequence[Any] | None) -> StoredRun:
        return self._clean(run_of, row)

    def _rows(self, make: Callable[[Sequence[Any]], T], query: str) -> list[T]:
        with explained(self.path):
            return [self._clean(make, row) for row in self._connection.execute(query).fetchall()]

    def _clean(self, make: Callable[[Any], T], row: Sequence[Any] | None) -> T:
        try:
            return make(row)
        except ValueError as error:
            raise self.damaged(str(error)) from None

    def damaged(self, words: str) -> DamagedFile:
        """An error that says what is wrong with the store, and the way out."""
        return DamagedFile(
            f"{self.path}: {words}; `hpo store verify {self.path} --drop-damaged` removes runs that are damaged, "
            "and `hpo leaderboard` runs them again"
        )


@contextmanager
def reading(path: str | Path) -> Iterator[Store]:
    """The store in a file, to read from; another process may be writing it."""
    path = Path(path)
    connection = connect_for_reading(path)
    try:
        yield Store(path, connection)
    finally:
        connection.close()


@contextmanager
def writing(path: str | Path) -> Iterator[Store]:
    """The store in a file, which is made if need be; raises `StoreBusy` while another process writes it.

    The lock is the operating system's, on FILE.lock, so that it ends with the process that holds it.
    """
    from filelock import FileLock, Timeout

    path = Path(path)
    lock = FileLock(path.with_name(path.name + ".lock"))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=0)
    except Timeout:
        raise StoreBusy(
            f"another process is writing {path}; wait until it ends, or take another file with --store and "
            "join the two later with `hpo store merge`"
        ) from None
    except OSError as error:
        raise StoreUnavailable(f"cannot write beside {path} ({error}); take another file with --store") from None
    try:
        connection = connect_for_writing(path)
        try:
            yield Store(path, connection)
        finally:
            connection.close()
    finally:
        lock.release()
