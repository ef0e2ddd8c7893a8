"""Recorded tables by name, NAME/INSTANCE; those that were opened are kept."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from tabular.recorded.catalogue import FAMILIES, GRAPH
from tabular.recorded.family_file import read_instance
from tabular.recorded.nas_graph import open_graph
from tabular.table import Table

N_OPEN = 32  # tables that a process keeps; a table of 1,000 learning curves takes less than a megabyte


def shipped_family(family: str) -> Path:
    """Where the file of a family lies that comes with this package."""
    return Path(__file__).parent.parent / "data" / "recorded" / f"{family}.h5"


def is_recorded(name: str) -> bool:
    """Whether a name is that of a recorded table or of a family, or begins like one."""
    return name.partition("/")[0] in FAMILIES


@lru_cache(maxsize=N_OPEN)
def open_recorded(name: str) -> Table:
    """Recorded table of a name; raises `UnknownName` for an instance that its family does not have."""
    family, _, instance = name.partition("/")
    FAMILIES[family].check(instance)
    return open_graph(instance) if family == GRAPH.name else read_instance(shipped_family(family), instance)
