"""Stores as the first and second version of the format had them."""

import os
import sqlite3

RUNS = """
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
    configs BLOB NOT NULL{}
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


def as_version(path, version, *, grown=False):
    """Turn a store into one of an older version; a grown one of version 2 was begun in version 1."""
    old = path.with_name("older.sqlite")
    connection = sqlite3.connect(old)
    connection.executescript(RUNS.format(",\n    n_random INTEGER" if version == 2 and not grown else ""))
    if version == 2:
        connection.execute(SUITES)
        if grown:
            connection.execute("ALTER TABLE runs ADD COLUMN n_random INTEGER")
    connection.execute("ATTACH ? AS new", (str(path),))
    for table in ("runs", "overheads", "tasks", "about", *(["suites"] if version == 2 else [])):
        columns = ", ".join(row[1] for row in connection.execute(f"PRAGMA main.table_info({table})"))
        order = "ORDER BY position" if table in ("runs", "suites") else ""
        connection.execute(f"INSERT INTO {table} ({columns}) SELECT {columns} FROM new.{table} {order}")
    connection.commit()
    connection.execute("PRAGMA main.application_id = 0x48504F53")
    connection.execute(f"PRAGMA main.user_version = {version}")
    connection.commit()
    connection.close()
    os.replace(old, path)
