"""One sealed file for all tables of a family, of which one table at a time is read.

    header              family, space (without its list), budgets, budget_unit, units, provenance;
                        instances: for each table its rows [first, end), and its own space or provenance, if any;
                        common: names of the arrays that all tables share
    /columns/hp.NAME    (row,) codes of a hyperparameter
    /columns/NAME       (row, repetition) or (row, repetition, budget) numbers, see `tabular.table`

The rows of the tables follow one another. `scripts/pack_recorded.py` writes these files.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from hpo_core.space.plain_data import space_from_json
from hpo_core.storage.sealed_hdf5 import UNREADABLE, Kind, Part, is_sealed, read_sealed, unreadable, write_sealed
from tabular.hdf5 import optima
from tabular.table import Table

RECORDED = Kind("hpo-foundry recorded tables", 1, "file of recorded tables", "reinstall hpo-foundry")
CODES = "hp."


def write_family(path: Path, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray], rows: int) -> None:
    """Write the tables of a family to `path`, compressed in pieces of so many rows."""
    write_sealed(path, RECORDED, {**header, "arrays": sorted(arrays)}, arrays, compress=True, piece=rows)


def is_family(path: Path) -> bool:
    """Whether a file has the seal of this format, of any version."""
    return is_sealed(path, RECORDED)


def verify_family(path: Path) -> None:
    """Read all of a file; raises `DamagedFile` where it is not whole."""
    read_sealed(path, RECORDED, verify=True)


def read_instance(path: Path, instance: str) -> Table:
    """Table of one instance in the file of a family; raises `DamagedFile` where that is not whole.

    Its arrays are read-only, so that several users of one table cannot alter it.
    """

    def part(header: dict[str, Any]) -> Part:
        rows = slice(*header["instances"][instance]["rows"])
        return {name: rows for name in header["arrays"] if name not in header["common"]}

    header, arrays = read_sealed(path, RECORDED, part=part)
    try:
        return _table(header, instance, arrays)
    except UNREADABLE as error:
        raise unreadable(path, RECORDED, error) from None


def _table(header: Mapping[str, Any], instance: str, arrays: Mapping[str, np.ndarray]) -> Table:
    own = header["instances"][instance]
    budgets = header["budgets"]
    counted = range(budgets[0], budgets[-1] + 1)
    described = own.get("space", header["space"])
    codes = [arrays[f"{CODES}{h['name']}"] for h in described["hyperparameters"]]
    for array in arrays.values():
        array.setflags(write=False)
    table = Table(
        name=f"{header['family']}/{instance}",
        space=space_from_json(described, np.column_stack(codes)),
        columns={name: array for name, array in arrays.items() if not name.startswith(CODES)},
        units=header["units"],
        budgets=counted if len(counted) == len(budgets) > 1 else tuple(budgets),
        budget_unit=header["budget_unit"],
        provenance={**header["provenance"], **own.get("provenance", {})},
    )
    return replace(table, provenance={**table.provenance, "optimum": optima(table)})
