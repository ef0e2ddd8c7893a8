"""Hostile command lines of `hpo`: `cases` makes any number of them from a seed.

A sound line of `LINES` has words replaced, left out, added or exchanged. None of the lines starts long work: runs have
a few trials, leaderboards are dry runs, and no large number is put in.
"""

from functools import partial
from pathlib import Path

import numpy as np
from sandbox import Case

from hpo_cli.main import main

LINES = (
    ("list",),
    ("list", "--json"),
    ("optimizers", "--json"),
    ("criteria", "--csv"),
    ("completion", "bash"),
    ("--version",),
    ("run", "branin", "rs", "--trials", "3", "--seeds", "2"),
    ("run", "branin", "de", "--trials", "4", "--seeds", "1", "--json"),
    ("run", "counting-ones-8-8", "hyperband", "--trials", "5", "--seeds", "1", "--stop", "conv:3"),
    ("run", "branin", "rs", "--trials", "3", "--out", "runs.csv"),
    (
        *("leaderboard", "functions", "--benchmarks", "branin", "--optimizers", "rs,de", "--seeds", "2"),
        *("--trials", "3", "--engine", "serial", "--store", "s.sqlite", "--dry-run"),
    ),
    ("report", "good.sqlite", "--out", "page"),
    ("compare", "good.sqlite", "rs", "de", "--json"),
    ("store", "info", "good.sqlite"),
    ("store", "verify", "good.sqlite"),
    ("store", "merge", "new.sqlite", "good.sqlite"),
    ("store", "export", "good.sqlite", "--out", "trials.csv", "--optimizers", "rs"),
    ("store", "drop", "good.sqlite", "--optimizers", "rs", "--yes"),
    ("stop", "replay", "good.sqlite", "--criteria", "conv:2"),
    ("table", "list"),
    ("table", "info", "mini-wine"),
    ("surrogate", "info", "taskset-surrogate/6"),
    ("profet", "sample", "svm", "--n", "1"),
    ("profet", "info", "svm"),
)
ODD = (
    *("", " ", "-", "--", "---", "-1", "0", "1.5", "nan", "-inf", "1e400", "x", "None", "[]", "{}", "é", "\x1b[31m"),
    *("\udcff", "a" * 5000, "../../x", "/", "/etc/passwd", ".", "~", "$HOME", "*", "a,b", ",", "a:b", "os:system", ":"),
    *("--help", "--json", "--trials", "--seeds", "--out", "--no-such-option", "--options", "--store", "--seeds=2:1"),
    *(
        "branin",
        "tpe",
        "rs",
        "no-such-name",
        "profet-svm/0",
        "profet-svm/-1",
        "mini-*",
        "conv:-1",
        "conv:x",
        "limit:1|",
    ),
    *("good.sqlite", "missing.sqlite", "text.csv", "folder", "quick", "functions", "a=1", "=", "population=5"),
)


def cases(folder: Path, rng: np.random.Generator, n: int):
    """n cases, each in a directory with a sound store, a text and a folder."""
    from hostile_stores import small_store

    folder.mkdir(parents=True, exist_ok=True)
    good = small_store(folder / "good.sqlite").read_bytes()
    for i in range(n):
        words = list(LINES[i % len(LINES)])
        for _ in range(int(rng.integers(1, 3))):
            _change(words, rng)
        yield Case(f"hpo {' '.join(words)!r:.300}", partial(_called, good, words))


def _change(words: list[str], rng: np.random.Generator) -> None:
    """Replace, leave out, add or exchange a word."""
    kind, place = int(rng.integers(4)), int(rng.integers(len(words))) if words else 0
    odd = ODD[int(rng.integers(len(ODD)))]
    if kind == 1 and words:
        del words[place]
    elif kind == 2 and words:
        other = int(rng.integers(len(words)))
        words[place], words[other] = words[other], words[place]
    elif kind == 3 or not words:
        words.insert(place, odd)
    else:
        words[place] = odd


def _called(good: bytes, words: list[str]) -> int:
    """Exit status of a command, which is one of those that the help promises."""
    Path("good.sqlite").write_bytes(good)
    Path("text.csv").write_text("a,b\n1,2\n")
    Path("folder").mkdir()
    status = main(words)
    if status not in (0, 1, 2):
        raise ValueError(f"exit status {status!r}")
    return status
