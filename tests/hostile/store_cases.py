"""Commands on hostile stores: `cases` makes any number of them from a seed."""

import json
import shutil
import sqlite3
from functools import partial
from pathlib import Path

import hostile_stores as hostile
import numpy as np
from older_stores import as_version
from sandbox import PLANTED, Case

from hpo_cli.main import main
from hpo_leaderboard.experiments.execution import run_digest
from hpo_leaderboard.store.columns import numbers_size

COMMANDS = (
    ("store", "info", "STORE"),
    ("store", "verify", "STORE"),
    ("store", "verify", "STORE", "--drop-damaged"),
    ("store", "merge", "new.sqlite", "STORE"),
    ("store", "merge", "STORE", "GOOD"),
    ("store", "copy", "STORE", "copy.sqlite"),
    ("store", "missing", "functions", "STORE", "--benchmarks", "branin", "--optimizers", "rs", "--seeds", "2"),
    ("store", "drop", "STORE", "--optimizers", "rs", "--yes"),
    ("store", "export", "STORE", "--out", "trials.csv"),
    ("store", "export", "STORE", "--out", "trials.csv", "--optimizers", "rs"),
    ("compare", "STORE", "rs", "de"),
    ("compare", "STORE", "rs", "de", "--json"),
    ("stop", "replay", "STORE", "--criteria", "conv:2"),
    (
        *("leaderboard", "functions", "--benchmarks", "branin", "--optimizers", "rs,de", "--seeds", "2"),
        *("--trials", "4", "--store", "STORE", "--engine", "serial", "--dry-run"),
    ),
    ("report", "STORE", "--out", "page"),
)
COLUMNS = {
    "runs": (
        *("key", "position", "settled", "benchmark", "optimizer", "seed", "description", "reason", "n_trials"),
        *("failure", "n_random", "digest", "numbers", "configs"),
    ),
    "tasks": ("benchmark", "checksum", "family", "optimum", "test_optimum", "full_budget", "n_budgets", "provenance"),
    "suites": ("name", "version", "scoring", "position"),
    "about": ("name", "value"),
    "overheads": ("seconds",),
    "totals": ("n", "last", "total"),
}
SCORINGS = (
    '{"incumbent":[]}',
    '{"targets":{"kind":"sobol","n":1000000000}}',
    '{"targets":{"kind":"fixed","values":{"branin":[1e308,-1e308]}}}',
    '{"cutoffs":{"branin":[1e308,1e-308]}}',
    '{"split":"test","repetitions":1}',
    '{"unknown":1}',
    "[]",
    "{",
)
REASON = "n_trials: 4 were started"  # why the first run of the sound store ended
LABELS = (
    *(
        "$x_{",
        "$\\frac{1}$",
        "=1+1",
        "@sum",
        "-x",
        "<script>alert(1)</script>",
        "a" * 900,
        "'; DROP TABLE runs",
        "é" * 50,
    ),
    *("\\", "%s {} %(x)s", "a b", "rs options {}", "é\u0301", "a|b", "..", "0", "nan", "[a]", "{{ 7 * 7 }}"),
)
PARTS_OF_DESCRIPTIONS = (
    *(
        None,
        -1,
        10**30,
        1.5,
        float("nan"),
        "",
        "x",
        f"{PLANTED}:problem",
        "cv-rf-/etc/passwd",
        [],
        {},
        {"a": [1]},
        True,
    ),
    *(2**53, 1e308, "a" * 2000, "\x1b[31m", "\ud800", "counting-ones-9999-9999", "profet-../../x/0", "../../x"),
)
STATEMENTS = (
    "DROP TABLE suites",
    "DROP TABLE overheads",
    "ALTER TABLE runs ADD COLUMN more",
    "ALTER TABLE runs RENAME COLUMN seed TO sead",
    "DELETE FROM runs",
    "DELETE FROM totals",
    "PRAGMA user_version = 1",
    "PRAGMA user_version = -5",
    "PRAGMA application_id = 7",
    "CREATE TRIGGER t BEFORE DELETE ON runs BEGIN INSERT INTO runs SELECT * FROM runs; END",
    "UPDATE runs SET benchmark = CAST(x'ff41' AS TEXT)",
    "UPDATE runs SET description = CAST(x'fffe' AS TEXT)",
    "UPDATE about SET value = CAST(x'ff' AS TEXT)",
)


def command(path, good, words):
    """Run a command of `hpo` on a store that is copied into the current directory."""
    shutil.copy(path, "s.sqlite")
    return main([{"STORE": "s.sqlite", "GOOD": str(good)}.get(word, word) for word in words])


def prepare(folder):
    """A sound store, and a module that nobody may import."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{PLANTED}.py").write_text("problem = print\n")
    return hostile.small_store(folder / "good.sqlite")


def cases(folder: Path, rng: np.random.Generator, n: int):
    """n cases; each store is made when its case is asked for."""
    good = prepare(folder)
    kinds = list(MAKERS)
    for i in range(n):
        kind = kinds[i % len(kinds)]
        path = folder / "hostile.sqlite"
        words = MAKERS[kind](good, path, rng)
        chosen = COMMANDS[int(rng.integers(len(COMMANDS)))]
        yield Case(f"{kind} ({words}): hpo {' '.join(chosen)}", partial(command, path, good, chosen))


def _flip(good, path, rng):
    (flipped,) = hostile.flips(good, 1, rng)
    shutil.move(flipped, path)
    return "a bit"


def _edit(good, path, rng):
    shutil.copy(good, path)
    name = str(rng.choice(list(hostile.EDITS)))
    hostile.execute(path, hostile.EDITS[name])
    return name


def _statement(good, path, rng):
    shutil.copy(good, path)
    statement = str(rng.choice(STATEMENTS))
    hostile.execute(path, statement)
    return statement[:40]


def _value(good, path, rng):
    table = str(rng.choice(list(COLUMNS)))
    column = str(rng.choice(COLUMNS[table]))
    value = hostile.ODD_VALUES[int(rng.integers(len(hostile.ODD_VALUES)))]
    if table in ("overheads", "totals"):
        shutil.copy(good, path)
        connection = sqlite3.connect(path)
        with connection:
            connection.execute(f"UPDATE OR IGNORE {table} SET {column} = ?", (value,))
            if table == "overheads":
                hostile.reseal(connection)
        connection.close()
    else:
        try:
            hostile.resealed(good, path, table, {column: value})
        except sqlite3.IntegrityError:  # NULL where the table has none
            shutil.copy(good, path)
    return f"{table}.{column} = {value!r:.20}"


def _description(good, path, rng):
    """A description with one of its parts something else, under a key that fits, with labels that fit."""
    connection = sqlite3.connect(good)
    said = json.loads(connection.execute("SELECT description FROM runs WHERE rowid = 1").fetchone()[0])
    connection.close()
    places = [(said, key) for key in said] + [
        (said[k], key) for k in said if isinstance(said[k], dict) for key in said[k]
    ]
    place, key = places[int(rng.integers(len(places)))]
    values = [
        None,
        -1,
        10**30,
        1.5,
        float("nan"),
        "",
        "x",
        f"{PLANTED}:problem",
        "cv-rf-/etc/passwd",
        [],
        {},
        {"a": [1]},
        True,
    ]
    place[key] = values[int(rng.integers(len(values)))]
    if rng.random() < 0.1:
        place.pop(key)
    columns = hostile.described(said)
    for kind in ("benchmark", "optimizer"):
        if isinstance(said.get(kind), dict) and isinstance(said[kind].get("label"), str):
            columns[kind] = said[kind]["label"]
    if isinstance(said.get("seed"), int) and abs(said["seed"]) < 2**62:
        columns["seed"] = said["seed"]
    numbers, configs = hostile.numbers_of(good)
    columns["digest"] = run_digest(columns["key"], REASON, numbers, configs)
    hostile.resealed(good, path, "runs", columns)
    return f"{key} = {place.get(key)!r:.20}"


def _label(good, path, rng):
    """A label that is allowed and awkward, in all runs and tasks that have it."""
    kind, old = [("benchmark", "branin"), ("optimizer", "rs")][int(rng.integers(2))]
    new = LABELS[int(rng.integers(len(LABELS)))]
    hostile.relabelled(good, path, kind, old, new)
    return f"{kind} {new!r:.30}"


def _scoring(good, path, rng):
    text = str(rng.choice(SCORINGS))
    hostile.resealed(good, path, "suites", {"scoring": text})
    return text[:40]


def _numbers(good, path, rng):
    numbers, configs = hostile.numbers_of(good)
    hostile.with_trials(good, path, hostile.odd_numbers(numbers, rng), configs, 4)
    return "a number"


def _configs(good, path, rng):
    numbers, _ = hostile.numbers_of(good)
    lines = [b"{}", b"[]", b"null", b"{", b'{"x1": "a"}', b'{"x1": 1e999, "x2": NaN}', b"\xff", b'{"x1":' * 500, b""]
    configs = b"\n".join(lines[int(i)] for i in rng.integers(len(lines), size=4))
    hostile.with_trials(good, path, numbers, configs, 4)
    return "configurations"


def _bomb(good, path, rng):
    """Columns that unpack to far more than the file: by many trials, by long configurations, or by more than stated."""
    numbers, configs = hostile.numbers_of(good)
    kind = int(rng.integers(3))
    if kind == 0:
        n = 2_000_000
        hostile.with_trials(good, path, bytes(numbers_size(n)), b"{}\n" * (n - 1) + b"{}", n)
    elif kind == 1:
        hostile.with_trials(good, path, numbers, b"{" + b" " * 100_000_000 + b"}" + b"\n{}" * 3, 4)
    else:
        hostile.with_trials(good, path, numbers + bytes(100_000_000), configs, 4)
    return f"bomb {kind}"


def _cut(good, path, rng):
    whole = good.read_bytes()
    a, b = sorted(rng.integers(len(whole), size=2).tolist())
    path.write_bytes([whole[:a], whole[:a] + whole[b:], whole[:a] + bytes(b - a) + whole[b:]][int(rng.integers(3))])
    return f"{a}..{b}"


def _older(good, path, rng):
    shutil.copy(good, path)
    as_version(path, int(rng.integers(1, 3)))
    whole = bytearray(path.read_bytes())
    whole[int(rng.integers(len(whole)))] ^= 1 << int(rng.integers(8))
    path.write_bytes(whole)
    return "a bit of an older version"


MAKERS = {
    "flip": _flip,
    "edit": _edit,
    "value": _value,
    "description": _description,
    "label": _label,
    "numbers": _numbers,
    "configs": _configs,
    "scoring": _scoring,
    "statement": _statement,
    "cut": _cut,
    "older": _older,
    "bomb": _bomb,
}
