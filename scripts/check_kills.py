"""Does a kill at any moment change a result? Commands are killed, given again, and compared with undisturbed ones.

    python scripts/check_kills.py [--kills 100] [--only leaderboard,collect] [--seed 0]

Each of `hpo leaderboard`, `hpo table train`, `hpo collect` and `hpo profet train` is started, killed at a random moment
(SIGKILL, the process alone or with all that it started) and started again, until it was killed so many times and has
finished once more. Whenever it finishes, its result must equal the undisturbed one: runs and losses bit by bit, of a
model the whole file. Measured costs differ from run to run and are not compared. A command that has finished starts
again from nothing. The settings are small, so that a command takes seconds. The exit status is 1 if a result differs.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy loads

import argparse
import hashlib
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import h5py
import numpy as np

from hpo_cli.main import main
from hpo_leaderboard.store.store import reading
from hpo_models.networks.adam import WarmStart
from profet import settings

SUITE = "leaderboard quick --benchmarks forrester,branin --optimizers rs,tpe --seeds 30 --trials 20 --shard 1/1"
GRID = (
    "n_units_1=16 n_units_2=16 batch_size=8 activation_fn_1=relu activation_fn_2=relu dropout_1=0.0 lr_schedule=const"
)
TABLE = f"table train wine --grid {GRID} --repetitions 2 --epochs 10 --rows 100 --threads 2"
COLLECT = "collect svm --datasets wine,digits,breast-cancer --configs {} --rows 150 --threads 2"
PRELOADED = (
    "pandas",
    "sklearn.svm",
    "hpo_leaderboard.experiments.experiment",
    "profet.learning.training",
    "hpo_cli.profet.meta_data",
)
LIMIT = 600.0  # seconds after which a command hangs
SHORT = 1.0  # seconds within which four of five kills come, after the first file or from the start
SMALL = replace(
    settings.FAST,
    **{"n_draws": 8, "n_cost_draws": 4, "n_between": 20, "n_latent": 2, "n_burn_in": 200},
    warm_start=WarmStart(300, 1e-2),
)


class Work(NamedTuple):
    """A command that makes a file, and what of that file must not change."""

    words: str
    option: str
    file: str
    contents: Callable[[Path], str]


class Counts(NamedTuple):
    """How often a command was killed, how often while it had files, how often it finished, and how often otherwise."""

    kills: int
    at_work: int
    finished: int
    differing: int


def stored_runs(path: Path) -> str:
    """Digest of a store that is sound."""
    with reading(path) as store:
        return f"{store.digest()} {len(store.keys())} runs, {len(list(store.damages()))} damages"


def columns(path: Path) -> str:
    """Digest of the columns of a file but the measured costs."""
    total = hashlib.sha256()
    with h5py.File(path) as file:
        for name in sorted(file["columns"]):
            if name != "cost":
                total.update(name.encode() + np.ascontiguousarray(file["columns"][name]).tobytes())
            elif not (file["columns"][name][()] > 0).all():
                return "a cost is missing"
    return total.hexdigest()


def whole_file(path: Path) -> str:
    """Digest of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def works(data: Path) -> dict[str, Work]:
    """The commands by name; `data` is the file of meta-data that a model is trained on."""
    return {
        "leaderboard": Work(f"{SUITE} --processes 1", "--store", "s.sqlite", stored_runs),
        "table train": Work(TABLE, "--out", "t.h5", columns),
        "collect": Work(COLLECT.format(30), "--out", "c.h5", columns),
        "profet train": Work(f"profet train {data} --name small", "--out", "m.h5", whole_file),
    }


def start(work: Work, folder: Path) -> int:
    """Number of the process that runs the command, with a group of its own, and writes into a folder.

    It is forked, since imports would take most of the time of a fresh one.
    """
    folder.mkdir(parents=True, exist_ok=True)
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        os.setsid()
        os.chdir(folder)
        for descriptor in (1, 2):
            os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)
        settings.MODES["fast"] = SMALL
        status = main([*work.words.split(), work.option, str(folder / work.file)])
    finally:
        os._exit(status)


def wait(child: int, seconds: float) -> int | None:
    """Exit status of a process, None if it still runs after some seconds."""
    end = time.monotonic() + seconds
    while True:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() >= end:
            return None
        time.sleep(0.002)


def finish(work: Work, folder: Path) -> str:
    """Contents of the result, after the command ran to its end."""
    status = wait(start(work, folder), LIMIT)
    return work.contents(folder / work.file) if status == 0 else f"exit status {status}"


def disturb(work: Work, folder: Path, n_kills: int, seed: int) -> Counts:
    """Counts of a command that is killed so many times at random moments, and then finished."""
    began = time.monotonic()
    expected = finish(work, folder / "undisturbed")
    seconds, chance = time.monotonic() - began, np.random.default_rng(seed)
    place, kills, at_work, finished, differing = folder / "disturbed", 0, 0, 0, 0
    while kills < n_kills:
        child, status = start(work, place), None
        if chance.random() < 0.8:  # not while it only plans: from its first file on
            while status is None and not any(place.iterdir()):
                status = wait(child, 0.0)
        if status is None:
            status = wait(child, chance.uniform(0.0, seconds if chance.random() < 0.2 else min(seconds, SHORT)))
        if status is None:
            kills += 1
            at_work += any(place.iterdir())
            (os.killpg if chance.random() < 0.5 else os.kill)(child, signal.SIGKILL)
            os.waitpid(child, 0)
            print(f"\r{kills} kills", end="", file=sys.stderr, flush=True)
            continue
        finished += 1
        differing += status != 0 or work.contents(place / work.file) != expected
        shutil.rmtree(place)
    differing += finish(work, place) != expected
    return Counts(kills, at_work, finished + 1, differing)


def check() -> int:
    """Exit status of the script."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--only", help="names, joined by commas")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    for module in PRELOADED:
        import_module(module)
    with tempfile.TemporaryDirectory(prefix="hpo-kills-") as folder:
        data = Path(folder) / "data" / "svm.h5"
        found = works(data)
        chosen = options.only.split(",") if options.only else list(found)
        if "profet train" in chosen:
            finish(Work(COLLECT.format(12), "--out", data.name, columns), data.parent)
        n_differing = 0
        for name in chosen:
            counts = disturb(found[name], Path(folder) / name.replace(" ", "-"), options.kills, options.seed)
            n_differing += counts.differing
            print(f"{name:14s} {counts._asdict()}", flush=True)
    return int(n_differing > 0)


if __name__ == "__main__":
    sys.exit(check())
