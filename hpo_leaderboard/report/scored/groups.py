"""`Group`: benchmarks on which the same optimizers ran, with their runs; what each part of the report is about."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hpo_leaderboard.experiments.random_phases import only_random
from hpo_leaderboard.experiments.scoring import Scoring
from hpo_leaderboard.report.scored.targets import ScoredTargets, make_targets
from hpo_leaderboard.scores.incumbents import incumbents
from hpo_leaderboard.scores.leaderboard import leaderboard
from hpo_leaderboard.scores.ranks import blocks

if TYPE_CHECKING:
    import pandas

    from hpo_leaderboard.store.frames import Frames


class Group(NamedTuple):
    """A group.

    name         of its folder
    benchmarks   sorted
    optimizers   the best mean rank first
    incumbents   of its runs (`scores.incumbents`), and the same by benchmark in `of`
    runs         rows of the frame `runs`
    board        its leaderboard (`scores.leaderboard`)
    axes         evaluations and seconds, in front the one by which its runs were limited
    targets      losses that its runs are timed to
    scoring      how the suite wants its runs scored
    only_random  optimizers that never left their random phase on these benchmarks
    """

    name: str
    benchmarks: tuple[str, ...]
    optimizers: tuple[str, ...]
    incumbents: pandas.DataFrame
    of: dict[str, pandas.DataFrame]
    runs: pandas.DataFrame
    board: pandas.DataFrame
    axes: tuple[str, str]
    targets: ScoredTargets
    scoring: Scoring
    only_random: tuple[str, ...]


def make_groups(
    frames: Frames,
    scoring: Scoring | None = None,
    members: Mapping[str, tuple[str, Mapping[str, Any]]] | None = None,
    imports: Collection[str] = (),
) -> list[Group]:
    """Groups of the runs in a store, most benchmarks first; without benchmarks on which no trial succeeded.

    `scoring` is that of the suite, the usual one if None; `members` are name and options of benchmarks by label, and
    `imports` the `MODULE:ATTRIBUTE` among them that may be imported.
    """
    import pandas as pd

    scoring = scoring or Scoring()
    if frames.trials.empty:
        return []
    table = incumbents(frames.trials, frames.tasks, scoring.incumbent)
    of = {name: own for name, own in _by_benchmark(table).items() if np.isfinite(own["loss"]).any()}
    scored = blocks(table[table["benchmark"].isin(list(of))])
    groups = []
    for i, block in enumerate(scored, 1):
        own = {benchmark: of[benchmark] for benchmark in block.benchmarks}
        targets = make_targets(scoring.targets, pd.concat(list(own.values())), members or {}, imports)
        groups.append(_group(f"group-{i}", own, frames.runs, scoring, targets))
    return groups


def _group(
    name: str,
    own: dict[str, pandas.DataFrame],
    runs: pandas.DataFrame,
    scoring: Scoring,
    targets: ScoredTargets,
) -> Group:
    """A group by its incumbents on each benchmark; the other parameters are those of `make_groups`."""
    import pandas as pd

    benchmarks = tuple(own)
    table = pd.concat(list(own.values()), ignore_index=True)
    started = runs[runs["benchmark"].isin(benchmarks)]
    board = leaderboard(table, started, targets.table)
    axes = ("seconds", "evaluations") if started["n_trials_limit"].isna().any() else ("evaluations", "seconds")
    random = tuple(only_random(started))
    optimizers = tuple(board["optimizer"])
    return Group(name, benchmarks, optimizers, table, own, started, board, axes, targets, scoring, random)


def _by_benchmark(table: pandas.DataFrame) -> dict[str, pandas.DataFrame]:
    """Rows of each benchmark as slices, which copy nothing: incumbents are ordered by benchmark."""
    names = table["benchmark"].to_numpy()
    starts = np.flatnonzero(np.concatenate([[True], names[1:] != names[:-1]]))
    ends = np.append(starts[1:], len(names))
    return {str(names[a]): table.iloc[a:b] for a, b in zip(starts, ends, strict=True)}


def without_slices(group: Group) -> Group:
    """The group without `of`, half as large for another process, where `with_slices` makes it whole again."""
    return group._replace(of={})


def with_slices(group: Group) -> Group:
    """The group with `of` as slices of its incumbents, which stand in the order of its benchmarks."""
    return group._replace(of=_by_benchmark(group.incumbents))
