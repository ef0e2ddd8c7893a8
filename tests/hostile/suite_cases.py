"""Hostile suites: `cases` makes any number of TOML files from a seed, and asks what they would run."""

from functools import partial
from pathlib import Path

import numpy as np
from sandbox import PLANTED, Case

from hpo_cli.main import main

SOUND = """name = "mine"
version = 1
benchmarks = ["branin", { name = "forrester", options = { a = 3.0 }, n_trials = 5 }]
optimizers = ["rs", { name = "re", label = "small", options = { population = 5 } }]
n_seeds = 2
n_trials = 4
workers = 1
resume = false
prior = "good"
incumbent = "lowest-loss"
targets = { kind = "sobol", n = 20, seed = 0 }
cutoffs = { branin = [1.0, 2.0] }
"""
VALUES = (
    *("5", "-1", "0", "1.5", "inf", "nan", "true", "[]", "{}", '""', '"x"', "[1]", "[[]]", "{ a = 1 }", "1979-05-27"),
    *('"../../escaped"', '"/abs/x"', f'["{PLANTED}:problem"]', '["os:system"]', '["profet-svm/0..999999999"]'),
    *('["profet-svm/9..1"]', '[{ name = "os:system", options = { command = "touch x" } }]', f"{10**30}", f"{10**400}"),
    *(
        '["branin", "branin"]',
        '["no-such-name"]',
        '["cv-lm-../../../data.csv"]',
        '["cv-lm-/etc/passwd.csv"]',
        '["mini-*"]',
    ),
    *(
        '"' + "a" * 5000 + '"',
        '"\\u001b[31m"',
        '["../../../x"]',
        '["profet-../../x/0"]',
        '["nb201-\\u0000"]',
        "[" * 2000,
    ),
    *(
        '[{ name = "rs", options = { population = 1 } }]',
        "[{ name = 5 }]",
        '[{ label = "x" }]',
        '["rs", 5]',
        "100000000",
    ),
)


def cases(folder: Path, rng: np.random.Generator, n: int):
    """n cases."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{PLANTED}.py").write_text("problem = print\n")
    for _ in range(n):
        text, words = _made(rng)
        yield Case(words, partial(_plan, text))


def _plan(text):
    Path("mine.toml").write_bytes(text)
    return main(["leaderboard", "mine.toml", "--dry-run"])


def _made(rng):
    """A file with a line replaced, or some of its bytes, or cut off."""
    kind = int(rng.integers(4))
    whole = bytearray(SOUND.encode())
    if kind < 2:
        lines = SOUND.splitlines()
        i = int(rng.integers(len(lines)))
        key = lines[i].partition(" = ")[0]
        lines[i] = f"{key} = {VALUES[int(rng.integers(len(VALUES)))]}"
        return "\n".join(lines).encode(), lines[i][:60]
    for _ in range(int(rng.integers(1, 4))):
        whole[int(rng.integers(len(whole)))] = int(rng.integers(256))
    return (bytes(whole), "bytes") if kind == 2 else (bytes(whole[: int(rng.integers(len(whole)))]), "cut off")
