"""Several stores as one, and a store as a copy: whole or not at all."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from hpo_core.errors import InvalidOption
from hpo_core.storage.files import replacing
from hpo_leaderboard.experiments.plan import BenchmarkRecord
from hpo_leaderboard.store.file.rows import StoredRun, StoredSuite
from hpo_leaderboard.store.file.verification import batches, trials_fault
from hpo_leaderboard.store.schema import ConflictingRuns, connect_for_reading, explained
from hpo_leaderboard.store.store import LOG, Store, reading, writing

BATCH = 500  # runs that lie in memory at once
SCORED = ("family", "optimum", "test_optimum", "full_budget", "n_budgets")  # what scores use of a task


def merge_stores(into: str | Path, sources: Iterable[str | Path]) -> int:
    """Number of runs that were added to the store `into` from the others, in the order in which they were stored there.

    A run that lies in both is kept as it is, after its contents were found equal. If a source is damaged, or says
    something else about a run, a benchmark or the scoring of a suite (`ConflictingRuns`), nothing is added at all.
    """
    n_added, was_there = 0, Path(into).exists()
    with writing(into) as target, _leaving_no_trace(target, was_there), target.changing():
        for path in map(Path, sources):
            if path.resolve() == target.path.resolve():
                raise InvalidOption(f"{path} cannot be merged into itself")
            with reading(path) as source:
                notes = {f"merged {path.name}": source.digest()}
                target.add_tasks(_new_tasks(source.tasks(), target, path), notes)
                target.add_suites(_new_suites(source.suites(), target, path))
                n_added += _add_runs(source, target)
    return n_added


def copy_store(source: str | Path, destination: str | Path) -> int:
    """Number of runs in the copy that was made of a store at `destination`, which must not exist.

    The copy is the store as it was at one moment, also while another process writes it: a copy of the file alone would
    lack what lies beside it (`-wal`), or mix two moments.
    """
    source, destination = Path(source), Path(destination)
    if destination.exists():
        raise InvalidOption(
            f"a copy is a new file, and {destination} is there already; remove it, or take another name"
        )
    with closing(connect_for_reading(source)) as connection, replacing(destination) as temporary:
        with explained(source), closing(sqlite3.connect(temporary)) as copied:
            connection.backup(copied)
            copied.execute("PRAGMA journal_mode = DELETE")  # one file, also on media that cannot be written
        with reading(temporary) as store:
            return store.n_runs()


@contextmanager
def _leaving_no_trace(target: Store, was_there: bool) -> Iterator[None]:
    """Removes a store that was made for the block if that is left by an exception."""
    try:
        yield
    except BaseException:
        if not was_there and not target.keys() and not target.about():
            for ending in ("", LOG, "-shm", ".lock"):
                target.path.with_name(target.path.name + ending).unlink(missing_ok=True)
        raise


def _new_tasks(tasks: Iterable[BenchmarkRecord], target: Store, path: Path) -> list[BenchmarkRecord]:
    """Those of the tasks that the target does not know; raises `ConflictingRuns` where it knows something else."""
    known = {(task.benchmark, task.checksum): task for task in target.tasks()}
    new = []
    for task in tasks:
        mine = known.get((task.benchmark, task.checksum))
        if mine is None:
            new.append(task)
            continue
        differing = [name for name in SCORED if getattr(mine, name) != getattr(task, name)]
        if differing:
            said = ", ".join(f"{name} {getattr(task, name)} and {getattr(mine, name)}" for name in differing)
            raise ConflictingRuns(
                f"{path} and {target.path} say different things about benchmark {task.benchmark!r}: {said}. One was "
                "altered, or made by another release: `hpo leaderboard SUITE --store FILE` writes what this "
                "release knows into a store. Nothing was merged"
            )
    return new


def _new_suites(suites: Iterable[StoredSuite], target: Store, path: Path) -> list[StoredSuite]:
    """Those of the suites that the target does not know; raises `ConflictingRuns` for one that is scored otherwise."""
    known = {(suite.name, suite.version): suite.scoring for suite in target.suites()}
    new = [suite for suite in suites if (suite.name, suite.version) not in known]
    for suite in suites:
        if known.get((suite.name, suite.version), suite.scoring) != suite.scoring:
            raise ConflictingRuns(
                f"{path} and {target.path} score suite {suite.name!r} differently: {suite.scoring.to_json()} and "
                f"{known[suite.name, suite.version].to_json()}. `hpo leaderboard SUITE --store FILE` writes into a "
                "store what the suite says now. Nothing was merged"
            )
    return new


def _add_runs(source: Store, target: Store) -> int:
    """Number of runs that were added."""
    n_added, room = 0, source.room()
    for batch in batches(source.runs(as_stored=True), BATCH):
        fault = trials_fault(batch, room)
        if fault is not None:
            raise source.damaged(fault)
        new = [run for run in batch if _is_new(run, source, target)]
        target.add_rows(new)
        n_added += len(new)
    return n_added


def _is_new(run: StoredRun, source: Store, target: Store) -> bool:
    present = target.digest_of(run.key)
    if present is None:
        return True
    if run.settled and present != run.digest:
        raise ConflictingRuns(
            f"{run} came out differently in {source.path}: its optimizer or benchmark is not a function of the seed, "
            "or was changed without a new version; drop it from one of the two stores"
        )
    return False
