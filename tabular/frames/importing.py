"""CSV files of recorded evaluations as benchmarks on this machine."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from tabular.families import check_table_name, own_tables
from tabular.frames.reading import read_results
from tabular.frames.tables import table_from_frame
from tabular.hdf5 import write_table


def import_results(
    path: Path,
    name: str | None = None,
    *,
    loss: str,
    cost: str | None = None,
    budget: str | None = None,
    config: Sequence[str] | None = None,
    repetition: str | None = None,
    replace: bool = False,
) -> str:
    """Name under which the rows of a CSV file became a benchmark on this machine.

    The name is the given one, or the file's own without what follows the first dot. That of a built-in table is refused
    with `NameTaken`, unless `replace` is true. The other arguments are those of `table_from_frame`.
    """
    path = Path(path)
    name = path.name.partition(".")[0] if name is None else name
    check_table_name(name, replace)
    frame = read_results(path)
    source = {"source": f"file {path.name}", "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
    table = table_from_frame(
        frame, loss=loss, cost=cost, budget=budget, config=config, repetition=repetition, name=name, provenance=source
    )
    write_table(table, own_tables.path(name))
    return name
