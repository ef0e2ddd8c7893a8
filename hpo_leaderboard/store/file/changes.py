"""Changes of a store, inside of a transaction: rows with their seals, and the totals of the tables."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any

from hpo_leaderboard.experiments.execution import FinishedRun
from hpo_leaderboard.experiments.job import Job
from hpo_leaderboard.experiments.plan import BenchmarkRecord
from hpo_leaderboard.store.file.rows import COLUMNS, StoredRun
from hpo_leaderboard.store.file.seals import SEALED, add_to_total, retotal, seal


def row_of(job: Job, run: FinishedRun) -> StoredRun:
    """The row of a finished run, which has no position and no seal yet."""
    return StoredRun(
        key=job.key,
        position=0,
        settled=int(run.settled),
        benchmark=job.benchmark.label,
        optimizer=job.optimizer.label,
        seed=job.seed,
        description=job.description,
        reason=run.reason,
        n_trials=run.n_trials,
        failure=run.failure,
        n_random=run.n_random,
        digest=run.digest,
        seal=None,
        numbers=run.numbers,
        configs=run.configs,
        overhead=float(run.overhead),
    )


def add_runs(connection: sqlite3.Connection, rows: Sequence[StoredRun]) -> None:
    """Store rows, each at the place of an unsettled one of the same key or at the end; a settled one stays."""
    last = _last(connection, "runs")
    insert = f"INSERT OR REPLACE INTO runs ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"
    added: list[bytes] = []
    removed: list[bytes] = []
    for row in rows:
        found = connection.execute("SELECT settled, position, seal FROM runs WHERE key = ?", (row.key,)).fetchone()
        if found is not None and found[0]:
            continue
        if found is None:
            last += 1
        else:
            removed.append(found[2])
        new = row._replace(position=last if found is None else found[1])
        added.append(new.proper_seal())
        connection.execute(insert, new._replace(seal=added[-1])[: len(COLUMNS)])
        connection.execute("INSERT OR REPLACE INTO overheads VALUES (?, ?)", (row.key, row.overhead))
    _set_last(connection, "runs", last)
    add_to_total(connection, "runs", added=added, removed=removed)


def task_values(task: BenchmarkRecord) -> tuple[Any, ...]:
    """The values of a task as the file holds them: numbers as floats, None where they are not known."""
    numbers: dict[str, Any] = {
        name: None if (value := getattr(task, name)) is None or math.isnan(value) else float(value) + 0.0  # no -0.0
        for name in ("optimum", "test_optimum", "full_budget")
    }
    return tuple(task._replace(**numbers))


def put_suites(connection: sqlite3.Connection, suites: Iterable[tuple[str, int, str]]) -> None:
    """Store name, version and scoring of suites; one that is there already is replaced, and becomes the latest."""
    last = _last(connection, "suites")
    rows = [(*suite, last + i) for i, suite in enumerate(suites, 1)]
    put(connection, "suites", rows, n_key=2)
    _set_last(connection, "suites", last + len(rows))


def put(connection: sqlite3.Connection, table: str, rows: Iterable[Sequence[Any]], n_key: int) -> None:
    """Store rows at the place of those that have the same first `n_key` values."""
    fields = SEALED[table]
    where = " AND ".join(f"{field} = ?" for field in fields[:n_key])
    insert = f"INSERT OR REPLACE INTO {table} ({', '.join(fields)}, seal) VALUES ({', '.join('?' * (len(fields) + 1))})"
    for row in rows:
        new = seal(table, *row)
        old = [each for (each,) in connection.execute(f"SELECT seal FROM {table} WHERE {where}", row[:n_key])]
        connection.execute(insert, (*row, new))
        add_to_total(connection, table, added=[new], removed=old)


def drop(connection: sqlite3.Connection, column: str, values: Iterable[str | int]) -> None:
    """Remove the runs with some keys, or rows."""
    for value in values:
        connection.execute(f"DELETE FROM overheads WHERE key IN (SELECT key FROM runs WHERE {column} = ?)", (value,))
        connection.execute(f"DELETE FROM runs WHERE {column} = ?", (value,))
    retotal(connection, "runs")


def _last(connection: sqlite3.Connection, table: str) -> int:
    return connection.execute("SELECT last FROM totals WHERE name = ?", (table,)).fetchone()[0]


def _set_last(connection: sqlite3.Connection, table: str, last: int) -> None:
    connection.execute("UPDATE totals SET last = ? WHERE name = ?", (last, table))
