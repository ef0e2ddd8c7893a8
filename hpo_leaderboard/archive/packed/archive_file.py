"""The file of an archive: sealed HDF5 (`hpo_core.storage.sealed_hdf5`), compressed, checked when it is read.

    header                   name of the format's catalogue and number of runs
    /columns/catalogue       (bytes,) JSON: settings, reasons, failures, tasks, suites, about, card
    /columns/digests         (run, 32) and `shown`, see `Archive`
    /columns/NAME            the columns of `archive.packed.contents`, in the smallest type that holds them

A file may come from anybody. What is read has the right types, lengths and ranges, names nothing that is imported, and
takes a bounded room when it is opened.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from hpo_core.errors import InvalidOption
from hpo_core.storage.plain_fields import items, json_object, text, texts, whole
from hpo_core.storage.sealed_hdf5 import UNREADABLE, Kind, is_sealed, read_sealed, unreadable, write_sealed
from hpo_leaderboard.archive.packed.contents import (
    CARD,
    FLAGS,
    KEPT_COLUMNS,
    RUN_COLUMNS,
    TRIAL_COLUMNS,
    Archive,
    with_seed,
)
from hpo_leaderboard.store.file.descriptions import is_canonical
from hpo_leaderboard.store.file.rows import MOST_COUNT, suite_of, task_of

ARCHIVE = Kind("hpo-foundry archive", 1, "archive", "`hpo archive build SUITE` makes one")
MOST_RUNS = 1_000_000
MOST_TRIALS = 20_000_000  # of all runs: 65 bytes each when they are opened
MOST_RUN_TRIALS = 1_000_000
MOST_SETTINGS = 100_000
MOST_TEXT = 1_000_000  # characters
NARROW = (*TRIAL_COLUMNS, *(name for name, kind in RUN_COLUMNS.items() if kind[1] in "ui"), "position")


def write_archive(archive: Archive, path: str | Path) -> None:
    """Write an archive to `path`, which appears only when it is complete. Equal archives give equal bytes."""
    if archive.n_runs > MOST_RUNS or int(archive.columns["n_trials"].sum(dtype=np.int64)) > MOST_TRIALS:
        raise InvalidOption(
            f"an archive holds at most {MOST_RUNS:,} runs with {MOST_TRIALS:,} trials, got {archive.n_runs:,} with "
            f"{int(archive.columns['n_trials'].sum(dtype=np.int64)):,}; make several"
        )
    catalogue = {
        "settings": archive.settings,
        "reasons": archive.reasons,
        "failures": archive.failures,
        "tasks": [list(task) for task in archive.tasks],
        "suites": [[suite.name, suite.version, suite.scoring.to_json()] for suite in archive.suites],
        "about": dict(archive.about),
        "card": dict(archive.card),
    }
    arrays = {name: _narrow(values) if name in NARROW else values for name, values in archive.columns.items()}
    arrays |= {"digests": archive.digests, "shown": archive.shown}
    arrays["catalogue"] = np.frombuffer(json.dumps(catalogue, sort_keys=True).encode(), dtype=np.uint8)
    write_sealed(Path(path), ARCHIVE, {"n_runs": archive.n_runs}, arrays, compress=True)


def _narrow(values: np.ndarray) -> np.ndarray:
    """Whole numbers in the smallest type that holds all of them."""
    if not len(values):
        return values
    ends = np.array([values.min(), values.max()])
    return values.astype(np.promote_types(*(np.min_scalar_type(end) for end in ends.tolist())))


def is_archive(path: Path) -> bool:
    """Whether a file bears the seal of an archive, of whatever version."""
    return path.is_file() and is_sealed(path, ARCHIVE)


def read_archive(path: str | Path) -> Archive:
    """The archive in a file; raises `DamagedFile` where it is not whole, or says what none says."""
    path = Path(path)
    header, arrays = read_sealed(path, ARCHIVE)
    try:
        n_runs = whole(header.get("n_runs"), "the number of runs", 0, MOST_RUNS)
        catalogue = json_object(_array(arrays, "catalogue", 1, "|u1").tobytes(), "the catalogue")
        archive = _archive(catalogue, arrays, n_runs)
        _check_columns(archive)
        return archive
    except UNREADABLE as error:
        raise unreadable(path, ARCHIVE, error) from None


def _archive(catalogue: Mapping[str, Any], arrays: Mapping[str, np.ndarray], n_runs: int) -> Archive:
    kinds = {**RUN_COLUMNS, **TRIAL_COLUMNS, **KEPT_COLUMNS, FLAGS: "|u1"}
    columns = {name: _array(arrays, name, 1, kind) for name, kind in kinds.items()}
    digests, shown = (_array(arrays, name, 2, "|u1") for name in ("digests", "shown"))
    if digests.shape != (n_runs, 32) or shown.shape != (n_runs, 32):
        raise ValueError(f"digests must be 32 bytes for each of {n_runs} runs, got {digests.shape} and {shown.shape}")
    listed = {name: tuple(_texts(catalogue, name)) for name in ("settings", "reasons", "failures")}
    for setting in listed["settings"]:
        with_seed(setting, 0)  # which reads and checks the description
        if not is_canonical(setting):
            raise ValueError("a description is not written as descriptions are")
    if listed["failures"][:1] != ("",):
        raise ValueError("the first of the failures must be none")
    tasks = tuple(task_of((*items(row, "a task", 8), None)) for row in items(catalogue.get("tasks"), "tasks"))
    suites = tuple(suite_of((*items(row, "a suite", 3), 0, None)) for row in items(catalogue.get("suites"), "suites"))
    about, card = texts(catalogue.get("about"), "about"), texts(catalogue.get("card"), "card")
    if set(card) - set(CARD):
        raise ValueError(f"a card has {', '.join(CARD)}, got {sorted(card)[:5]}")
    return Archive(
        **listed, tasks=tasks, suites=suites, about=about, card=card, columns=columns, digests=digests, shown=shown
    )


def _texts(catalogue: Mapping[str, Any], name: str) -> list[str]:
    return [text(each, name, MOST_TEXT) for each in items(catalogue.get(name), name, MOST_SETTINGS)]


def _array(arrays: Mapping[str, np.ndarray], name: str, n_dimensions: int, kind: str) -> np.ndarray:
    """A column in its own type; raises `ValueError` for another number of dimensions or kind of numbers."""
    array = arrays.get(name)
    wanted = np.dtype(kind)
    fits = array is not None and array.ndim == n_dimensions and np.can_cast(array.dtype, wanted, "safe")
    if array is None or not fits:
        raise ValueError(f"column {name!r} must be numbers {wanted}, got {None if array is None else array.dtype}")
    return array.astype(wanted)


def _check_columns(archive: Archive) -> None:
    """Raise `ValueError` for columns that no archive has."""
    columns, n = archive.columns, archive.n_runs
    most = {"setting": len(archive.settings), "reason": len(archive.reasons), "failure": len(archive.failures)}
    most |= {"is_lookup": 2, "seed": MOST_COUNT, "n_trials": MOST_RUN_TRIALS + 1}
    for name in RUN_COLUMNS:
        if len(columns[name]) != n:
            raise ValueError(f"column {name!r} must have a value for each of {n} runs, got {len(columns[name])}")
        if name in most and n and columns[name].max() >= most[name]:
            raise ValueError(f"a {name!r} must be below {most[name]}, got {columns[name].max()}")
    if not ((columns["overhead"] >= 0) & np.isfinite(columns["overhead"])).all() or (columns["n_random"] < -1).any():
        raise ValueError("overheads must be times, and n_random counts")
    if columns["n_trials"].sum(dtype=np.int64) > MOST_TRIALS:
        raise ValueError(f"its runs must have at most {MOST_TRIALS:,} trials")
    starts = archive.starts
    ends = {**dict.fromkeys(TRIAL_COLUMNS, "lookup"), FLAGS: FLAGS, **dict.fromkeys(KEPT_COLUMNS, "kept")}
    for name, which in ends.items():
        if len(columns[name]) != starts[which][-1]:
            raise ValueError(f"column {name!r} must have {starts[which][-1]} values, got {len(columns[name])}")
    _check_kept(archive)


def _check_kept(archive: Archive) -> None:
    """Raise `ValueError` for kept trials that are not the first, the last and some between, or end before they may."""
    columns, starts = archive.columns, archive.starts["kept"]
    n_trials, n_kept = columns["n_trials"].astype(np.int64), columns["n_kept"].astype(np.int64)
    is_lookup = columns["is_lookup"] != 0
    if (n_kept[is_lookup] != 0).any() or ((n_kept == 0) != (n_trials == 0))[~is_lookup].any():
        raise ValueError("a lookup keeps no trials, and a trajectory some if it has any")
    rows = np.flatnonzero(n_kept)
    firsts, lasts = starts[rows], starts[rows + 1] - 1
    position, end = columns["position"].astype(np.int64), columns["kept_end"]
    inside = np.ones(max(len(position) - 1, 0), dtype=bool)
    inside[firsts[1:] - 1] = False
    rising = (np.diff(position) > 0) & (np.diff(end) >= 0)
    if (position[firsts] != 0).any() or (position[lasts] != n_trials[rows] - 1).any() or not rising[inside].all():
        raise ValueError("kept trials must be the first and the last of a run and others between, in their order")
    if (columns[FLAGS] > 7).any():
        raise ValueError("the flags of a trial must be 0 to 7")
