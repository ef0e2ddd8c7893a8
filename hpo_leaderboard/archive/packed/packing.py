"""`pack_runs`: the settled runs of a store as an archive, each looked at as it will be opened."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from hpo_core.errors import InvalidOption
from hpo_core.names import needs_import
from hpo_leaderboard.archive.packed.contents import (
    FLAGS,
    KEPT_COLUMNS,
    RUN_COLUMNS,
    TRIAL_COLUMNS,
    Archive,
    numbered,
    with_seed,
    without_seed,
)
from hpo_leaderboard.archive.packed.lookups import LookupTable, Numbers, RunRecord, lookup_table
from hpo_leaderboard.archive.packed.trajectories import EMPTY_CONFIG, flags_of, kept_of, opened
from hpo_leaderboard.experiments.execution import run_digest
from hpo_leaderboard.experiments.identity import open_benchmark
from hpo_leaderboard.store.columns import unpack_numbers
from hpo_leaderboard.store.file.rows import StoredRun
from hpo_leaderboard.store.file.verification import batches
from hpo_leaderboard.store.store import Store

BATCH = 200  # runs of a setting that are looked up in one go
NO_DIGEST = np.zeros(32, dtype=np.uint8)


class PackedRun(NamedTuple):
    """A run as an archive has it: a row, its trials as a lookup or a trajectory, and the digest as it is opened."""

    run: StoredRun
    setting: str
    numbers: Numbers | None
    kept: Mapping[str, np.ndarray] | None
    flags: np.ndarray
    shown: np.ndarray


def pack_runs(
    stores: Sequence[Store], card: Mapping[str, str] | None = None, *, keys: Collection[str] | None = None
) -> Archive:
    """Archive of the settled runs of stores, or of those with some keys; a run that lies in several is taken once.

    The runs go by benchmark, optimizer, setting and seed, settings of one name by when they were stored first: stores
    of the same runs give the same archive, but for overheads.
    """
    packed: dict[str, PackedRun] = {}
    for store in stores:
        for group in _by_setting(store, keys):
            for one in _packed(store, group):
                _add(packed, one)
    used = {(said["label"], said["checksum"]) for said in (one.run.said()["benchmark"] for one in packed.values())}
    tasks = {(task.benchmark, task.checksum): task for store in stores for task in store.tasks()}
    suites = {(suite.name, suite.version): suite for store in stores for suite in store.suites()}
    about = {name: value for store in stores for name, value in store.about().items() if name != "suite"}
    return replace(
        make_archive(ordered(packed.values())),
        tasks=tuple(tasks[key] for key in sorted(tasks) if key in used),
        suites=tuple(suites.values()),
        about=about,
        card=card or {},
    )


def ordered(runs: Iterable[PackedRun]) -> list[PackedRun]:
    """The runs in the order of an archive: benchmark, optimizer, setting by its first run, seed."""
    given = list(runs)
    first: dict[str, int] = {}
    for one in given:
        first.setdefault(one.setting, len(first))
    return sorted(given, key=lambda one: (one.run.benchmark, one.run.optimizer, first[one.setting], one.run.seed))


def _add(packed: dict[str, PackedRun], one: PackedRun) -> None:
    known = packed.setdefault(one.run.key, one)
    if known.run.digest != one.run.digest:
        raise InvalidOption(f"two stores have {one.run} with different outcomes; `hpo store merge` says more")


def _by_setting(store: Store, keys: Collection[str] | None) -> Iterable[list[str]]:
    """Keys of the settled runs of each setting, of all or of some."""
    groups: dict[str, list[str]] = {}
    for run in store.heads():
        if run.settled and (keys is None or run.key in keys):
            groups.setdefault(_setting(run), []).append(run.key)
    return groups.values()


def _setting(run: StoredRun) -> str:
    try:
        setting = without_seed(run.description)
        if with_seed(setting, run.seed) != run.description:
            raise ValueError("its own seed is not the one that its benchmark and the suite's seed make")
    except ValueError as error:
        raise InvalidOption(f"{run} cannot be archived: {error}; run it again with this release") from None
    return setting


def _packed(store: Store, keys: Sequence[str]) -> Iterable[PackedRun]:
    """The runs of a setting, as lookups where their records are found again by looking up."""
    table: LookupTable | None = None
    for number, batch in enumerate(batches(keys, BATCH)):
        runs = [store.run(key) for key in batch]
        contents = [RunRecord(*store.contents(run)) for run in runs]
        if number == 0:
            table = table_of(runs[0])
        columns = [unpack_numbers([own.numbers], [run.n_trials]) for run, own in zip(runs, contents, strict=True)]
        numbers = _as_numbers(table, runs, columns, contents)
        for run, own, found in zip(runs, columns, numbers, strict=True):
            yield _as_lookup(run, found) if found is not None else _as_trajectory(run, own)


def table_of(run: StoredRun) -> LookupTable | None:
    """The table of a run's benchmark, None where it has none, cannot be opened here or has other contents."""
    said = run.said()["benchmark"]
    if needs_import(said["name"]):
        return None
    try:
        known = open_benchmark(said["name"], said["options"])
    except Exception:
        return None  # the store may come from another machine
    return lookup_table(known.benchmark) if known.checksum == said["checksum"] else None


def _as_numbers(
    table: LookupTable | None,
    runs: Sequence[StoredRun],
    columns: Sequence[Mapping[str, np.ndarray]],
    contents: Sequence[RunRecord],
) -> list[Numbers | None]:
    """The runs as numbers of a table, None for those whose records are not found again by looking up."""
    if table is None:
        return [None] * len(runs)
    found = [table.numbers_of(own, record.configs) for own, record in zip(columns, contents, strict=True)]
    rows = [i for i, own in enumerate(found) if own is not None]
    limits = runs[0].said()["limits"]
    seeds = [runs[i].said()["run_seed"] for i in rows]
    again = table.records([n for n in found if n is not None], seeds, bool(limits["resume"]), limits["workers"])
    for i, record in zip(rows, again, strict=True):
        if record != contents[i]:
            found[i] = None
    return found


def _as_lookup(run: StoredRun, numbers: Numbers) -> PackedRun:
    return PackedRun(_bare(run), _setting(run), numbers, None, np.empty(0, dtype=np.uint8), NO_DIGEST)


def _as_trajectory(run: StoredRun, columns: Mapping[str, np.ndarray]) -> PackedRun:
    kept, flags = kept_of(columns), flags_of(columns)
    record = trajectory_record(kept, flags)
    shown = np.frombuffer(run_digest(run.key, run.reason, *record), dtype=np.uint8)
    return PackedRun(_bare(run), _setting(run), None, kept, flags, shown)


def trajectory_record(kept: Mapping[str, np.ndarray], flags: np.ndarray) -> RunRecord:
    """The record that a trajectory is opened as."""
    numbers = b"".join(column.tobytes() for column in opened(kept, flags).values())
    return RunRecord(numbers, b"\n".join([EMPTY_CONFIG] * len(flags)))


def _bare(run: StoredRun) -> StoredRun:
    return run._replace(numbers=b"", configs=b"")


def make_archive(runs: Sequence[PackedRun]) -> Archive:
    """Archive of packed runs, without tasks, suites and notes."""
    settings, setting = numbered(one.setting for one in runs)
    reasons, reason = numbered(one.run.reason for one in runs)
    failures, failure = numbered(["", *(one.run.failure or "" for one in runs)])
    columns: dict[str, Sequence[int | float]] = {
        "setting": setting,
        "seed": [one.run.seed for one in runs],
        "n_trials": [one.run.n_trials for one in runs],
        "reason": reason,
        "failure": failure[1:],
        "n_random": [-1 if one.run.n_random is None else one.run.n_random for one in runs],
        "overhead": [one.run.overhead for one in runs],
        "n_kept": [0 if one.kept is None else len(one.kept["position"]) for one in runs],
        "is_lookup": [one.kept is None for one in runs],
    }
    arrays = {name: np.array(values, dtype=RUN_COLUMNS[name]) for name, values in columns.items()}
    numbers = [one.numbers for one in runs if one.numbers is not None]
    arrays["number"] = _joined([own.configs for own in numbers], TRIAL_COLUMNS["number"])
    arrays["budget"] = _joined([own.budgets for own in numbers], TRIAL_COLUMNS["budget"])
    arrays[FLAGS] = _joined([one.flags for one in runs], "|u1")
    kept = [one.kept for one in runs if one.kept is not None]
    arrays |= {name: _joined([own[name] for own in kept], kind) for name, kind in KEPT_COLUMNS.items()}
    digests = np.frombuffer(b"".join(one.run.digest for one in runs), dtype=np.uint8).reshape(len(runs), 32)
    shown = np.array([one.shown for one in runs], dtype=np.uint8).reshape(len(runs), 32)
    return Archive(settings, reasons, failures, (), (), {}, {}, arrays, digests, shown)


def _joined(parts: Sequence[np.ndarray], kind: str) -> np.ndarray:
    return np.concatenate([np.empty(0, dtype=kind), *parts]).astype(kind)
