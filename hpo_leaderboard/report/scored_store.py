"""`score_store`: a store read and scored once, for the leaderboard in a terminal and for the page."""

from __future__ import annotations

import json
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
        said = [json.loads(text)["benchmark"] for text in store.descriptions()]
        members = {each["label"]: (each["name"], each["options"]) for each in said}
        groups = make_groups(frames, store.scoring(), members)
        return ScoredStore(groups, make_methods(store, frames), frames.runs)
