"""`Group`: benchmarks on which the same optimizers ran, with their runs; what each part of the report is about."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

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
    """

    name: str
    benchmarks: tuple[str, ...]
    optimizers: tuple[str, ...]
    incumbents: pandas.DataFrame
    of: dict[str, pandas.DataFrame]
    runs: pandas.DataFrame
    board: pandas.DataFrame
    axes: tuple[str, str]


def make_groups(frames: Frames) -> list[Group]:
    """Groups of the runs in a store, most benchmarks first; without benchmarks on which no trial succeeded."""
    if frames.trials.empty:
        return []
    table = incumbents(frames.trials, frames.tasks)
    of = {name: own for name, own in _by_benchmark(table).items() if np.isfinite(own["loss"]).any()}
    scored = blocks(table[table["benchmark"].isin(list(of))])
    return [_group(f"group-{i}", block.benchmarks, of, frames.runs) for i, block in enumerate(scored, 1)]


def _group(name: str, benchmarks: tuple[str, ...], of: dict[str, pandas.DataFrame], runs: pandas.DataFrame) -> Group:
    import pandas as pd

    own = {benchmark: of[benchmark] for benchmark in benchmarks}
    table = pd.concat(list(own.values()), ignore_index=True)
    started = runs[runs["benchmark"].isin(benchmarks)]
    board = leaderboard(table, started)
    axes = ("seconds", "evaluations") if started["n_trials_limit"].isna().any() else ("evaluations", "seconds")
    return Group(name, benchmarks, tuple(board["optimizer"]), table, own, started, board, axes)


def _by_benchmark(table: pandas.DataFrame) -> dict[str, pandas.DataFrame]:
    """Rows of each benchmark as slices, which copy nothing: incumbents are ordered by benchmark."""
    names = table["benchmark"].to_numpy()
    starts = np.flatnonzero(np.concatenate([[True], names[1:] != names[:-1]]))
    ends = np.append(starts[1:], len(names))
    return {str(names[a]): table.iloc[a:b] for a, b in zip(starts, ends, strict=True)}
