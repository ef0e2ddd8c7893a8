"""A small experiment on every kind of benchmark, its store and its archive."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from hpo_core import Proposal
from hpo_core.storage.sealed_hdf5 import read_sealed, write_sealed
from hpo_leaderboard.archive.packed.archive_file import ARCHIVE, write_archive
from hpo_leaderboard.archive.packed.packing import pack_runs
from hpo_leaderboard.engines import make_engine
from hpo_leaderboard.experiments.experiment import run_experiment
from hpo_leaderboard.experiments.suite import make_suite
from hpo_leaderboard.store.store import reading


class Floats:
    """Random search that proposes whole numbers as floats."""

    def __init__(self, space, *, budgets=(1,), seed=0):
        self._space, self._rng = space, np.random.default_rng(seed)

    def ask(self):
        drawn = self._space.sample(self._rng)
        return Proposal({name: float(v) if type(v) is int else v for name, v in drawn.items()})

    def tell(self, proposal, loss, cost):
        pass


SMALL = {"n_seeds": 2, "n_trials": 12}


def run_store(path, benchmarks, optimizers, name="small", **settings):
    """Path of a store after running a suite into it."""
    suite = make_suite(name, benchmarks, optimizers, **{**SMALL, **settings})
    run_experiment(suite, path, make_engine("serial"))
    return Path(path)


def packed(*paths, card=None):
    """Archive of the runs of stores."""
    archives = []
    for path in paths:
        with reading(path) as store:
            archives.append(pack_runs([store], card))
    return archives[0]


def archive_file(path, store):
    """Path of the archive of a store."""
    write_archive(packed(store), path)
    return path


def rewritten(path, target, change):
    """A file with the seal of an archive whose arrays went through a function: what a careful forger would write."""
    header, arrays = read_sealed(path, ARCHIVE)
    changed = change(header, {name: array.copy() for name, array in arrays.items()}) or (header, arrays)
    write_sealed(target, ARCHIVE, *changed, compress=True)
    return target


def with_columns(archive, **columns):
    """The archive with some columns replaced."""
    return replace(archive, columns={**archive.columns, **columns})
