"""What is wrong with a store: its file, its rows against their seals and digests, its tables against their totals."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from hpo_core.errors import DamagedFile
from hpo_leaderboard.store.columns import number_fault, unpack_numbers
from hpo_leaderboard.store.file.descriptions import is_canonical
from hpo_leaderboard.store.file.rows import StoredRun, run_of
from hpo_leaderboard.store.file.seals import SEALED, total_fault
from hpo_leaderboard.store.schema import explained, format_version

if TYPE_CHECKING:
    from hpo_leaderboard.store.store import Store

T = TypeVar("T")
BATCH = 500  # runs that are looked at in one go


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
            rows = array(
                "q", (row for (row,) in connection.execute("SELECT rowid FROM runs NOT INDEXED ORDER BY rowid"))
            )
            for batch in batches(rows, BATCH):
                yield from _of_runs(connection, select, batch, store.room())
        yield from _of_tables(store, connection)
    except DamagedFile as error:
        yield Damage(None, str(error))
    finally:
        if begun and connection.in_transaction:
            connection.execute("ROLLBACK")


def batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """The items in lists of `size`, the last one shorter."""
    left = iter(items)
    while batch := list(islice(left, size)):
        yield batch


def _of_runs(connection: sqlite3.Connection, select: str, rows: Sequence[int], room: int) -> Iterator[Damage]:
    """Damages of the runs in some rows."""
    runs: dict[int, StoredRun] = {}
    faults: dict[int, str] = {}
    for row in rows:
        found = connection.execute(select, (row,)).fetchone()
        try:
            runs[row] = run_of(found)
        except ValueError as error:
            faults[row] = str(error)
    if trials_fault(list(runs.values()), room) is not None:  # then each is looked at by itself
        faults |= {row: fault for row, run in runs.items() if (fault := trials_fault([run], room)) is not None}
    for row in sorted(faults):
        yield Damage(row, faults[row])


def trials_fault(runs: Sequence[StoredRun], room: int) -> str | None:
    """The first run whose trials are not what was stored, or that no run can have, and why; None if there is none.

    Numbers of many runs are looked at in one go, which takes a tenth of the time.
    """
    numbers = []
    for run in runs:
        try:
            numbers.append(run.contents(room)[0])
        except ValueError as error:
            return f"{run}: {error}"
        if not is_canonical(run.description):
            return f"{run}: its description is not written as descriptions are"
    if number_fault(unpack_numbers(numbers, [run.n_trials for run in runs])) is None:
        return None
    for run, own in zip(runs, numbers, strict=True):
        fault = number_fault(unpack_numbers([own], [run.n_trials]))
        if fault is not None:
            return f"{run}: {fault}"
    return None


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
