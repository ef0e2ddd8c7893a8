"""What is wrong with a store: its file, its rows against their seals and digests, its tables against their totals."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from hpo_core.errors import DamagedFile
from hpo_leaderboard.store.columns import number_fault, unpack_numbers
from hpo_leaderboard.store.file.rows import StoredRun, run_of
from hpo_leaderboard.store.file.seals import SEALED, total_fault
from hpo_leaderboard.store.schema import explained, format_version

if TYPE_CHECKING:
    from hpo_leaderboard.store.store import Store


class Damage(NamedTuple):
    """What is wrong, in words, and the row of the run it is wrong with, None if it is the file itself."""

    row: int | None
    words: str


def damages(store: Store, connection: sqlite3.Connection, select: str) -> Iterator[Damage]:
    """Everything that is wrong with a store; `select` is the SQL for a run by its row.

    All of it is read as it was at one moment, whoever writes meanwhile.
    """
    begun = not connection.in_transaction
    try:
        with explained(store.path):
            if begun:
                connection.execute("BEGIN")
            for (line,) in connection.execute("PRAGMA integrity_check(10)").fetchall():
                if line != "ok":
                    yield Damage(None, str(line))
            rows = [row for (row,) in connection.execute("SELECT rowid FROM runs NOT INDEXED ORDER BY rowid")]
            for row in rows:
                words = _run_fault(connection, select, row, store.room())
                if words is not None:
                    yield Damage(row, words)
        yield from _of_tables(store, connection)
    except DamagedFile as error:
        yield Damage(None, str(error))
    finally:
        if begun and connection.in_transaction:
            connection.execute("ROLLBACK")


def _run_fault(connection: sqlite3.Connection, select: str, row: int, room: int) -> str | None:
    found = connection.execute(select, (row,)).fetchone()
    try:
        run = run_of(found)
    except ValueError as error:
        return str(error)
    try:
        check_trials(run, room)
    except ValueError as error:
        return f"{run}: {error}"
    return None


def check_trials(run: StoredRun, room: int) -> None:
    """Raise `ValueError` for a run whose trials are not what was stored, or that no run can have."""
    numbers, _ = run.contents(room)
    fault = number_fault(unpack_numbers([numbers], [run.n_trials]))
    if fault is not None:
        raise ValueError(fault)
    if json.dumps(run.said(), sort_keys=True, separators=(",", ":")) != run.description:
        raise ValueError("its description is not written as descriptions are")


def _of_tables(store: Store, connection: sqlite3.Connection) -> Iterator[Damage]:
    for read in (store.tasks, store.suites, store.about):
        try:
            read()
        except DamagedFile as error:
            yield Damage(None, str(error))
    if format_version(connection) < 3:
        return
    with explained(store.path):
        for table in SEALED:
            fault = total_fault(connection, table)
            if fault is not None:
                yield Damage(None, fault)
        counts = [connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("runs", "overheads")]
    if counts[0] != counts[1]:
        yield Damage(None, f"it holds {counts[1]} overheads for {counts[0]} runs")
