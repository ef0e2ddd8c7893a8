"""Archived runs run again: a sample of them, and how each came out."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hpo_core.names import needs_import
from hpo_leaderboard.archive.checks.confirmed_code import Confirmed, as_installed, shipped_confirmations
from hpo_leaderboard.archive.checks.installed import OTHER, UNKNOWN, compared_code, installed_words
from hpo_leaderboard.archive.checks.processors import bits_are_bound
from hpo_leaderboard.archive.packed.contents import FLAGS, KEPT_COLUMNS, Archive
from hpo_leaderboard.archive.packed.opening import OpenedRuns, opened_runs
from hpo_leaderboard.archive.packed.trajectories import flags_of, kept_of
from hpo_leaderboard.experiments.code.numerics import numerics
from hpo_leaderboard.experiments.execution import FinishedRun, run_digest
from hpo_leaderboard.experiments.job import Job
from hpo_leaderboard.experiments.members import Member
from hpo_leaderboard.store.columns import decompress, unpack_numbers

if TYPE_CHECKING:
    from hpo_leaderboard.experiments.experiment import Engine

EQUAL, DIFFERS, OTHER_BITS = "equal", "differs", "other bits"
ALTERED, OTHER_CODE, NOT_HERE = "altered", "other code", "not here"


class CheckedEntry(NamedTuple):
    """How an entry came out.

    row      in the archive
    outcome  `equal` to the last bit; `differs`; `other bits`, where those of this processor may differ; `altered`,
             found without running it; `other code`, `not here`: its optimizer or benchmark is another one, or unknown
    words    about it
    values   final losses: of the entry and of the run that was run now; NaN where there is none
    """

    row: int
    outcome: str
    words: str = ""
    values: tuple[float, float] = (math.nan, math.nan)


def sampled_rows(archive: Archive, share: float, seed: int) -> list[int]:
    """Rows of a random share of the runs, at least one where there is any and the share is not 0."""
    n_rows = min(archive.n_runs, math.ceil(share * archive.n_runs))
    return sorted(np.random.default_rng(seed).choice(archive.n_runs, n_rows, replace=False).tolist())


def altered_runs(archive: Archive) -> Iterator[CheckedEntry]:
    """Every run whose trials do not have the digest of its entry, found without running anything."""
    for opened in opened_runs(archive, range(archive.n_runs)):
        for row, fault in zip(opened.rows, opened.faults, strict=False):
            if fault:
                yield CheckedEntry(row, ALTERED, fault)


def rerun(
    archive: Archive,
    rows: Sequence[int],
    engine: Engine,
    imports: Collection[str] = (),
    confirmed: Confirmed | None = None,
) -> Iterator[CheckedEntry]:
    """How runs come out when they are run again, one by one as they are done.

    `imports` are names of code, `MODULE:ATTRIBUTE`, that may be imported; nothing else that an archive names is.
    `confirmed` is which code is taken for that of the archive, None for what the package says.
    """
    confirmed = shipped_confirmations() if confirmed is None else confirmed
    jobs: dict[str, tuple[int, Job]] = {}
    for row in rows:
        unfit = _not_runnable(archive, row, imports, confirmed)
        if unfit is not None:
            yield unfit
        else:
            job = job_of(archive, row, confirmed)
            jobs[job.key] = row, job
    for job, finished in engine.results(job for _, job in jobs.values()):
        yield compared(archive, jobs[job.key][0], finished)


def _not_runnable(archive: Archive, row: int, imports: Collection[str], confirmed: Confirmed) -> CheckedEntry | None:
    """Why a run cannot be run again here, None if it can."""
    said = archive.said(row)
    name, version = said["optimizer"]["name"], said["optimizer"]["version"]
    if needs_import(said["benchmark"]["name"]) and said["benchmark"]["name"] not in imports:
        return CheckedEntry(row, NOT_HERE, "its benchmark is code to import; --allow-import names what may be")
    code = compared_code(name, version, imports, confirmed)
    if code == OTHER:
        return CheckedEntry(row, OTHER_CODE, f"its optimizer was {version}, which is not the one here")
    return CheckedEntry(row, NOT_HERE, "its optimizer is not here") if code == UNKNOWN else None


def job_of(archive: Archive, row: int, confirmed: Confirmed) -> Job:
    """The job that makes a run again, with the code and the libraries of linear algebra that are here."""
    said = archive.said(row)
    benchmark, optimizer, limits = said["benchmark"], said["optimizer"], said["limits"]
    return Job(
        benchmark=Member(benchmark["name"], benchmark["options"], benchmark["label"]),
        checksum=benchmark["checksum"],
        optimizer=Member(optimizer["name"], optimizer["options"], optimizer["label"]),
        version=as_installed(optimizer["version"], installed_words(optimizer["name"]), confirmed),
        seed=int(archive.columns["seed"][row]),
        n_trials=limits["n_trials"],
        max_cost=limits["max_cost"],
        full_cost=limits["full_cost"],
        workers=limits["workers"],
        suite_version=said["suite"],
        resume=limits["resume"],
        numerics=numerics() if "numerics" in said else None,
    )


def compared(archive: Archive, row: int, finished: FinishedRun) -> CheckedEntry:
    """How an entry came out, given the run that was run now."""
    if finished.failure is not None and not finished.settled:
        return CheckedEntry(row, NOT_HERE, finished.failure)
    numbers, configs = decompress(finished.numbers), decompress(finished.configs)
    digest = run_digest(archive.key(row), finished.reason, numbers, configs)
    columns = unpack_numbers([numbers], [finished.n_trials])
    n_random = -1 if finished.n_random is None else finished.n_random
    same = digest == archive.digests[row].tobytes() and n_random == int(archive.columns["n_random"][row])
    if same and _same_trajectory(archive, row, columns):
        return CheckedEntry(row, EQUAL)
    values = _final(_opened_columns(archive, row)), _final(columns)
    words = f"final loss {values[0]:.6g} in the archive, {values[1]:.6g} when it was run again"
    bound = bits_are_bound(archive.said(row), numerics())
    return CheckedEntry(row, DIFFERS if bound else OTHER_BITS, words, values)


def _same_trajectory(archive: Archive, row: int, columns: Mapping[str, np.ndarray]) -> bool:
    """Whether what an archive keeps of a trajectory is that of a run; a lookup keeps nothing beside its digest."""
    if archive.columns["is_lookup"][row]:
        return True
    kept, starts = kept_of(columns), archive.starts
    pairs = [(archive.columns[name][slice(*starts["kept"][row : row + 2])], kept[name]) for name in KEPT_COLUMNS]
    pairs.append((archive.columns[FLAGS][slice(*starts[FLAGS][row : row + 2])], flags_of(columns)))
    return all(mine.tobytes() == now.tobytes() for mine, now in pairs)


def _opened_columns(archive: Archive, row: int) -> Mapping[str, np.ndarray]:
    opened: OpenedRuns = next(opened_runs(archive, [row]))
    return unpack_numbers([opened.records[0].numbers], [int(archive.columns["n_trials"][row])])


def _final(columns: Mapping[str, np.ndarray]) -> float:
    """Noise-free loss of a run's last incumbent, by the highest budget, the observed one where that is not known."""
    good = np.flatnonzero((flags_of(columns) & 1) == 0)
    if not len(good):
        return math.inf
    last = good[np.lexsort((good, columns["loss"][good], -columns["budget"][good]))[0]]
    exact = float(columns["exact"][last])
    return float(columns["loss"][last]) if math.isnan(exact) else exact
