"""The tables of a store's file, in each version of the format, and how an older file becomes one of today.

    runs        one row per run: what it is, how it ended, its trials as compressed columns (`store.columns`)
    overheads   CPU seconds of each run's optimizer; apart, since they differ between two executions
    tasks       what is known about each benchmark
    suites      the suites that were run into it, with how they are scored
    about       free text by name: what made the store
    totals      of each table with a `seal` the number of rows and the sum of their seals (`store.file.seals`)

`position` is the order of storing. `PRAGMA application_id` marks the file as a store, `PRAGMA user_version` is the
version of the format: 1 had no `suites` and no `n_random`; 2 had no `position`, no `seal`, no `totals`, and an index of
the settled runs. Both can be read, and become version 3 when they are opened for writing.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Collection

from hpo_leaderboard.store.file.seals import SEALED, retotal, seal, sum_of

VERSION = 3
_RUNS_2 = """CREATE TABLE runs (key TEXT PRIMARY KEY NOT NULL, settled INTEGER NOT NULL, benchmark TEXT NOT NULL,
    optimizer TEXT NOT NULL, seed INTEGER NOT NULL, description TEXT NOT NULL, reason TEXT NOT NULL,
    n_trials INTEGER NOT NULL, failure TEXT, digest BLOB NOT NULL, numbers BLOB NOT NULL, configs BLOB NOT NULL{})"""
_OVERHEADS = "CREATE TABLE overheads (key TEXT PRIMARY KEY NOT NULL, seconds REAL NOT NULL) WITHOUT ROWID"
_TASKS = """CREATE TABLE tasks (benchmark TEXT NOT NULL, checksum TEXT NOT NULL, family TEXT NOT NULL, optimum REAL,
    test_optimum REAL, full_budget REAL NOT NULL, n_budgets INTEGER NOT NULL, provenance TEXT NOT NULL,{}
    PRIMARY KEY (benchmark, checksum)) WITHOUT ROWID"""
_SUITES = """CREATE TABLE suites (name TEXT NOT NULL, version INTEGER NOT NULL, scoring TEXT NOT NULL,{}
    PRIMARY KEY (name, version))"""
_ABOUT = "CREATE TABLE about (name TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL{}) WITHOUT ROWID"
_INDEX = "CREATE INDEX settled_runs ON runs (key, digest) WHERE settled = 1"
TABLES = {
    1: (_RUNS_2.format(""), _INDEX, _OVERHEADS, _TASKS.format(""), _ABOUT.format("")),
    2: (
        _RUNS_2.format(", n_random INTEGER"),
        _INDEX,
        _OVERHEADS,
        _TASKS.format(""),
        _SUITES.format(""),
        _ABOUT.format(""),
    ),
    3: (
        """CREATE TABLE runs (key TEXT PRIMARY KEY NOT NULL, position INTEGER NOT NULL, settled INTEGER NOT NULL,
    benchmark TEXT NOT NULL, optimizer TEXT NOT NULL, seed INTEGER NOT NULL, description TEXT NOT NULL,
    reason TEXT NOT NULL, n_trials INTEGER NOT NULL, failure TEXT, n_random INTEGER, digest BLOB NOT NULL,
    seal BLOB NOT NULL, numbers BLOB NOT NULL, configs BLOB NOT NULL)""",
        _OVERHEADS,
        _TASKS.format(" seal BLOB NOT NULL,"),
        _SUITES.format(" position INTEGER NOT NULL, seal BLOB NOT NULL,"),
        _ABOUT.format(", seal BLOB NOT NULL"),
        "CREATE TABLE totals (name TEXT PRIMARY KEY NOT NULL, n INTEGER NOT NULL, last INTEGER NOT NULL,\n"
        "    total BLOB NOT NULL) WITHOUT ROWID",
    ),
}
_BLOBS = {"runs": ("numbers", "configs")}
_SOURCES = {  # of the tables of version 2 whose rows have a position now
    "runs": "(SELECT old_runs.*, old_runs.rowid AS position, coalesce(seconds, 0.0) AS overhead FROM old_runs "
    "LEFT JOIN overheads USING (key)) ORDER BY position",
    "suites": "(SELECT *, rowid AS position FROM old_suites) ORDER BY position",
}


def make_tables(connection: sqlite3.Connection, *, but: Collection[str] = ()) -> None:
    """Make the tables of a new store, all or all but some statements."""
    for statement in TABLES[VERSION]:
        if statement not in but:
            connection.execute(statement)
    for name in SEALED:
        connection.execute("INSERT INTO totals VALUES (?, 0, 0, ?)", (name, sum_of([])))


def schema_fault(connection: sqlite3.Connection, version: int) -> str | None:
    """What is wrong with the tables of a file, None if they are those of the version and nothing else.

    A file of somebody else may hold views and triggers, which would run when it is read or written.
    """
    found = {_plain(sql) for (sql,) in connection.execute("SELECT sql FROM sqlite_master") if sql is not None}
    expected = {_plain(sql) for sql in TABLES[version]}
    if found == expected:
        return None
    odd = sorted(found - expected) or sorted(expected - found)
    return f"its tables are not those of version {version} of the store ({odd[0][:60]}...)"


def _plain(sql: str) -> str:
    """A statement without what SQLite may write differently."""
    return re.sub(r"[\s\"]", "", sql)


def upgrade(connection: sqlite3.Connection, version: int) -> None:
    """Make an older store one of today; rows are sealed as they are."""
    connection.create_function("seal_of", -1, seal, deterministic=True)
    if version == 1:
        connection.execute("ALTER TABLE runs ADD COLUMN n_random INTEGER")
        connection.execute(_SUITES.format(""))
    for name in SEALED:
        connection.execute(f"ALTER TABLE {name} RENAME TO old_{name}")
    connection.execute("DROP INDEX settled_runs")
    make_tables(connection, but=(_OVERHEADS,))
    for name, fields in SEALED.items():
        listed = ", ".join([*(field for field in fields if field != "overhead"), *_BLOBS.get(name, ())])
        source = _SOURCES.get(name, f"old_{name}")
        connection.execute(
            f"INSERT INTO {name} ({listed}, seal) SELECT {listed}, seal_of('{name}', {', '.join(fields)}) FROM {source}"
        )
        connection.execute(f"DROP TABLE old_{name}")
        retotal(connection, name)
