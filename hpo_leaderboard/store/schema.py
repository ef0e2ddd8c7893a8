"""The store's file, an SQLite database: how it is opened, and what can be wrong with it.

Its tables are described in `hpo_leaderboard.store.file.versions`.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hpo_core.errors import DamagedFile, HpoError
from hpo_leaderboard.store.file.seals import totals_fault
from hpo_leaderboard.store.file.versions import VERSION, make_tables, schema_fault, upgrade

APPLICATION = 0x48504F53
PATIENCE = 30.0  # seconds to wait for a reader that holds a lock
MOST_BYTES = 2**28  # of one value
UNAVAILABLE = (
    "SQLITE_CANTOPEN",
    "SQLITE_FULL",
    "SQLITE_INTERRUPT",
    "SQLITE_IOERR",
    "SQLITE_LOCKED",
    "SQLITE_NOLFS",
    "SQLITE_NOMEM",
    "SQLITE_PERM",
    "SQLITE_PROTOCOL",
    "SQLITE_READONLY",
)


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
                    make_tables(connection)
                    connection.execute(f"PRAGMA application_id = {APPLICATION}")
                elif format_version(connection) < VERSION:
                    upgrade(connection, format_version(connection))
                elif (fault := totals_fault(connection)) is not None:
                    raise DamagedFile(f"{path} is damaged: {fault}; take it from a copy")
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
    if connection.in_transaction:  # it is a part of a larger one
        yield
        return
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
    except (sqlite3.Error, UnicodeDecodeError) as error:
        name = getattr(error, "sqlite_errorname", "") or ""
        if name.startswith("SQLITE_BUSY"):
            raise StoreBusy(f"another process holds {path} ({error}); wait for it, or take another file") from None
        if name.startswith(UNAVAILABLE):
            raise StoreUnavailable(
                f"cannot write or open {path} ({error}); make room or give permission, or take another file with "
                "--store. Runs that were stored before are safe: the same command goes on from there"
            ) from None
        raise DamagedFile(
            f"{path} is damaged or no store ({error}); take it from a copy, or take another file with --store and "
            "run the experiment again"
        ) from None


def format_version(connection: sqlite3.Connection) -> int:
    """Version of the format of an open store."""
    return _pragma(connection, "user_version")


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


def _check_format(connection: sqlite3.Connection, path: Path, *, may_be_empty: bool) -> None:
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_BYTES)
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
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
    fault = schema_fault(connection, version) if version > 0 else f"it has version {version} of the store"
    if fault is not None:
        raise DamagedFile(f"{path} is damaged: {fault}; take it from a copy, or take another file with --store")
