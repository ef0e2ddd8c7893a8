"""The store's file: an SQLite database, how it is opened, and what can be wrong with it.

    runs        one row per run: what it is, how it ended, its trials as compressed columns (`store.columns`)
    overheads   CPU seconds of each run's optimizer; apart, since they differ between two executions
    tasks       what is known about each benchmark
    suites      the suites that were run into it, with how they are scored
    about       free text by name: what made the store

`PRAGMA application_id` marks the file as a store, `PRAGMA user_version` is the version of this format. Version 1 had no
`suites`, and no `n_random` in `runs`. It can be read, and becomes version 2 when it is opened for writing.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hpo_core.errors import DamagedFile, HpoError

APPLICATION, VERSION = 0x48504F53, 2
PATIENCE = 30.0  # seconds to wait for a reader that holds a lock
SCHEMA = """
CREATE TABLE runs (
    key TEXT PRIMARY KEY NOT NULL,
    settled INTEGER NOT NULL,
    benchmark TEXT NOT NULL,
    optimizer TEXT NOT NULL,
    seed INTEGER NOT NULL,
    description TEXT NOT NULL,
    reason TEXT NOT NULL,
    n_trials INTEGER NOT NULL,
    failure TEXT,
    digest BLOB NOT NULL,
    numbers BLOB NOT NULL,
    configs BLOB NOT NULL,
    n_random INTEGER
);
CREATE INDEX settled_runs ON runs (key, digest) WHERE settled = 1;
CREATE TABLE overheads (key TEXT PRIMARY KEY NOT NULL, seconds REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE tasks (
    benchmark TEXT NOT NULL,
    checksum TEXT NOT NULL,
    family TEXT NOT NULL,
    optimum REAL,
    test_optimum REAL,
    full_budget REAL NOT NULL,
    n_budgets INTEGER NOT NULL,
    provenance TEXT NOT NULL,
    PRIMARY KEY (benchmark, checksum)
) WITHOUT ROWID;
CREATE TABLE about (name TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) WITHOUT ROWID;
"""
SUITES = """
CREATE TABLE suites (
    name TEXT NOT NULL,
    version INTEGER NOT NULL,
    scoring TEXT NOT NULL,
    PRIMARY KEY (name, version)
)
"""


class StoreUnavailable(HpoError, OSError):
    """A store that cannot be written or opened: no permission, no room, no such directory."""


class StoreBusy(HpoError, OSError):
    """A store that another process is writing."""


class ConflictingRuns(HpoError, ValueError):
    """Two executions of the same run with different outcomes."""


def connect_for_writing(path: Path) -> sqlite3.Connection:
    """Connection to a store, which is made if it is not there."""
    with explained(path):
        connection = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
        try:
            _check_format(connection, path, may_be_empty=True)
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")  # a killed process loses nothing; a power cut, seconds
            with transaction(connection):
                if not _pragma(connection, "application_id"):
                    for statement in (*SCHEMA.split(";"), SUITES):
                        connection.execute(statement)
                    connection.execute(f"PRAGMA application_id = {APPLICATION}")
                elif format_version(connection) < VERSION:
                    connection.execute("ALTER TABLE runs ADD COLUMN n_random INTEGER")
                    connection.execute(SUITES)
                connection.execute(f"PRAGMA user_version = {VERSION}")
        except BaseException:
            connection.close()
            raise
        return connection


def connect_for_reading(path: Path) -> sqlite3.Connection:
    """Connection that cannot change a store; works beside a process that writes it, and on read-only media."""
    if not path.is_file():
        raise FileNotFoundError(f"no store at {path}; `hpo leaderboard SUITE --store {path}` makes one")
    with explained(path):
        try:
            return _open_for_reading(path, "mode=ro")
        except sqlite3.OperationalError:
            log = path.with_name(path.name + "-wal")
            if log.exists() and log.stat().st_size:
                raise StoreUnavailable(
                    f"{path} was not closed, so its last runs lie in {log.name}, and SQLite cannot read that in a "
                    "read-only directory; copy both files to a directory that you may write to"
                ) from None
            return _open_for_reading(path, "immutable=1")  # needs no shared memory beside the file


def _open_for_reading(path: Path, mode: str) -> sqlite3.Connection:
    connection = sqlite3.connect(f"{path.resolve().as_uri()}?{mode}", uri=True, timeout=PATIENCE, isolation_level=None)
    try:
        _check_format(connection, path, may_be_empty=False)
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All of the block's changes or none."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turns what SQLite raises into an error that names the file and the way out."""
    try:
        yield
    except sqlite3.Error as error:
        name = getattr(error, "sqlite_errorname", "") or ""
        if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
            raise DamagedFile(
                f"{path} is damaged or no store ({error}); take it from a copy, or take another file with --store and "
                "run the experiment again"
            ) from None
        if name.startswith("SQLITE_BUSY"):
            raise StoreBusy(f"another process holds {path} ({error}); wait for it, or take another file") from None
        if isinstance(error, sqlite3.OperationalError):
            raise StoreUnavailable(
                f"cannot write or open {path} ({error}); make room or give permission, or take another file with "
                "--store. Runs that were stored before are safe: the same command goes on from there"
            ) from None
        raise


def format_version(connection: sqlite3.Connection) -> int:
    """Version of the format of an open store."""
    return _pragma(connection, "user_version")


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


def _check_format(connection: sqlite3.Connection, path: Path, *, may_be_empty: bool) -> None:
    application, version = _pragma(connection, "application_id"), _pragma(connection, "user_version")
    if application == 0 and not connection.execute("SELECT 1 FROM sqlite_master").fetchone():
        if may_be_empty:
            return
        raise FileNotFoundError(  # a process makes it right now, or was killed when it did
            f"the store at {path} is empty; `hpo leaderboard SUITE --store {path}` fills it"
        )
    if application != APPLICATION:
        raise DamagedFile(f"{path} is an SQLite file but no store of HPO Foundry; take another file with --store")
    if version > VERSION:
        raise DamagedFile(f"{path} has version {version} of the store, this release knows up to {VERSION}; upgrade it")
