"""The door of a store: rows as they lie in the file in, clean values out.

SQLite lets every column hold anything, and a file may come from anybody. What passes here has the right types, lengths
and ranges, says the same in its columns as in its description, and is what was sealed; anything else is a `ValueError`
with the reason, which `Store` turns into `DamagedFile`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from hpo_core.errors import HpoError
from hpo_leaderboard.experiments.execution import run_digest
from hpo_leaderboard.experiments.job import key_of
from hpo_leaderboard.experiments.naming import label_fault
from hpo_leaderboard.experiments.plan import BenchmarkRecord
from hpo_leaderboard.experiments.scoring import Scoring, scoring_from_json
from hpo_leaderboard.store.columns import n_lines, numbers_size, unpacked
from hpo_leaderboard.store.file.descriptions import json_of, read_description
from hpo_leaderboard.store.file.seals import SEALED, seal

COLUMNS = (*SEALED["runs"][:-1], "seal", "numbers", "configs")
MOST_TEXT = 1_000_000  # characters of a failure or a note
MOST_COUNT = 2**53
N_HEAD = len(SEALED["runs"]) - 1  # columns in front of the seal
TEXT_OR_NONE, COUNT_OR_NONE, BYTES_OR_NONE = (str, type(None)), (int, type(None)), (bytes, type(None))
KINDS: tuple[Any, ...] = (  # of the fields of a `StoredRun`, in their order
    *(str, int, int, str, str, int, str, str, int, TEXT_OR_NONE, COUNT_OR_NONE, bytes),
    *(BYTES_OR_NONE, bytes, bytes, float),
)


class StoredRun(NamedTuple):
    """A row of the store, with its columns still compressed; `overhead` is in CPU seconds.

    `n_random` is how many proposals were random, None where the optimizer does not say; `position` is the order of
    storing; `seal` binds all of it, None in a file of an older version.
    """

    key: str
    position: int
    settled: int
    benchmark: str
    optimizer: str
    seed: int
    description: str
    reason: str
    n_trials: int
    failure: str | None
    n_random: int | None
    digest: bytes
    seal: bytes | None
    numbers: bytes
    configs: bytes
    overhead: float

    def said(self) -> Mapping[str, Any]:
        """What the description says (`Job.description`), which was checked at the door."""
        return read_description(self.description)

    def contents(self, room: float = math.inf) -> tuple[bytes, bytes]:
        """Decompressed numbers and configurations; raises `ValueError` where they are not what was stored.

        They take at most `room` bytes: sizes are known before anything is unpacked.
        """
        size = numbers_size(self.n_trials)
        if size > room:
            raise ValueError(f"its {self.n_trials:,} trials take more room than a file of this size can hold")
        numbers = unpacked(self.numbers, size)
        if len(numbers) != size:
            raise ValueError(f"its columns do not hold {self.n_trials} trials")
        configs = unpacked(self.configs, room - size)
        if run_digest(self.key, self.reason, numbers, configs) != self.digest:
            raise ValueError("its contents do not match its digest")
        if n_lines(configs) != self.n_trials:
            raise ValueError(f"it holds {n_lines(configs)} configurations for {self.n_trials} trials")
        return numbers, configs

    def proper_seal(self) -> bytes:
        """The seal that it should have."""
        return seal("runs", *self[:N_HEAD], self.overhead)

    def __str__(self) -> str:
        return named(self)


class StoredSuite(NamedTuple):
    """A suite that was run into a store, and how it is scored."""

    name: str
    version: int
    scoring: Scoring


def run_of(row: Sequence[Any] | None) -> StoredRun:
    """The run of a row; raises `ValueError` for one that is not what was stored, as far as its seal goes."""
    if row is None:
        raise ValueError("a run is listed and cannot be found")
    run = StoredRun(*row)
    fault = _kind_fault(tuple(map(type, row)))
    if fault is None:
        try:
            fault = _run_fault(run)
        except ValueError as error:
            fault = str(error)
    if fault is not None:
        raise ValueError(f"{named(run)}: {fault}")
    return run


def named(run: StoredRun) -> str:
    """A row that may hold anything, in words."""
    key, benchmark, optimizer = (
        value[:most] if isinstance(value, str) and label_fault(value) is None else repr(value)[:most]
        for value, most in ((run.key, 12), (run.benchmark, 60), (run.optimizer, 60))
    )
    return f"run {key} ({benchmark}, {optimizer}, seed {str(run.seed)[:20]})"


@lru_cache(maxsize=64)
def _kind_fault(kinds: tuple[type, ...]) -> str | None:
    """What is wrong with the types of a row, None if they are those of a `StoredRun`."""
    for field, kind, allowed in zip(StoredRun._fields, kinds, KINDS, strict=True):
        if not issubclass(kind, allowed):
            return f"its {field} cannot be {kind.__name__}"
    return None


def _run_fault(run: StoredRun) -> str | None:
    for label in (run.benchmark, run.optimizer):
        if (fault := label_fault(label)) is not None:
            return f"a label {fault}"
    if run.settled not in (0, 1) or not 0.0 <= run.overhead < math.inf:
        return f"settled must be 0 or 1 and the overhead a time, got {run.settled} and {run.overhead}"
    if not all(0 <= count <= MOST_COUNT for count in (run.seed, run.n_trials, run.n_random or 0, run.position)):
        return "seed, n_trials, n_random and position must be numbers from 0 on"
    if len(run.digest) != 32 or len(run.reason) > MOST_TEXT or len(run.failure or "") > MOST_TEXT:
        return "its digest, reason or failure has a length that they never have"
    if key_of(run.description) != run.key:
        return "its description does not match its key"
    said = read_description(run.description)
    if (run.benchmark, run.optimizer) != (said["benchmark"]["label"], said["optimizer"]["label"]):
        return "its labels are not those of its description"
    if run.seed != said["seed"]:
        return f"its seed is not the one of its description, {said['seed']}"
    if run.seal is not None and run.seal != run.proper_seal():
        return "its row does not match its seal, a digest of all its columns"
    return None


def task_of(row: Sequence[Any]) -> BenchmarkRecord:
    """What is known about a benchmark, of a row with its seal (None in an older file); raises `ValueError`."""
    *values, sealed = row
    task = BenchmarkRecord(*values)
    texts = (task.benchmark, task.checksum, task.family, task.provenance)
    if not all(isinstance(text, str) and len(text) <= MOST_TEXT for text in texts):
        raise ValueError("a task has something else than text where text should be")
    where = f"task {task.benchmark[:60]!r}"
    for label in (task.benchmark, task.family, task.checksum):
        if (fault := label_fault(label)) is not None:
            raise ValueError(f"{where}: a name {fault}")
    numbers = (task.optimum, task.test_optimum, task.full_budget)
    if not all(value is None or (type(value) is float and math.isfinite(value)) for value in numbers):
        raise ValueError(f"{where}: its optima and budget must be finite numbers, got {numbers}")
    if task.full_budget is None or type(task.n_budgets) is not int or not 1 <= task.n_budgets <= MOST_COUNT:
        raise ValueError(f"{where}: it must have a full budget and at least one, got {task.n_budgets!r:.20}")
    if not isinstance(json_of(task.provenance or "{}"), dict):
        raise ValueError(f"{where}: its provenance is no JSON object")
    if sealed is not None and sealed != seal("tasks", *task):
        raise ValueError(f"{where}: it does not match its seal, a digest of all its columns")
    return task


def suite_of(row: Sequence[Any]) -> StoredSuite:
    """The suite of a row with its position and seal (None in an older file); raises `ValueError`."""
    name, version, scoring, position, sealed = row
    kinds = (isinstance(name, str), type(version) is int, isinstance(scoring, str), type(position) is int)
    if not all(kinds) or (label_fault(name) is not None):
        raise ValueError("a suite has something else than a name, a version and a scoring")
    if sealed is not None and sealed != seal("suites", name, version, scoring, position):
        raise ValueError(f"suite {name[:60]!r}: it does not match its seal, a digest of all its columns")
    if not isinstance(json_of(scoring), dict):
        raise ValueError(f"suite {name[:60]!r}: its scoring is no JSON object")
    try:
        return StoredSuite(name, version, scoring_from_json(scoring))
    except (HpoError, TypeError) as error:
        raise ValueError(f"suite {name[:60]!r}: its scoring cannot be used ({error})") from None


def note_of(row: Sequence[Any]) -> tuple[str, str]:
    """Name and value of a note, of a row with its seal (None in an older file); raises `ValueError`."""
    name, value, sealed = row
    if not isinstance(name, str) or not isinstance(value, str) or max(len(name), len(value)) > MOST_TEXT:
        raise ValueError("a note has something else than text where text should be")
    if sealed is not None and sealed != seal("about", name, value):
        raise ValueError(f"note {name[:60]!r}: it does not match its seal, a digest of all its columns")
    return name, value
