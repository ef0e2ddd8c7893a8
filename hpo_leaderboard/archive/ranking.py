"""A new optimizer among archived ones: what has to be run, what is taken from the archive, and both in one store."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hpo_core import benchmarks
from hpo_core.errors import InvalidOption
from hpo_core.names import optimizers
from hpo_leaderboard.archive.checks.installed import OTHER, SAME, UNKNOWN, compared_code, installed_words
from hpo_leaderboard.archive.packed.contents import Archive
from hpo_leaderboard.archive.packed.opening import fill_store
from hpo_leaderboard.experiments.members import Member, expand
from hpo_leaderboard.experiments.suite import Suite, changed
from hpo_leaderboard.store.file.descriptions import read_description
from hpo_leaderboard.store.file.rows import StoredSuite
from hpo_leaderboard.store.joining import merge_stores
from hpo_leaderboard.store.store import writing

STALE = ("keep", "rerun")


class Field(NamedTuple):
    """Who takes part.

    rows     archived runs that are ranked
    suite    what is run, None if nothing is
    named    the suite itself, by which all is scored
    said     sentences about what is taken from where, and about code that has changed
    """

    rows: list[int]
    suite: Suite | None
    named: Suite
    said: list[str]


def make_field(
    archive: Archive, suite: Suite, asked: Sequence[Member] = (), *, seeds: range | None = None, stale: str = "keep"
) -> Field:
    """Who takes part when optimizers are ranked on a suite with an archive.

    Parameters
    ----------
    archive
        Where the others are from: all that ran on benchmarks of the suite, under its limits.
    suite
        Its optimizers are not looked at.
    asked
        Optimizers that are wanted. Those that the archive has under the same label are taken from there.
    seeds
        For what is run; None for those that most archived runs have.
    stale
        What becomes of archived runs whose optimizer is other code here: `keep` ranks them as they are, `rerun` leaves
        them out and runs the optimizer that is installed.
    """
    if stale not in STALE:
        raise InvalidOption(f"stale must be one of {', '.join(STALE)}, got {stale!r}")
    settings = _settings(archive, suite)
    if not settings:
        held = ", ".join(f"{own.name} (version {own.version})" for own in archive.suites) or "none"
        raise InvalidOption(
            f"the archive has no runs of suite {suite.name!r}, version {suite.version}, with these benchmarks and "
            f"limits; it has runs of {held}"
        )
    changed_code = _changed_code(settings)
    again = set(changed_code) if stale == "rerun" else set()
    rows = [
        row
        for row, number in enumerate(archive.columns["setting"].tolist())
        if number in settings and settings[number]["optimizer"]["label"] not in again
    ]
    archived = {said["optimizer"]["label"]: said["optimizer"] for said in settings.values()}
    new = [member for member in asked if member.label not in archived]
    new += [Member(own["name"], own["options"], label) for label, own in archived.items() if label in again]
    said = [_line(label, *codes, stale) for label, codes in sorted(changed_code.items())]
    labels = {own["benchmark"]["label"] for own in settings.values()}
    kept = [member for member in expand(suite.benchmarks, benchmarks()) if member.label in labels]
    if len(kept) < len(expand(suite.benchmarks, benchmarks())):
        said.append(f"the archive has {len(kept)} of the suite's benchmarks, and only these are run")
    own = range(*_usual_seeds(archive, set(settings))) if seeds is None else seeds
    limits = {"benchmarks": kept, "n_seeds": len(own), "first_seed": own.start}
    return Field(rows, changed(suite, optimizers=new, **limits) if new else None, suite, said)


def _settings(archive: Archive, suite: Suite) -> dict[int, Any]:
    """What the settings of an archive say that are those of a suite: its benchmarks, limits and version."""
    members = {member.label: member for member in expand(suite.benchmarks, benchmarks())}
    found = {}
    for number, text in enumerate(archive.settings):
        said = read_description(text)
        limits, own = said["limits"], said["benchmark"]
        member = members.get(own["label"])
        if member is None or (member.name, dict(member.options)) != (own["name"], own["options"]):
            continue
        allowed = (limits["n_trials"], limits["max_cost"], limits["workers"], said["suite"])
        if allowed == (*suite.limits_of(member), suite.workers, suite.version):
            found[number] = said
    return found


def _usual_seeds(archive: Archive, settings: set[int]) -> tuple[int, int]:
    """The first seed of the setting with the most runs, and the one after its last."""
    column, seeds = archive.columns["setting"], archive.columns["seed"]
    counts = np.bincount(column, minlength=len(archive.settings))
    most = max(sorted(settings), key=lambda number: counts[number])
    own = seeds[column == most]
    return int(own.min()), int(own.max()) + 1


def _changed_code(settings: dict[int, Any]) -> dict[str, tuple[str, str]]:
    """Optimizers whose code here is not that of their archived runs, by label: the archived version, the one here."""
    known, found, same = optimizers(), dict[str, tuple[str, str]](), set[str]()
    for said in settings.values():
        own = said["optimizer"]
        code = compared_code(own["name"], own["version"]) if own["name"] in known else UNKNOWN
        if code == OTHER:
            found[own["label"]] = own["version"], installed_words(own["name"])
        elif code == SAME:
            same.add(own["label"])
    return {label: codes for label, codes in found.items() if label not in same}  # an older version may lie beside it


def _line(label: str, archived: str, here: str, stale: str) -> str:
    what = {
        "keep": "its archived runs are kept (--stale rerun runs what is installed)",
        "rerun": "its archived runs are left out, and what is installed is run",
    }
    return f"{label} is {here} here and was {archived} in the archive: {what[stale]}"


def join_runs(
    archive: Archive,
    field: Field,
    store: Path | None,
    joint: Path,
    *,
    source: str = "the archive",
    announce: Callable[[int], object] = lambda n_runs: None,
) -> list[str]:
    """Sentences about archived runs that cannot be opened here, after making the store `joint` of all others.

    `store` is that of the runs that were run, which come on top of the archived ones; None for none.
    """
    suite = StoredSuite(field.named.name, field.named.version, field.named.scoring)
    left_out = fill_store(archive, joint, field.rows, suite=suite, source=source, announce=announce)
    if store is not None and store.exists():
        merge_stores(joint, [store])
    notes = {
        "suite": f"{field.named.name}, version {field.named.version}",
        "archive": f"{source}, {archive.digest()[:16]}",
    }
    with writing(joint) as opened:
        opened.add_tasks([], notes)
        opened.add_suites([suite])
    return left_out
