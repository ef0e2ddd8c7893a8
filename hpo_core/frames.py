"""Problems made of recorded evaluations, a row each, by other packages.

A package offers a kind of them through an entry point in the group `hpo_core.frames`. Its name is the kind, and it
loads to a function that is called as `make(frame, **options)` and returns a `Problem`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hpo_core.errors import UnknownName, nearest
from hpo_core.factories import check_options
from hpo_core.plugins import plugins
from hpo_core.problems.problem import Problem

if TYPE_CHECKING:
    import pandas

FRAMES = "hpo_core.frames"


def problem_of_frame(kind: str, frame: pandas.DataFrame, options: Mapping[str, Any]) -> Problem:
    """Problem of a kind that a package offers, from the rows of a frame."""
    makers = {plugin.name: plugin.loaded for plugin in plugins(FRAMES)}
    if kind not in makers:
        raise UnknownName(f"no kind of benchmark {kind!r} is made of frames{nearest(kind, makers)}")
    check_options(f"a benchmark of kind {kind!r}", makers[kind], options, positional=1)
    return makers[kind](frame, **options)
