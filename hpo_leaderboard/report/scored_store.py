"""`score_store`: a store read and scored once, for the leaderboard in a terminal and for the page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from hpo_leaderboard.report.groups import Group, make_groups
from hpo_leaderboard.report.methods import Methods, make_methods
from hpo_leaderboard.store.store import reading

if TYPE_CHECKING:
    import pandas


class ScoredStore(NamedTuple):
    """What a store holds, scored.

    groups    benchmarks on which the same optimizers ran, with their leaderboard; empty if no trial succeeded
    methods   what was run
    runs      frame `runs` of the store
    """

    groups: list[Group]
    methods: Methods
    runs: pandas.DataFrame


def score_store(path: str | Path) -> ScoredStore:
    """The store in a file, scored; needs none of the packages that draw."""
    with reading(path) as store:
        frames = store.frames(configs=False)
        return ScoredStore(make_groups(frames), make_methods(store, frames), frames.runs)
