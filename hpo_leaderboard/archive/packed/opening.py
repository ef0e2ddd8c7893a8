"""`fill_store`: runs of an archive as they were, in a store; whatever was altered is found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from hpo_core.errors import DamagedFile
from hpo_core.names import needs_import
from hpo_leaderboard.archive.packed.contents import FLAGS, KEPT_COLUMNS, Archive, bare_run
from hpo_leaderboard.archive.packed.lookups import LookupTable, Numbers, RunRecord, lookup_table
from hpo_leaderboard.archive.packed.packing import trajectory_record
from hpo_leaderboard.experiments.execution import run_digest
from hpo_leaderboard.experiments.identity import open_benchmark
from hpo_leaderboard.experiments.plan import BenchmarkRecord
from hpo_leaderboard.store.columns import compress, number_fault, unpack_numbers
from hpo_leaderboard.store.file.descriptions import read_description
from hpo_leaderboard.store.file.rows import StoredRun, StoredSuite
from hpo_leaderboard.store.file.verification import batches
from hpo_leaderboard.store.store import writing

BATCH_TRIALS = 200_000  # that are looked up in one go


def fill_store(
    archive: Archive,
    path: str | Path,
    rows: Collection[int] | None = None,
    *,
    suite: StoredSuite | None = None,
    source: str = "the archive",
    announce: Callable[[int], object] = lambda n_runs: None,
) -> list[str]:
    """Sentences about the runs that could not be opened here, after storing all others in the store at `path`.

    Parameters
    ----------
    archive
        Where the runs are from.
    path
        Of a store, made if need be.
    rows
        Which runs; None for all.
    suite
        By which the store is scored; None for the suites of the archive, of which the last one counts.
    source
        Name of the archive, for messages.
    announce
        Called with the number of runs that were stored, some at a time.

    Raises
    ------
    DamagedFile
        For a run whose trials are not those that its digest was made of.
    """
    wanted = range(archive.n_runs) if rows is None else sorted(rows)
    left_out: Counter[str] = Counter()
    with writing(path) as store:
        store.add_tasks(_tasks(archive, wanted), dict(archive.about))
        store.add_suites(archive.suites if suite is None else [suite])
        for opened in opened_runs(archive, wanted):
            if opened.why:
                left_out[opened.why] += len(opened.rows)
                continue
            for row, fault in zip(opened.rows, opened.faults, strict=True):
                if fault:
                    raise DamagedFile(f"{source}: {archive.named(row)}: {fault}; take it from its maker again")
            store.add_rows(_stored(archive, opened))
            announce(len(opened.rows))
    return [f"{n:,} archived {'run' if n == 1 else 'runs'}: {why}" for why, n in left_out.items()]


class OpenedRuns(NamedTuple):
    """Runs of one setting: their records and what is wrong with each, "" for nothing; or why they cannot be opened."""

    rows: list[int]
    records: list[RunRecord]
    faults: list[str]
    why: str = ""


def opened_runs(archive: Archive, rows: Sequence[int]) -> Iterator[OpenedRuns]:
    """The records of runs, some at a time, compared with the digests of their entries."""
    for group in _by_setting(archive, rows):
        table = _table(archive, group[0])
        if isinstance(table, str):
            yield OpenedRuns(group, [], [], table)
            continue
        for batch in _batches(archive, group):
            try:
                found = records(archive, batch, table)
            except ValueError as error:
                yield OpenedRuns(batch, [RunRecord(b"", b"")] * len(batch), [str(error)] * len(batch))
                continue
            yield OpenedRuns(batch, found, [_fault(archive, *each) for each in zip(batch, found, strict=True)])


def _fault(archive: Archive, row: int, record: RunRecord) -> str:
    """What is wrong with the record of a run, "" for nothing."""
    columns = archive.columns
    digest = run_digest(archive.key(row), archive.reasons[columns["reason"][row]], *record)
    sealed = archive.digests if columns["is_lookup"][row] else archive.shown
    if digest != sealed[row].tobytes():
        return "its trials do not have the digest of its entry: it was altered, or its benchmark was"
    return number_fault(unpack_numbers([record.numbers], [int(columns["n_trials"][row])])) or ""


def _tasks(archive: Archive, rows: Sequence[int]) -> list[BenchmarkRecord]:
    """What is known about the benchmarks of some runs."""
    said = [
        read_description(archive.settings[i])["benchmark"] for i in set(archive.columns["setting"][list(rows)].tolist())
    ]
    wanted = {(each["label"], each["checksum"]) for each in said}
    return [task for task in archive.tasks if (task.benchmark, task.checksum) in wanted]


def _by_setting(archive: Archive, rows: Sequence[int]) -> Iterator[list[int]]:
    """The rows of each setting and form."""
    groups: dict[tuple[int, int], list[int]] = {}
    setting, is_lookup = archive.columns["setting"], archive.columns["is_lookup"]
    for row in rows:
        groups.setdefault((int(setting[row]), int(is_lookup[row])), []).append(row)
    return iter(groups.values())


def _batches(archive: Archive, rows: Sequence[int]) -> Iterator[list[int]]:
    longest = int(archive.columns["n_trials"][list(rows)].max())
    return batches(rows, max(1, BATCH_TRIALS // max(longest, 1)))


_tables: dict[str, LookupTable] = {}  # by the checksum of the contents; the last ones


def _table(archive: Archive, row: int) -> LookupTable | str | None:
    """The table that a run is looked up in, None for a trajectory; or why it cannot be, in words."""
    if not archive.columns["is_lookup"][row] or not archive.columns["n_trials"][row]:
        return None
    said = archive.said(row)["benchmark"]
    label, checksum = said["label"], said["checksum"]
    if checksum in _tables:
        return _tables[checksum]
    if needs_import(said["name"]):
        return f"benchmark {label!r} is code to import, and a file's names are not imported"
    try:
        known = open_benchmark(said["name"], said["options"])
    except Exception as error:
        return f"benchmark {label!r} cannot be opened here ({str(error)[:200]})"
    if known.checksum != checksum:
        return f"benchmark {label!r} has other contents here ({known.checksum[:8]}) than there ({checksum[:8]})"
    table = lookup_table(known.benchmark)
    if table is None:
        return f"benchmark {label!r} is no table here"
    if len(_tables) >= 8:
        _tables.pop(next(iter(_tables)))
    return _tables.setdefault(checksum, table)


def records(archive: Archive, rows: Sequence[int], table: LookupTable | None) -> list[RunRecord]:
    """The records of runs of one setting and form; `table` is None for trajectories, and for runs without trials."""
    starts = archive.starts
    if table is None:
        kept = {name: archive.columns[name] for name in KEPT_COLUMNS}
        own = [{name: values[_span(starts["kept"], row)] for name, values in kept.items()} for row in rows]
        flags = [archive.columns[FLAGS][_span(starts[FLAGS], row)] for row in rows]
        return [trajectory_record(*pair) for pair in zip(own, flags, strict=True)]
    spans = [_span(starts["lookup"], row) for row in rows]
    numbers = [
        Numbers(*(archive.columns[name][span].astype(np.intp) for name in ("number", "budget"))) for span in spans
    ]
    if not table.fits(numbers):
        raise ValueError("it, or one beside it, has a configuration that its table does not have")
    limits = archive.said(rows[0])["limits"]
    seeds = [read_description(archive.description(row))["run_seed"] for row in rows]
    return table.records(numbers, seeds, bool(limits["resume"]), limits["workers"])


def _span(starts: np.ndarray, row: int) -> slice:
    return slice(int(starts[row]), int(starts[row + 1]))


def _stored(archive: Archive, opened: OpenedRuns) -> Iterator[StoredRun]:
    for row, record in zip(opened.rows, opened.records, strict=True):
        digest = run_digest(archive.key(row), archive.reasons[archive.columns["reason"][row]], *record)
        numbers, configs = compress(record.numbers), compress(record.configs)
        yield bare_run(archive, row)._replace(digest=digest, numbers=numbers, configs=configs)
