"""Archives put together, and parts of them: every run as it was packed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from hpo_leaderboard.archive.packed.contents import FLAGS, KEPT_COLUMNS, Archive, bare_run
from hpo_leaderboard.archive.packed.lookups import Numbers
from hpo_leaderboard.archive.packed.packing import PackedRun, make_archive, ordered
from hpo_leaderboard.store.file.descriptions import read_description
from hpo_leaderboard.store.joining import SCORED
from hpo_leaderboard.store.schema import ConflictingRuns


def packed_runs(archive: Archive) -> list[PackedRun]:
    """The runs of an archive, one by one."""
    columns, starts = archive.columns, archive.starts
    found = []
    for row in range(archive.n_runs):
        lookup, flags, kept = (slice(*starts[name][row : row + 2]) for name in ("lookup", FLAGS, "kept"))
        is_lookup = bool(columns["is_lookup"][row])
        numbers = Numbers(columns["number"][lookup], columns["budget"][lookup]) if is_lookup else None
        own = None if is_lookup else {name: columns[name][kept] for name in KEPT_COLUMNS}
        setting = archive.settings[columns["setting"][row]]
        found.append(
            PackedRun(bare_run(archive, row), setting, numbers, own, columns[FLAGS][flags], archive.shown[row])
        )
    return found


def join_archives(base: Archive, added: Archive, notes: Mapping[str, str]) -> Archive:
    """The runs of two archives; card, suites and notes are those of the first, and what the second has beyond them.

    Raises `ConflictingRuns` where they say different things about a run, a benchmark or the scoring of a suite.
    """
    runs = {one.run.key: one for one in packed_runs(base)}
    for one in packed_runs(added):
        known = runs.setdefault(one.run.key, one)
        if known.run.digest != one.run.digest:
            raise ConflictingRuns(f"{one.run} came out differently in the two archives; nothing was added")
    tasks = {(task.benchmark, task.checksum): task for task in base.tasks}
    for task in added.tasks:
        known_task = tasks.setdefault((task.benchmark, task.checksum), task)
        if any(getattr(known_task, name) != getattr(task, name) for name in SCORED):
            raise ConflictingRuns(f"the archives say different things about {task.benchmark!r}; nothing was added")
    suites = {(suite.name, suite.version): suite for suite in base.suites}
    for suite in added.suites:
        if suites.setdefault((suite.name, suite.version), suite).scoring != suite.scoring:
            raise ConflictingRuns(f"the archives score suite {suite.name!r} differently; nothing was added")
    return replace(
        make_archive(ordered(runs.values())),
        tasks=tuple(tasks[key] for key in sorted(tasks)),
        suites=tuple(suites.values()),
        about={**base.about, **notes},
        card=base.card,
    )


def new_rows(base: Archive, added: Archive) -> list[int]:
    """Rows of the runs of an archive that another one does not have."""
    known = {base.key(row) for row in range(base.n_runs)}
    return [row for row in range(added.n_runs) if added.key(row) not in known]


def labels_of(archive: Archive) -> list[str]:
    """Labels of the optimizers of an archive, sorted."""
    return sorted({read_description(text)["optimizer"]["label"] for text in archive.settings})
