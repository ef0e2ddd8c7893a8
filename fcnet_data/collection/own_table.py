"""`collect_as_benchmark`: a collected table under a name of the user's own, in one go."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, Protocol

from fcnet_data.collection.collecting import Collectable, collect
from hpo_core.errors import NameTaken
from hpo_core.storage.files import cache_directory
from tabular.families import check_table_name, own_tables
from tabular.fcnet_files.importing import import_table

FOLDER = "training"  # of the cache directory, for tables that are not finished


class TableWork(Collectable, Protocol):
    """A collection that saves a table."""

    @property
    def name(self) -> str: ...


def collect_as_benchmark(work: TableWork, *, replace: bool = False, **how: Any) -> Path:
    """Path of a table that is the benchmark `work.name` on this machine from now on.

    The name of a built-in table, and that of another table of the user's own, is refused with `NameTaken` before
    anything is trained, unless `replace` is true; until the new table is finished, the old one stays in its place. A
    table that is there already, from the same collection, is not made again.

    Parameters
    ----------
    work
        The collection.
    replace
        Whether to cover a built-in table, or to replace one of the user's own.
    **how
        Passed on to `collect`: engine, n_threads, address, progress.
    """
    unfinished = cache_directory() / FOLDER / f"{work.name}-{_digest(work)}.h5"
    if not _is_there(work, replace):
        collect(work, unfinished, **how)
        if not _is_there(work, replace):  # another process may have used the name in the meantime
            import_table(unfinished, work.name, replace=replace)
    unfinished.unlink(missing_ok=True)
    return own_tables.path(work.name)


def _is_there(work: TableWork, replace: bool) -> bool:
    """Whether the table has its name already; raises if something else has it that is not to be replaced."""
    check_table_name(work.name, replace)
    if not own_tables.has(work.name):
        return False
    if work.is_saved(own_tables.path(work.name)):
        return True
    if replace:
        return False
    raise NameTaken(
        f"{work.name!r} is the name of another table of yours; choose another name, or say --replace (replace=True)"
    )


def _digest(work: Collectable) -> str:
    """Eight hexadecimal digits that tell a collection from another of the same name."""
    return hashlib.sha256(json.dumps(dict(work.settings), sort_keys=True).encode()).hexdigest()[:8]
