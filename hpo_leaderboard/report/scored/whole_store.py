"""`score_store`: a store read and scored once, for the leaderboard in a terminal and for the page."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from hpo_leaderboard.report.methods import Methods, make_methods
from hpo_leaderboard.report.scored.groups import Group, make_groups
from hpo_leaderboard.store.selection import select
from hpo_leaderboard.store.store import reading

if TYPE_CHECKING:
    import pandas

    from hpo_leaderboard.store.frames import Frames


class ScoredStore(NamedTuple):
    """What a store holds, scored.

    groups    benchmarks on which the same optimizers ran, with their leaderboard; empty if no trial succeeded
    methods   what was run
    runs      frame `runs` of the runs that are scored
    left_out  a sentence for each kind of runs that are not: older versions, other limits
    """

    groups: list[Group]
    methods: Methods
    runs: pandas.DataFrame
    left_out: list[str]


def score_store(
    path: str | Path,
    *,
    optimizers: Sequence[str] | None = None,
    benchmarks: Sequence[str] | None = None,
    seeds: Collection[int] | None = None,
    latest: bool = True,
    imports: Collection[str] = (),
) -> ScoredStore:
    """The store in a file, scored; needs none of the packages that draw.

    Parameters
    ----------
    path
        Of the store.
    optimizers, benchmarks, seeds, latest
        Which runs, see `hpo_leaderboard.store.selection.select`.
    imports
        Benchmarks of your own, `MODULE:ATTRIBUTE`, that may be imported to compute targets. A store may come from
        somebody else, so nothing else that it names is.
    """
    with reading(path) as store:
        frames, left_out = select(
            store, optimizers=optimizers, benchmarks=benchmarks, seeds=seeds, latest=latest, configs=False
        )
        groups = make_groups(frames, store.scoring(), _members(frames), imports)
        return ScoredStore(groups, make_methods(store, frames), frames.runs, left_out)


def _members(frames: Frames) -> dict[str, tuple[str, dict[str, Any]]]:
    """Name and options of each benchmark by the name it is shown under."""
    runs = frames.runs[["benchmark", "description"]].drop_duplicates("benchmark", keep="last")
    said = {name: json.loads(text)["benchmark"] for name, text in runs.to_numpy()}
    return {name: (each["name"], each["options"]) for name, each in said.items()}
