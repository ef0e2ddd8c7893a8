"""`Archive`: recorded runs as columns, what they were runs of, and who made them.

    lookup       a run on a table: a trial is the number of its configuration and that of its budget. Losses, costs and
                 times are looked up again when the archive is opened (`archive.packed.lookups`)
    trajectory   any other run: the trials at which the incumbent changes (`archive.packed.trajectories`)

Each run has the digest of its whole record (`run_digest`), by which a run that is made again is compared.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hpo_leaderboard.experiments.job import key_of
from hpo_leaderboard.experiments.plan import BenchmarkRecord
from hpo_leaderboard.experiments.run_seeds import run_seed
from hpo_leaderboard.store.file.descriptions import ENDING, SEEDS, read_description
from hpo_leaderboard.store.file.rows import StoredRun, StoredSuite

RUN_COLUMNS: dict[str, str] = {  # one value for each run
    "setting": "<u4",  # number in `settings`
    "seed": "<u8",  # of the suite
    "n_trials": "<u4",
    "reason": "<u4",  # number in `reasons`
    "failure": "<u4",  # number in `failures`, whose first one is "": it did not break
    "n_random": "<i8",  # -1 where the optimizer does not say
    "overhead": "<f8",  # CPU seconds
    "n_kept": "<u4",  # trials of a trajectory that are kept; 0 of a lookup
    "is_lookup": "|u1",
}
TRIAL_COLUMNS = {"number": "<u4", "budget": "<u4"}  # one value for each trial of each lookup
FLAGS = "flags"  # one value for each trial of each trajectory
KEPT_COLUMNS = {  # one value for each trial of a trajectory that is kept
    "position": "<u4",
    "kept_budget": "<f8",
    "kept_loss": "<f8",
    "kept_exact": "<f8",
    "kept_test": "<f8",
    "kept_end": "<f8",
}
CARD = ("title", "licence", "contact", "note")  # what the maker of an archive says about it


@dataclass(frozen=True)
class Archive:
    """Recorded runs.

    settings   descriptions of the runs (`Job.description`) with seeds of 0, one for all runs that differ in the seed
    reasons    why runs ended
    failures   why runs broke; the first is "", of those that did not
    tasks      what scoring needs to know about the benchmarks
    suites     the suites that were run, the latest last
    about      notes: versions of what made the runs
    card       what their maker says about them: title, licence, contact, note
    columns    arrays by the names of `RUN_COLUMNS`, `TRIAL_COLUMNS`, `FLAGS` and `KEPT_COLUMNS`
    digests    (run, 32) SHA-256 of each run's whole record
    shown      (run, 32) SHA-256 of each trajectory as it is opened, zeros for lookups
    """

    settings: tuple[str, ...]
    reasons: tuple[str, ...]
    failures: tuple[str, ...]
    tasks: tuple[BenchmarkRecord, ...]
    suites: tuple[StoredSuite, ...]
    about: Mapping[str, str]
    card: Mapping[str, str]
    columns: Mapping[str, np.ndarray]
    digests: np.ndarray
    shown: np.ndarray

    @property
    def n_runs(self) -> int:
        return len(self.digests)

    @cached_property
    def starts(self) -> dict[str, np.ndarray]:
        """(run + 1,) where each run's values begin in the columns of lookups, of flags and of kept trials."""
        n_trials, is_lookup = self.columns["n_trials"], self.columns["is_lookup"] != 0
        counts = {"lookup": np.where(is_lookup, n_trials, 0), FLAGS: np.where(is_lookup, 0, n_trials)}
        counts["kept"] = self.columns["n_kept"]
        return {name: np.concatenate([[0], np.cumsum(own, dtype=np.int64)]) for name, own in counts.items()}

    def said(self, row: int) -> Mapping[str, Any]:
        """What the description of a run's setting says; its seeds are 0."""
        return read_description(self.settings[self.columns["setting"][row]])

    def description(self, row: int) -> str:
        """Description of a run, with its seeds."""
        return with_seed(self.settings[self.columns["setting"][row]], int(self.columns["seed"][row]))

    def key(self, row: int) -> str:
        """Key of a run, see `Job.key`."""
        return key_of(self.description(row))

    def named(self, row: int) -> str:
        """A run in words."""
        said = self.said(row)
        seed = int(self.columns["seed"][row])
        return f"{said['optimizer']['label']} on {said['benchmark']['label']}, seed {seed} ({self.key(row)[:12]})"

    def digest(self) -> str:
        """Hexadecimal SHA-256 of the runs: that of a store of the same runs, however both were made."""
        total = hashlib.sha256()
        for key, row in sorted((self.key(row), row) for row in range(self.n_runs)):
            total.update(key.encode() + self.digests[row].tobytes())
        return total.hexdigest()


def with_seed(setting: str, seed: int) -> str:
    """The description of a setting with a seed of the suite, and the run's own that is made of it."""
    before, _, after = setting.rpartition(SEEDS)
    if ENDING.fullmatch(after) is None:
        raise ValueError("its description has no seeds at its end, as those of an archive do")
    benchmark = read_description(setting)["benchmark"]
    own = run_seed(seed, benchmark["name"], benchmark["options"])
    return f'{before}{SEEDS}{own},"seed":{seed}{_suite_part(after)}'


def without_seed(description: str) -> str:
    """A description with seeds of 0: what runs that differ in the seed alone share."""
    before, _, after = description.rpartition(SEEDS)
    if ENDING.fullmatch(after) is None:
        raise ValueError("its description is of an older release, which gave all benchmarks the same seed")
    return f'{before}{SEEDS}0,"seed":0{_suite_part(after)}'


def _suite_part(ending: str) -> str:
    return ending[ending.rindex(',"suite":') :]


def numbered(texts: Iterable[str]) -> tuple[tuple[str, ...], list[int]]:
    """The different texts in the order of their first appearance, and the number of each."""
    known: dict[str, int] = {}
    numbers = [known.setdefault(text, len(known)) for text in texts]
    return tuple(known), numbers


def bare_run(archive: Archive, row: int) -> StoredRun:
    """A run as a store has it, without its trials, and with the digest of its whole record."""
    columns, said = archive.columns, archive.said(row)
    description, n_random = archive.description(row), int(columns["n_random"][row])
    return StoredRun(
        key=key_of(description),
        position=0,
        settled=1,
        benchmark=said["benchmark"]["label"],
        optimizer=said["optimizer"]["label"],
        seed=int(columns["seed"][row]),
        description=description,
        reason=archive.reasons[columns["reason"][row]],
        n_trials=int(columns["n_trials"][row]),
        failure=archive.failures[columns["failure"][row]] or None,
        n_random=None if n_random < 0 else n_random,
        digest=archive.digests[row].tobytes(),
        seal=None,
        numbers=b"",
        configs=b"",
        overhead=float(columns["overhead"][row]),
    )
