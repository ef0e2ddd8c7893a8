"""`Store`: finished runs in one SQLite file. One process writes at a time, any number may read."""

from __future__ import annotations

import hashlib
import sqlite3
import zlib
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from hpo_core.errors import DamagedFile
from hpo_leaderboard.experiments.execution import FinishedRun, run_digest
from hpo_leaderboard.experiments.job import Job, key_of
from hpo_leaderboard.experiments.plan import BenchmarkRecord
from hpo_leaderboard.experiments.scoring import Scoring, scoring_from_json
from hpo_leaderboard.experiments.splitting.estimates import Overhead
from hpo_leaderboard.store.columns import decompress, numbers_size
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

COLUMNS = (
    "key",
    "settled",
    "benchmark",
    "optimizer",
    "seed",
    "description",
    "reason",
    "n_trials",
    "failure",
    "digest",
    "numbers",
    "configs",
    "n_random",
)


class StoredRun(NamedTuple):
    """A row of the store, with its columns still compressed; `overhead` is in CPU seconds.

    `n_random` is how many proposals were random, None where the optimizer does not say.
    """

    key: str
    settled: int
    benchmark: str
    optimizer: str
    seed: int
    description: str
    reason: str
    n_trials: int
    failure: str | None
    digest: bytes
    numbers: bytes
    configs: bytes
    n_random: int | None
    overhead: float

    def contents(self) -> tuple[bytes, bytes]:
        """Decompressed numbers and configurations; raises `ValueError` where the row is not what was stored."""
        if key_of(self.description) != self.key:
            raise ValueError("its description does not match its key")
        try:
            numbers, configs = decompress(self.numbers), decompress(self.configs)
        except zlib.error as error:
            raise ValueError(f"its columns cannot be decompressed ({error})") from None
        if run_digest(self.key, self.reason, numbers, configs) != self.digest:
            raise ValueError("its contents do not match its digest")
        if len(numbers) != numbers_size(self.n_trials):
            raise ValueError(f"its columns do not hold {self.n_trials} trials")
        return numbers, configs

    def __str__(self) -> str:
        return f"run {self.key[:12]} ({self.benchmark}, {self.optimizer}, seed {self.seed})"


class StoredSuite(NamedTuple):
    """A suite that was run into a store, and how it is scored."""

    name: str
    version: int
    scoring: Scoring


class Store:
    """Finished runs in a file; made by `reading` and `writing`."""

    def __init__(self, path: Path, connection: sqlite3.Connection):
        self.path = path
        self._connection = connection

    def settled(self) -> dict[str, bytes]:
        """Digest of every run whose outcome is settled, by its key."""
        with explained(self.path):
            return dict(self._connection.execute("SELECT key, digest FROM runs WHERE settled = 1"))

    def digest(self) -> str:
        """Hexadecimal SHA-256 of the settled runs: equal for two stores of the same runs, however they were made."""
        total = hashlib.sha256()
        for key, digest in sorted(self.settled().items()):
            total.update(key.encode() + digest)
        return total.hexdigest()

    def runs(self, keys: Collection[str] | None = None, *, as_stored: bool = False) -> Iterator[StoredRun]:
        """The runs, or those of some keys, sorted by benchmark, optimizer, seed and key, or in the order of storing."""
        query = f"{self._select()} WHERE runs.rowid = ?"
        with explained(self.path):
            order = "rowid" if as_stored else "benchmark, optimizer, seed, key"
            found = self._connection.execute(f"SELECT rowid, key FROM runs ORDER BY {order}").fetchall()
            for row, key in found:  # sorting whole rows would copy every blob
                if keys is None or key in keys:
                    yield StoredRun(*self._connection.execute(query, (row,)).fetchone())

    def keys(self, *, by_name: bool = False) -> list[str]:
        """Keys of the runs in the order in which they were stored, the latest last; or in the order of `runs`."""
        order = "benchmark, optimizer, seed, key" if by_name else "rowid"
        with explained(self.path):
            return [key for (key,) in self._connection.execute(f"SELECT key FROM runs ORDER BY {order}")]

    def heads(self) -> list[StoredRun]:
        """The runs in the order of `runs`, with empty columns: what they are, without reading their trials."""
        select = self._select(numbers="x''", configs="x''")
        query = f"{select} ORDER BY benchmark, optimizer, seed, key"
        with explained(self.path):
            return [StoredRun(*row) for row in self._connection.execute(query)]

    def run(self, key: str) -> StoredRun:
        """The run with a key."""
        with explained(self.path):
            row = self._connection.execute(f"{self._select()} WHERE runs.key = ?", (key,)).fetchone()
        if row is None:
            raise DamagedFile(f"{self.path} has no longer the run {key[:12]}; it was removed while it was read")
        return StoredRun(*row)

    def _select(self, **replaced: str) -> str:
        """SQL for the fields of a `StoredRun`, some replaced by a constant; NULL where the file's version has none."""
        if format_version(self._connection) < 2:
            replaced["n_random"] = "NULL"
        columns = ", ".join(replaced.get(column, f"runs.{column}") for column in COLUMNS)
        return f"SELECT {columns}, coalesce(overheads.seconds, 0.0) FROM runs LEFT JOIN overheads USING (key)"

    def descriptions(self) -> list[str]:
        """Descriptions of the runs (`Job.description`), in the order of `runs`, without reading their trials."""
        return [head.description for head in self.heads()]

    def overheads(self) -> dict[tuple[str, str], Overhead]:
        """Mean CPU seconds and trials of the runs that did not break, by the labels of benchmark and optimizer."""
        query = (
            "SELECT benchmark, optimizer, avg(seconds), avg(n_trials) FROM runs JOIN overheads USING (key) "
            "WHERE failure IS NULL GROUP BY benchmark, optimizer"
        )
        with explained(self.path):
            rows = self._connection.execute(query).fetchall()
        return {(benchmark, optimizer): Overhead(*means) for benchmark, optimizer, *means in rows}

    def tasks(self) -> list[BenchmarkRecord]:
        """What is known about the benchmarks."""
        columns = ", ".join(BenchmarkRecord._fields)
        with explained(self.path):
            rows = self._connection.execute(f"SELECT {columns} FROM tasks ORDER BY benchmark, checksum").fetchall()
        return [BenchmarkRecord(*row) for row in rows]

    def suites(self) -> list[StoredSuite]:
        """The suites that were run into the store, the latest last."""
        if format_version(self._connection) < 2:
            return []
        with explained(self.path):
            rows = self._connection.execute("SELECT name, version, scoring FROM suites ORDER BY rowid").fetchall()
        return [StoredSuite(name, version, scoring_from_json(scoring)) for name, version, scoring in rows]

    def scoring(self) -> Scoring:
        """Scoring of the latest suite, the default one if it has none."""
        suites = self.suites()
        return suites[-1].scoring if suites else Scoring()

    def about(self) -> dict[str, str]:
        """Notes about what made the store, by name."""
        with explained(self.path):
            return dict(self._connection.execute("SELECT name, value FROM about ORDER BY name"))

    def frames(self, *, configs: bool = True) -> Frames:
        """Data frames of trials, runs and tasks, see `hpo_leaderboard.store.frames`."""
        from hpo_leaderboard.store.frames import make_frames

        return make_frames(self, configs=configs)

    def damages(self) -> Iterator[tuple[StoredRun | None, str]]:
        """Everything that is wrong, in words, with the run it is wrong with, or None if it is the file itself."""
        try:
            with explained(self.path):
                for (line,) in self._connection.execute("PRAGMA integrity_check(10)").fetchall():
                    if line != "ok":
                        yield None, line
            for run in self.runs():
                try:
                    run.contents()
                except ValueError as error:
                    yield run, f"{run}: {error}"
        except DamagedFile as error:
            yield None, str(error)

    def add(self, finished: Iterable[tuple[Job, FinishedRun]]) -> None:
        """Store runs in one transaction; one that is settled is never replaced."""
        self.add_rows([_row(job, run) for job, run in finished])

    def add_rows(self, rows: Iterable[StoredRun]) -> None:
        """Store rows of this or another store in one transaction; one that is settled is never replaced."""
        rows = list(rows)
        if not rows:
            return
        updates = ", ".join(f"{column} = excluded.{column}" for column in COLUMNS[1:])
        insert = (
            f"INSERT INTO runs ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))}) "
            f"ON CONFLICT (key) DO UPDATE SET {updates} WHERE settled = 0"
        )
        overheads = "INSERT INTO overheads VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET seconds = excluded.seconds"
        with explained(self.path), transaction(self._connection):
            self._connection.executemany(insert, [row[: len(COLUMNS)] for row in rows])
            self._connection.executemany(overheads, [(row.key, row.overhead) for row in rows])

    def add_tasks(self, tasks: Iterable[BenchmarkRecord], about: dict[str, str]) -> None:
        """Store what is known about benchmarks, and notes."""
        values = ", ".join("?" * len(BenchmarkRecord._fields))
        with explained(self.path), transaction(self._connection):
            self._connection.executemany(f"INSERT OR REPLACE INTO tasks VALUES ({values})", list(tasks))
            self._connection.executemany("INSERT OR REPLACE INTO about VALUES (?, ?)", list(about.items()))

    def add_suites(self, suites: Iterable[StoredSuite]) -> None:
        """Store how suites are scored; one that is there already is replaced, and becomes the latest."""
        rows = [(suite.name, suite.version, suite.scoring.to_json()) for suite in suites]
        with explained(self.path), transaction(self._connection):
            self._connection.executemany("INSERT OR REPLACE INTO suites VALUES (?, ?, ?)", rows)

    def drop(self, keys: Iterable[str]) -> None:
        """Remove runs, so that asking for the experiment again runs them again."""
        with explained(self.path), transaction(self._connection):
            for key in keys:
                self._connection.execute("DELETE FROM runs WHERE key = ?", (key,))
                self._connection.execute("DELETE FROM overheads WHERE key = ?", (key,))


def _row(job: Job, run: FinishedRun) -> StoredRun:
    return StoredRun(
        key=job.key,
        settled=int(run.settled),
        benchmark=job.benchmark.label,
        optimizer=job.optimizer.label,
        seed=job.seed,
        description=job.description,
        reason=run.reason,
        n_trials=run.n_trials,
        failure=run.failure,
        digest=run.digest,
        numbers=run.numbers,
        configs=run.configs,
        n_random=run.n_random,
        overhead=run.overhead,
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
