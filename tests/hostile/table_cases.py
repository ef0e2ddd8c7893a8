"""Hostile tables: flips of sealed ones, and any contents under a seal that is in order, against every command."""

import shutil
from functools import partial

import numpy as np
import sealed_files
from changes import cut, flipped, own_cache, picked, planted, same_or_refused
from sandbox import Case

from hpo_cli.main import main
from hpo_core import Benchmark, Categorical, Float, Int, Ordinal, Space
from tabular.families import own_tables
from tabular.fcnet_files.schema import CHOICES
from tabular.hdf5 import TABLE, read_table, write_table
from tabular.table import Table

COMMANDS = (
    ("table", "info", "t.h5"),
    ("table", "info", "t.h5", "--json"),
    ("table", "verify", "t.h5"),
    ("table", "stats", "t.h5"),
    ("table", "export", "t.h5", "--out", "out.hdf5"),
    ("table", "import", "t.h5", "--name", "own"),
    ("table", "import", "t.h5"),
    ("run", "own", "rs", "--trials", "4", "--out", "runs"),
    ("run", "own", "hyperband", "--trials", "4", "--json"),
    ("run", "own", "tpe", "--trials", "12", "--csv"),
    ("list", "--json"),
    (
        *("leaderboard", "functions", "--benchmarks", "own", "--optimizers", "rs,de", "--seeds", "1"),
        *("--trials", "3", "--store", "s.sqlite", "--engine", "serial", "--out", "page"),
    ),
)
FCNET = Space([type(h)(h.name, list(h.values)[:2]) for h in list(CHOICES.values())], name="fcnet")
GRID = Space([Categorical("kind", ["a", "b"]), Ordinal("size", [1, 2.5, 4]), Categorical("pair", [(1, 2), (3,)])])
LIST = Space([Float("x", 0.0, 1.0), Int("n", 1, 9)], listed=np.array([[0.1, 0], [0.2, 5], [0.9, 8], [0.95, 1]]))


def sound_tables(folder):
    """Files of a grid with learning curves, of a list with missing repetitions, and of a grid that can be exported."""
    rng = np.random.default_rng(5)
    made = []
    kinds = ((GRID, range(1, 5), False), (LIST, (9,), False), (FCNET, (1,), True))
    for i, (space, budgets, compress) in enumerate(kinds):
        n = space.numbering.size
        loss = rng.random((n, 3, len(budgets))) if len(budgets) > 1 else rng.random((n, 3))
        if i == 1:
            loss[1, 2] = np.nan
        columns = {"loss": loss, "cost": rng.random((n, 3)), "test_loss": rng.random((n, 3)), "n_params": np.arange(n)}
        units = {name: "of something" for name in columns}
        table = Table(f"sound-{i}", space, columns, units, budgets, "epochs", {"source": "made up", "year": 2026})
        write_table(table, folder / f"sound-{i}.h5", compress=compress)
        made.append(folder / f"sound-{i}.h5")
    return made


def meaning(path):
    """Everything that readers see of a table."""
    table = read_table(path, verify=True)
    arrays = {name: (array.dtype.str, array.shape, array.tobytes()) for name, array in table.columns.items()}
    said = (table.name, repr(list(table.space)), list(table.budgets), dict(table.units), repr(table.provenance))
    return said, arrays


def cases(folder, rng, n):
    """n cases; each table is made when its case is asked for."""
    goods = sound_tables(planted(folder))
    before = {good: meaning(good) for good in goods}
    path = folder / "hostile.h5"
    for _ in range(n):
        good = picked(goods, rng)
        if rng.random() < 0.3:
            content = good.read_bytes()
            path.write_bytes(flipped(content, rng) if rng.random() < 0.7 else cut(content, rng))
            yield Case(f"flip of {good.stem}", partial(same_or_refused, partial(meaning, path), before[good]))
            continue
        words = sealed_files.made(good, path, TABLE, rng)
        if rng.random() < 0.2:
            yield Case(f"{good.stem} {words}: all evaluations", partial(evaluated, path))
        else:
            chosen = picked(COMMANDS, rng)
            yield Case(f"{good.stem} {words}: hpo {' '.join(chosen)}", partial(command, path, chosen))


def command(path, words):
    """Run a command of `hpo` on a table that is copied into the current directory."""
    _installed(path)
    shutil.copy(path, "t.h5")
    return main(list(words))


def _installed(path):
    """Give a table the name `own` on this machine, as if it had been imported."""
    own_cache()
    own_tables.path("own").parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(path, own_tables.path("own"))


def evaluated(path):
    """Every configuration at every budget, which must give numbers."""
    _installed(path)
    benchmark = Benchmark("own")
    for budget in list(benchmark.budgets)[:5]:
        for config in benchmark.space.sample(np.random.default_rng(0), 10):
            for seed in (None, 0, 7):
                result = benchmark.objective(config, budget, seed=seed)
                assert isinstance(result.loss, float | int) and isinstance(result.cost, float | int)
    return benchmark.optimum, benchmark.provenance, benchmark.configspace
