"""`fill_store`: runs of an archive as they were, in a store; whatever was altered is found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path

import numpy as np

from hpo_core.errors import DamagedFile
from hpo_core.names import needs_import
from hpo_leaderboard.archive.contents import FLAGS, KEPT_COLUMNS, Archive
from hpo_leaderboard.archive.lookups import LookupTable, Numbers, Record, lookup_table
from hpo_leaderboard.archive.packing import trajectory_record
from hpo_leaderboard.experiments.execution import run_digest
from hpo_leaderboard.experiments.identity import open_benchmark
from hpo_leaderboard.experiments.job import key_of
from hpo_leaderboard.store.columns import compress, number_fault, unpack_numbers
from hpo_leaderboard.store.file.descriptions import read_description
from hpo_leaderboard.store.file.rows import StoredRun
from hpo_leaderboard.store.file.verification import batches
from hpo_leaderboard.store.store import Store, writing

BATCH_TRIALS = 200_000  # that are looked up in one go


def fill_store(
    archive: Archive,
    path: str | Path,
    rows: Collection[int] | None = None,
    *,
    source: str = "the archive",
    announce: Callable[[int], None] = lambda n_runs: None,
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
        store.add_tasks(archive.tasks, dict(archive.about))
        store.add_suites(archive.suites)
        for group in _by_setting(archive, wanted):
            table = _table(archive, group[0])
            if isinstance(table, str):
                left_out[table] += len(group)
                continue
            for batch in _batches(archive, group):
                _store(archive, batch, records(archive, batch, table), store, source)
                announce(len(batch))
    return [f"{n:,} archived {'run' if n == 1 else 'runs'}: {why}" for why, n in left_out.items()]


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


def records(archive: Archive, rows: Sequence[int], table: LookupTable | None) -> list[Record]:
    """The records of runs of one setting and form; `table` is None for trajectories, and for runs without trials."""
    starts = archive.starts
    if table is None:
        kept = {name: archive.columns[name] for name in KEPT_COLUMNS}
        own = [{name: values[_span(starts["kept"], row)] for name, values in kept.items()} for row in rows]
        flags = [archive.columns[FLAGS][_span(starts[FLAGS], row)] for row in rows]
        return [trajectory_record(*pair) for pair in zip(own, flags, strict=True)]
    spans = [_span(starts["lookup"], row) for row in rows]
    numbers = [Numbers(*(archive.columns[name][span].astype(np.intp) for name in ("number", "budget"))) for span in spans]
    if not table.fits(numbers):
        raise DamagedFile(f"{archive.named(rows[0])} or one beside it has a configuration that its table does not have")
    limits = archive.said(rows[0])["limits"]
    seeds = [read_description(archive.description(row))["run_seed"] for row in rows]
    return table.records(numbers, seeds, bool(limits["resume"]), limits["workers"])


def _span(starts: np.ndarray, row: int) -> slice:
    return slice(int(starts[row]), int(starts[row + 1]))


def _store(archive: Archive, rows: Sequence[int], found: Sequence[Record], store: Store, source: str) -> None:
    """Store runs after comparing their records with their digests."""
    counts = [int(archive.columns["n_trials"][row]) for row in rows]
    stored = [stored_run(archive, row, record, source) for row, record in zip(rows, found, strict=True)]
    fault = number_fault(unpack_numbers([record.numbers for record in found], counts))
    if fault is not None:
        raise DamagedFile(f"{source}: {archive.named(rows[0])} or one beside it: {fault}")
    store.add_rows(stored)


def stored_run(archive: Archive, row: int, record: Record, source: str) -> StoredRun:
    """A run as a store has it; raises `DamagedFile` where its record does not have the digest that it should have."""
    columns = archive.columns
    description, reason = archive.description(row), archive.reasons[columns["reason"][row]]
    key = key_of(description)
    digest = run_digest(key, reason, record.numbers, record.configs)
    sealed = archive.digests if columns["is_lookup"][row] else archive.shown
    if digest != sealed[row].tobytes():
        raise DamagedFile(
            f"{source}: the trials of {archive.named(row)} do not have the digest of its entry: it was altered, or its "
            "benchmark was; take the archive from its maker again"
        )
    said, n_random = archive.said(row), int(columns["n_random"][row])
    return StoredRun(
        key=key,
        position=0,
        settled=1,
        benchmark=said["benchmark"]["label"],
        optimizer=said["optimizer"]["label"],
        seed=int(columns["seed"][row]),
        description=description,
        reason=reason,
        n_trials=int(columns["n_trials"][row]),
        failure=archive.failures[columns["failure"][row]] or None,
        n_random=None if n_random < 0 else n_random,
        digest=digest,
        seal=None,
        numbers=compress(record.numbers),
        configs=compress(record.configs),
        overhead=float(columns["overhead"][row]),
    )
