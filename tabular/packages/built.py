"""Tables that are built into the cache directory on first use, from files of other packages."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

from hpo_core.errors import DamagedFile
from hpo_core.storage.files import build_once, cache_directory
from tabular.hdf5 import read_table, write_table
from tabular.table import Table

BUILD = 3  # goes up when a release reads the packages' files differently, so that no table of the old way is used


def built_path(name: str) -> Path:
    """Where a table of another package is kept once it was built."""
    return cache_directory() / f"tables-{BUILD}" / f"{name}.h5"


def open_built(name: str, build_table: Callable[[], Table]) -> Table:
    """Table in the cache, built there on first use and again when found damaged."""
    path = built_path(name)
    damages: list[DamagedFile] = []

    def usable() -> Table | None:
        try:
            return read_table(path)
        except FileNotFoundError:
            return None
        except DamagedFile as damage:
            damages.append(damage)
            return None

    def build() -> None:
        if damages:
            warnings.warn(f"rebuilding a damaged table: {damages[0]}", stacklevel=2)
        write_table(build_table(), path)

    return build_once(path, usable, build)
