"""Commands on hostile archives: `cases` makes any number of them from a seed."""

import json
import shutil
from functools import partial
from pathlib import Path

import numpy as np
import sealed_files
from changes import cut, flipped, odd_json, own_cache, picked, planted, same_or_refused
from sandbox import Case
from small_archives import archive_file, run_store

from hpo_cli.main import main
from hpo_leaderboard.archive.packed.archive_file import ARCHIVE, read_archive

SUITE = 'name = "small"\nbenchmarks = ["branin", "lr-optdigits"]\noptimizers = ["rs"]\nn_trials = 4\n'
COMMANDS = (
    ("archive", "info", "a.h5"),
    ("archive", "info", "a.h5", "--json"),
    ("archive", "verify", "a.h5", "--sample", "20%", "--engine", "serial", "--json"),
    ("archive", "add", "a.h5", "--to", "good.h5", "--engine", "serial"),
    ("archive", "add", "good.h5", "--to", "a.h5", "--engine", "serial", "--sample", "0%"),
    ("archive", "diff", "good.h5", "a.h5"),
    ("leaderboard", "small.toml", "--optimizers", "de", "--archive", "a.h5", "--dry-run"),
    ("leaderboard", "small.toml", "--optimizers", "re", "--archive", "a.h5", "--engine", "serial"),
    ("compare", "rs", "de", "--suite", "small.toml", "--archive", "a.h5"),
)
NAMES = ("planted:Search", "../../stray", "\x1b[31mred", "rs", "x" * 2000, "")


def sound_archive(folder):
    """A sound archive with lookups and trajectories."""
    folder.mkdir(parents=True, exist_ok=True)
    store = run_store(folder / "s.sqlite", ["branin", "lr-optdigits"], ["rs", "de"], n_trials=4)
    return archive_file(folder / "good.h5", store)


def odd_catalogue(good, path, rng):
    """Another value at some place of the catalogue, or another name in a description."""
    header, arrays = sealed_files.contents(good)
    text = bytes(arrays["catalogue"]).decode()
    if rng.random() < 0.5:
        old = picked(["rs", "branin", "lr-optdigits", "small"], rng)
        new = json.dumps(json.dumps(picked(NAMES, rng))[1:-1])[1:-1]
        text, place = text.replace(f'\\"{old}\\"', f'\\"{new}\\"').replace(f'"{old}"', f'"{new}"'), f"{old} renamed"
    else:
        changed, place = odd_json(json.loads(text), rng)
        text = json.dumps(changed)
    arrays["catalogue"] = np.frombuffer(text.encode(errors="replace"), dtype=np.uint8)
    sealed_files.rewritten(path, ARCHIVE, header, arrays)
    return f"catalogue {place}"


def cases(folder, rng, n):
    """n cases; each file is made when its case is asked for."""
    good = sound_archive(planted(folder))
    before = repr(read_archive(good))
    path = folder / "hostile.h5"
    for _ in range(n):
        if rng.random() < 0.2:
            content = good.read_bytes()
            path.write_bytes(flipped(content, rng) if rng.random() < 0.7 else cut(content, rng))
            yield Case("flip of an archive", partial(same_or_refused, partial(_repr, path), before))
            continue
        odd = rng.random() < 0.4
        words = odd_catalogue(good, path, rng) if odd else sealed_files.made(good, path, ARCHIVE, rng)
        chosen = picked(COMMANDS, rng)
        yield Case(f"archive {words}: hpo {' '.join(chosen)}", partial(command, good, path, chosen))


def _repr(path):
    return repr(read_archive(path))


def command(good, path, words):
    """Run a command of `hpo` on a file that is copied into the current directory, beside a sound one."""
    own_cache()
    shutil.copy(path, "a.h5")
    shutil.copy(good, "good.h5")
    Path("small.toml").write_text(SUITE)
    return main(list(words))
