"""Seals: a SHA-256 of each row of a store's tables, and of each table the sum of them.

A seal binds every column of its row; of a run also the overhead, and the columns of its trials through their own digest
(`run_digest`). The sum, modulo 2^256, and the number of rows bind which rows there are, in any order, and change by one
addition with each row. They find damage and careless edits. They are no signature: whoever edits a store on purpose can
compute them too.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any

SEALED: dict[str, tuple[str, ...]] = {  # columns that a table's seals bind, in this order
    "runs": (
        "key",
        "position",
        "settled",
        "benchmark",
        "optimizer",
        "seed",
        "description",
        "reason",
        "n_trials",
        "failure",
        "n_random",
        "digest",
        "overhead",
    ),
    "tasks": (
        "benchmark",
        "checksum",
        "family",
        "optimum",
        "test_optimum",
        "full_budget",
        "n_budgets",
        "provenance",
    ),
    "suites": ("name", "version", "scoring", "position"),
    "about": ("name", "value"),
}
MODULUS = 2**256


def seal(table: str, *values: Any) -> bytes:
    """SHA-256 of a row: of the JSON list of its table and values, blobs in hexadecimal.

    >>> seal("about", "python", "3.11").hex()[:16]
    '26b48c094433f301'
    """
    plain = [value.hex() if isinstance(value, bytes) else value for value in values]
    return hashlib.sha256(json.dumps([table, *plain]).encode()).digest()


def sum_of(seals: Iterable[bytes]) -> bytes:
    """Sum of seals modulo 2^256; what is no seal, in a damaged file, counts as 0."""
    total = sum(int.from_bytes(each, "big") for each in seals if isinstance(each, bytes))
    return (total % MODULUS).to_bytes(32, "big")


def add_to_total(
    connection: sqlite3.Connection, table: str, *, added: Sequence[bytes] = (), removed: Sequence[bytes] = ()
) -> None:
    """Bring the total of a table up to date with the seals of rows that were added and removed."""
    n, total = connection.execute("SELECT n, total FROM totals WHERE name = ?", (table,)).fetchone()
    change = int.from_bytes(sum_of(added), "big") - int.from_bytes(sum_of(removed), "big")
    now = ((int.from_bytes(total, "big") + change) % MODULUS).to_bytes(32, "big")
    connection.execute("UPDATE totals SET n = ?, total = ? WHERE name = ?", (n + len(added) - len(removed), now, table))


def retotal(connection: sqlite3.Connection, table: str) -> None:
    """Compute the total of a table anew, after rows with broken seals were removed."""
    n, total = _present(connection, table)
    connection.execute(
        "UPDATE totals SET n = ?, total = ?, last = max(last, ?) WHERE name = ?",
        (n, total, _last(connection, table), table),
    )


def _present(connection: sqlite3.Connection, table: str) -> tuple[int, bytes]:
    """Number of the rows of a table and sum of their seals, read one by one."""
    (n,) = connection.execute(f"SELECT count(*) FROM {table} NOT INDEXED").fetchone()
    return n, sum_of(value for (value,) in connection.execute(f"SELECT seal FROM {table}"))


def _last(connection: sqlite3.Connection, table: str) -> int:
    """Highest position of a table's rows, 0 where they have none."""
    if "position" not in SEALED[table]:
        return 0
    return connection.execute(f"SELECT coalesce(max(position), 0) FROM {table}").fetchone()[0]


def totals_fault(connection: sqlite3.Connection) -> str | None:
    """What is wrong with the totals, None if they can be added to."""
    kinds = "typeof(name), typeof(n), typeof(last), typeof(total), length(total), n >= 0, last BETWEEN 0 AND 1 << 53"
    rows = connection.execute(f"SELECT name, {kinds} FROM totals").fetchall()
    good = all(row[1:] == ("text", "integer", "integer", "blob", 32, 1, 1) for row in rows)
    return None if good and {row[0] for row in rows} == set(SEALED) else "the totals of its tables are broken"


def total_fault(connection: sqlite3.Connection, table: str) -> str | None:
    """What is wrong with the total of a table, None if it is that of its rows."""
    row = connection.execute("SELECT n, last, total FROM totals WHERE name = ?", (table,)).fetchone()
    if row is None or [type(value) for value in row] != [int, int, bytes]:
        return f"the total of its {table} is missing"
    n, total = _present(connection, table)
    if row[0] != n or row[2] != total:
        return f"its {table} are not those that were stored: {row[0]} were, and {n} are there"
    last = _last(connection, table)
    if not isinstance(last, int) or row[1] < last:
        return f"its {table} are numbered up to {last}, and {row[1]} is said to be the last"
    return None
