"""Stores as a stranger, a careless hand or a bad disk may leave them.

`small_store` makes a sound one; `flips` change a bit of the file; `EDITS` are statements that change what scores use,
without a new seal; `resealed` puts any value into any column with all digests in order, as somebody who knows the
format would.
"""

import hashlib
import json
import shutil
import sqlite3
import zlib

import numpy as np

from hpo_core.errors import HpoError
from hpo_leaderboard.engines import make_engine
from hpo_leaderboard.experiments.execution import broken_run, run_digest
from hpo_leaderboard.experiments.experiment import run_experiment
from hpo_leaderboard.experiments.plan import make_plan
from hpo_leaderboard.experiments.suite import make_suite
from hpo_leaderboard.store.file.seals import SEALED, retotal, seal
from hpo_leaderboard.store.store import reading, writing

SUITE = make_suite("small", ["branin", "forrester"], ["rs", "de"], n_seeds=2, n_trials=4)
EDITS = {
    "labels swapped": "UPDATE runs SET optimizer = CASE optimizer WHEN 'rs' THEN 'de' ELSE 'rs' END",
    "a label": "UPDATE runs SET optimizer = 'de' WHERE rowid = 1",
    "a benchmark": "UPDATE runs SET benchmark = 'forrester' WHERE rowid = 1",
    "a seed": "UPDATE runs SET seed = 7 WHERE rowid = 1",
    "settled": "UPDATE runs SET settled = 1 - settled WHERE rowid = 1",
    "a failure": "UPDATE runs SET failure = 'ValueError' WHERE rowid = 1",
    "no failure": "UPDATE runs SET failure = NULL",
    "n_trials": "UPDATE runs SET n_trials = n_trials - 1 WHERE rowid = 1",
    "n_random": "UPDATE runs SET n_random = 4 WHERE rowid = 1",
    "a reason": "UPDATE runs SET reason = 'other' WHERE rowid = 1",
    "the order": "UPDATE runs SET position = 100 WHERE rowid = 1",
    "an overhead": "UPDATE overheads SET seconds = seconds / 1000",
    "no overhead": "DELETE FROM overheads WHERE key = (SELECT key FROM runs WHERE rowid = 2)",
    "an optimum": "UPDATE tasks SET optimum = -1000",
    "a test optimum": "UPDATE tasks SET test_optimum = 0.0",
    "a budget": "UPDATE tasks SET full_budget = 81.0",
    "budgets": "UPDATE tasks SET n_budgets = 9",
    "a family": "UPDATE tasks SET family = 'nb201'",
    "a provenance": "UPDATE tasks SET provenance = '{}'",
    "a scoring": "UPDATE suites SET scoring = replace(scoring, 'highest-budget', 'lowest-loss')",
    "a version": "UPDATE suites SET version = 2",
    "a note": "UPDATE about SET value = '9.9' WHERE name = 'hpo-foundry'",
    "a run less": "DELETE FROM runs WHERE rowid = 1",
    "a task less": "DELETE FROM tasks WHERE benchmark = 'branin'",
    "a suite less": "DELETE FROM suites",
    "a note less": "DELETE FROM about WHERE name = 'numpy'",
    "the contents": "UPDATE runs SET numbers = (SELECT numbers FROM runs WHERE rowid = 3) WHERE rowid = 1",
    "the digest": "UPDATE runs SET digest = zeroblob(32) WHERE rowid = 1",
    "the seal": "UPDATE runs SET seal = zeroblob(32) WHERE rowid = 1",
    "an older version": "PRAGMA user_version = 2",
    "a trigger": "CREATE TRIGGER t AFTER INSERT ON runs BEGIN DELETE FROM runs; END",
    "a view": "CREATE VIEW v AS SELECT * FROM runs",
}
ODD_VALUES = (
    None,
    -1,
    0,
    2**53 + 1,
    2**63 - 1,
    1.5,
    float("inf"),
    "",
    "x",
    "\x1b[31mred",
    "$x_{",
    "=1+1",
    "a\nb",
    "a" * 200_000,
    "../../x",
    "os:system",
    "{}",
    "[]",
    "null",
    '{"a":' * 3000,
    b"",
    b"\xff\xfe",
    b"\0" * 32,
    zlib.compress(bytes(1000)),
)


def small_store(path):
    """A store with settled and unsettled, finished and broken runs; `path` again."""
    run_experiment(SUITE, path, make_engine("serial"))
    jobs = make_plan(make_suite("small", ["branin"], ["re"], n_seeds=2, n_trials=4)).jobs
    with writing(path) as store:
        store.add([(jobs[0], broken_run(jobs[0], "ValueError: no", settled=True))])
        store.add([(jobs[1], broken_run(jobs[1], "TimeOut: long", settled=False))])
    return path


def execute(path, statement, *values):
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(statement, values)
    connection.close()


def meaning(path):
    """Everything that readers see of a store: frames, scores and pages are functions of it."""
    with reading(path) as store:
        runs = [(run._replace(numbers=b"", configs=b""), run.contents()) for run in store.runs(as_stored=True)]
        return [runs, store.tasks(), store.suites(), store.about(), store.digest(), store.keys(), store.settled()]


def verdict(path, before):
    """`found` if a store is refused or damages are named, `unchanged` if it means what it meant, else `missed`."""
    try:
        with reading(path) as store:
            if list(store.damages()):
                return "found"
        return "unchanged" if meaning(path) == before else "missed"
    except (HpoError, FileNotFoundError):
        return "found"


def flips(path, n, rng):
    """Paths of n copies of a store, each with another bit of the file changed."""
    whole = path.read_bytes()
    target = path.with_name("flipped.sqlite")
    for position in rng.choice(8 * len(whole), n, replace=False):
        changed = bytearray(whole)
        changed[position // 8] ^= 1 << position % 8
        target.write_bytes(changed)
        yield target


def resealed(path, target, table, changes, row=1):
    """A copy of a store with some values of a row changed, and keys, digests, seals and totals in order."""
    shutil.copy(path, target)
    connection = sqlite3.connect(target)
    columns = ", ".join(f"{name} = ?" for name in changes)
    names = {"tasks": "benchmark", "about": "name"}
    where = f"{names[table]} = (SELECT {names[table]} FROM {table} LIMIT 1)" if table in names else f"rowid = {row}"
    with connection:
        connection.execute(f"UPDATE OR IGNORE {table} SET {columns} WHERE {where}", tuple(changes.values()))
        if "key" in changes:  # the first of the rows has another key now
            gone = "key NOT IN (SELECT key FROM runs)"
            connection.execute(f"UPDATE OR IGNORE overheads SET key = ? WHERE {gone}", (changes["key"],))
        reseal(connection)
    connection.close()
    return target


def reseal(connection):
    """Bring all seals and totals in order."""
    connection.create_function("seal_of", -1, _seal)
    connection.execute(
        f"UPDATE runs SET seal = seal_of('runs', {', '.join(SEALED['runs'][:-1])}, "
        "coalesce((SELECT seconds FROM overheads WHERE overheads.key = runs.key), 0.0))"
    )
    for table in ("tasks", "suites", "about"):
        connection.execute(f"UPDATE {table} SET seal = seal_of('{table}', {', '.join(SEALED[table])})")
    for table in SEALED:
        retotal(connection, table)


def _seal(*values):
    try:
        return seal(*values)
    except (TypeError, ValueError):
        return b""


def described(description, **changes):
    """Columns of a run with another description: its key and what else has to fit."""
    text = (
        description if isinstance(description, str) else json.dumps(description, sort_keys=True, separators=(",", ":"))
    )
    return {"description": text, "key": hashlib.sha256(text.encode()).hexdigest(), **changes}


def relabelled(path, target, kind, old, new):
    """A copy of a store in which a benchmark or an optimizer has another label, with all digests in order."""
    shutil.copy(path, target)
    connection = sqlite3.connect(target)
    with connection:
        query = f"SELECT rowid, key, description, reason, numbers, configs FROM runs WHERE {kind} = ?"
        for row, key, description, reason, *packed in connection.execute(query, (old,)).fetchall():
            said = json.loads(description)
            said[kind]["label"] = new
            columns = described(said, **{kind: new})
            columns["digest"] = run_digest(columns["key"], reason, *map(zlib.decompress, packed))
            connection.execute("UPDATE overheads SET key = ? WHERE key = ?", (columns["key"], key))
            changes = ", ".join(f"{name} = ?" for name in columns)
            connection.execute(f"UPDATE runs SET {changes} WHERE rowid = ?", (*columns.values(), row))
        if kind == "benchmark":
            connection.execute("UPDATE tasks SET benchmark = ? WHERE benchmark = ?", (new, old))
        reseal(connection)
    connection.close()
    return target


def with_trials(path, target, numbers, configs, n_trials, row=1):
    """A copy of a store in which the trials of a run are others."""
    connection = sqlite3.connect(path)
    key, reason = connection.execute("SELECT key, reason FROM runs WHERE rowid = ?", (row,)).fetchone()
    connection.close()
    changes = {
        "numbers": zlib.compress(numbers, 1),
        "configs": zlib.compress(configs, 1),
        "n_trials": n_trials,
        "digest": run_digest(key, reason, numbers, configs),
    }
    return resealed(path, target, "runs", changes, row)


def numbers_of(path, row=1):
    """The uncompressed numbers and configurations of a run."""
    connection = sqlite3.connect(path)
    numbers, configs = connection.execute("SELECT numbers, configs FROM runs WHERE rowid = ?", (row,)).fetchone()
    connection.close()
    return zlib.decompress(numbers), zlib.decompress(configs)


def odd_numbers(numbers, rng):
    """Numbers of a run, of which one byte or one float is something else."""
    changed = bytearray(numbers)
    if rng.random() < 0.5:
        changed[rng.integers(len(changed))] = rng.integers(256)
    else:
        start = int(rng.integers(len(changed) - 8))
        value = rng.choice([np.nan, np.inf, -np.inf, -1.0, 1e308, -1e308, 5e-324])
        changed[start : start + 8] = np.float64(value).tobytes()
    return bytes(changed)
