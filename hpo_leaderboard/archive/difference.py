"""Which optimizers became better or worse between two archives or stores, of two releases say.

Runs of one optimizer, by its label, are compared on the benchmarks that both have with the same contents and under the
same limits, by the final regret: van Elteren's test and the effect of `scores.comparisons`, corrected for the number of
optimizers (Holm). Runs with the same seed in both are not independent but alike, which makes the test cautious.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hpo_core.errors import InvalidOption
from hpo_leaderboard.archive.packed.archive_file import is_archive, read_archive
from hpo_leaderboard.archive.packed.opening import fill_store
from hpo_leaderboard.scores.comparisons import holm, stratified_mann_whitney
from hpo_leaderboard.scores.incumbents import final_values, incumbents
from hpo_leaderboard.scores.intervals import N_SAMPLES
from hpo_leaderboard.store.frames import Frames
from hpo_leaderboard.store.selection import select
from hpo_leaderboard.store.store import reading

if TYPE_CHECKING:
    import pandas

ALPHA = 0.05  # chance that any of the optimizers is called better or worse though none changed
LIMITS = ["n_trials_limit", "max_cost_limit"]
OLD, NEW = "old", "new"  # in this order by name: `new` is a of a comparison, so its effect is that of the new runs


class Change(NamedTuple):
    """How an optimizer changed.

    verdict                          `better`, `worse`, `no difference seen`, or `the same runs`
    n_benchmarks, n_old, n_new       on which it is compared, and the runs
    effect, effect_low, effect_high  probability that a new run beats an old one, ties counting half; its 95 % interval
    p, p_holm                        of the test, and corrected for all optimizers
    old_version, new_version         of its code
    """

    optimizer: str
    verdict: str
    n_benchmarks: int
    n_old: int
    n_new: int
    effect: float
    effect_low: float
    effect_high: float
    p: float
    p_holm: float
    old_version: str
    new_version: str


class Difference(NamedTuple):
    """Changes of the optimizers that both have, and sentences about what was not compared."""

    changes: list[Change]
    left_out: list[str]


def difference(old: str | Path, new: str | Path) -> Difference:
    """How the optimizers of an archive or store changed up to another one."""
    (before, lines_before), (after, lines_after) = _frames(Path(old)), _frames(Path(new))
    common, left_out = _common_benchmarks(before, after)
    if not common:
        raise InvalidOption("a difference needs a benchmark that both have with the same contents and limits, got none")
    shared = set(before.runs["optimizer"]) & set(after.runs["optimizer"])
    for where, own in (("only in the old one", before), ("only in the new one", after)):
        names = sorted(set(own.runs["optimizer"]) - shared)
        if names:
            left_out.append(f"{where}: {', '.join(names)}")
    values = _values(before, after, common)
    changes = compare_releases(values, _versions(before), _versions(after))
    return Difference(changes, [*lines_before, *lines_after, *left_out])


def _frames(path: Path) -> tuple[Frames, list[str]]:
    """Frames of the runs of an archive or a store that may be compared, and what was left out."""
    if not is_archive(path):
        with reading(path) as store:
            chosen = select(store, configs=False)
        return chosen.frames, chosen.left_out
    with tempfile.TemporaryDirectory(prefix="hpo-foundry-") as folder:
        opened = Path(folder) / "opened.sqlite"
        left_out = fill_store(read_archive(path), opened, source=str(path))
        with reading(opened) as store:
            frames, lines = select(store, configs=False)
    return frames, [*left_out, *lines]


def _versions(frames: Frames) -> dict[str, str]:
    """Versions of the code of each optimizer, in words."""
    groups = frames.runs.groupby("optimizer")["version"]
    return {str(name): ", ".join(sorted(set(own))) for name, own in groups}


def _common_benchmarks(before: Frames, after: Frames) -> tuple[list[str], list[str]]:
    """Benchmarks with the same contents and limits in both, and sentences about those that differ in one of these."""
    known = [dict(zip(own.tasks["benchmark"], own.tasks["checksum"], strict=True)) for own in (before, after)]
    limits = [
        {str(name): own.to_numpy(dtype=float)[0] for name, own in frames.runs.groupby("benchmark")[LIMITS]}
        for frames in (before, after)
    ]
    common: list[str] = []
    left_out: list[str] = []
    for name in sorted(known[0].keys() & known[1].keys()):
        if known[0][name] != known[1][name]:
            left_out.append(f"{name}: its contents differ between the two")
        elif not np.array_equal(limits[0][name], limits[1][name], equal_nan=True):
            left_out.append(f"{name}: its runs were allowed different lengths in the two")
        else:
            common.append(name)
    return common, left_out


def _values(before: Frames, after: Frames, benchmarks: list[str]) -> pandas.Series:
    """Final regrets by benchmark, optimizer, release and seed, on the scale of both."""
    import pandas as pd

    parts = []
    for release, own in ((OLD, before), (NEW, after)):
        trials = own.trials[own.trials["benchmark"].isin(benchmarks)]
        parts.append(trials.assign(optimizer=release + " " + trials["optimizer"].astype(str)))
    tasks = before.tasks[before.tasks["benchmark"].isin(benchmarks)]
    final = final_values(incumbents(pd.concat(parts, ignore_index=True), tasks))
    frame = final.reset_index()
    names = frame["optimizer"].str.partition(" ")
    frame = frame.assign(release=names[0], optimizer=names[2])
    return frame.set_index(["benchmark", "optimizer", "release", "seed"])["regret"]


def compare_releases(
    values: pandas.Series,
    old_versions: dict[str, str] | None = None,
    new_versions: dict[str, str] | None = None,
    *,
    n_samples: int = N_SAMPLES,
) -> list[Change]:
    """Change of each optimizer with values of both releases, in the order of their names.

    `values` are indexed by benchmark, optimizer, release (`old`, `new`) and seed, lower being better; the others are
    the versions of their code by optimizer, and the number of bootstrap samples for the intervals.
    """
    rows = []
    for optimizer, own in values.groupby(level="optimizer", sort=True):
        alone = own.droplevel("optimizer").rename_axis(index={"release": "optimizer"})
        both = alone.groupby(level="benchmark").filter(lambda v: v.index.get_level_values("optimizer").nunique() == 2)
        if len(both):
            rows.append(_change(str(optimizer), both, n_samples))
    corrected = holm(np.array([row.p for row in rows]))
    return [
        row._replace(
            p_holm=float(p),
            verdict=row.verdict or _verdict(row.effect, float(p)),
            old_version=(old_versions or {}).get(row.optimizer, ""),
            new_version=(new_versions or {}).get(row.optimizer, ""),
        )
        for row, p in zip(rows, corrected, strict=True)
    ]


def _change(optimizer: str, values: pandas.Series, n_samples: int) -> Change:
    row = stratified_mann_whitney(values, n_samples=n_samples).iloc[0]  # a is `new`, by name
    counts = values.groupby(level="optimizer").size()
    wide = values.unstack("optimizer")
    same = bool((wide[NEW] == wide[OLD]).all())
    numbers = (int(row["n_tasks"]), int(counts[OLD]), int(counts[NEW]))
    effect = (float(row["effect"]), float(row["effect_low"]), float(row["effect_high"]))
    p = 1.0 if same else float(row["p"])
    return Change(optimizer, "the same runs" if same else "", *numbers, *effect, p, p, "", "")


def _verdict(effect: float, p: float) -> str:
    if p >= ALPHA:
        return "no difference seen"
    return "better" if effect > 0.5 else "worse"
