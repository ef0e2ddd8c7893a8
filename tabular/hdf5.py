"""The table format: one sealed file (`hpo_core.storage.sealed_hdf5`) per table, columnar and self-contained.

    header               name, space, budgets, budget_unit, units, provenance; resumable: false where it is not
    /columns/NAME        an array, see `tabular.table`
    /columns/LISTED      (config, hyperparameter) codes of the configurations, where the space has a list

The configurations of a grid are not stored: their order is that of `space.grid`. A table of a grid has format version
1, one of listed configurations version 2, so that a release that cannot read it says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from hpo_core.errors import InvalidOption
from hpo_core.space.plain_data import space_from_json, space_to_json
from hpo_core.storage.own_files import MOST_NAME
from hpo_core.storage.plain_fields import budgets, mapping, text, texts, truth
from hpo_core.storage.sealed_hdf5 import UNREADABLE, Kind, is_sealed, read_sealed, unreadable, write_sealed
from tabular.sound_numbers import check_numbers
from tabular.table import MEAN, Table

TABLE = Kind("hpo-foundry table", 2, "table", "`hpo table import` reads the original FC-Net files")
GRID = replace(TABLE, version=1)
LISTED = "listed configurations"  # array of codes; no column of a table has this name


def write_table(table: Table, path: Path, *, compress: bool = False) -> None:
    """Write a table to `path`, which appears only when it is complete."""
    try:
        check_numbers(table)
    except ValueError as error:
        raise InvalidOption(f"table {table.name!r} cannot be written: {error}") from None
    if LISTED in table.columns:
        raise InvalidOption(f"a column of a table must not be named {LISTED!r}; give it another name")
    codes = table.space.listed
    arrays = table.columns if codes is None else {**table.columns, LISTED: _compact(codes)}
    write_sealed(path, GRID if codes is None else TABLE, _header(table), arrays, compress=compress)


def _compact(codes: np.ndarray) -> np.ndarray:
    """The codes in the smallest integers that hold them, unchanged where some are no integers."""
    return codes.astype(np.min_scalar_type(int(codes.max()))) if codes.dtype.kind == "i" else codes


def _header(table: Table) -> dict[str, Any]:
    found = table.budgets
    return {
        "name": table.name,
        "space": space_to_json(table.space, listed=False),
        "budgets": {"range": [found[0], found[-1]]} if _is_every_integer(found) else list(found),
        "budget_unit": table.budget_unit,
        "units": dict(table.units),
        "provenance": {**table.provenance, "optimum": optima(table)},
        **({} if table.resumable else {"resumable": False}),
    }


def _is_every_integer(found: Sequence[float]) -> bool:
    return isinstance(found, range) and found.step == 1


def optima(table: Table) -> dict[str, float]:
    """Lowest mean of each loss at the full budget, for the provenance: so nobody need read all of a large table."""
    losses = [name for name in table.columns if name.endswith("loss") and not name.startswith(MEAN)]
    return {name: float(np.nanmin(table.mean(name))) for name in losses}


def is_table(path: Path) -> bool:
    """Whether a file has the seal of this format, of any version."""
    return is_sealed(path, TABLE)


def read_table(path: Path, *, verify: bool = False) -> Table:
    """Table in a file; raises `DamagedFile` if it is damaged, see `hpo_core.storage.sealed_hdf5.read_sealed`."""
    header, columns = read_sealed(path, TABLE, verify=verify)
    try:
        table = _table(header, columns)
        check_numbers(table, verify)
        return table
    except UNREADABLE as error:
        raise unreadable(path, TABLE, error) from None


def _table(header: Mapping[str, Any], columns: dict[str, np.ndarray]) -> Table:
    listed = columns.pop(LISTED, None)
    provenance = mapping(header.get("provenance"), "provenance")
    for metric, optimum in mapping(provenance.get("optimum", {}), "the optima").items():
        if optimum.__class__ not in (int, float):  # also infinite, where every training diverged
            raise ValueError(f"the optimum of {metric!r} must be a number, got {optimum!r:.60}")
    return Table(
        name=text(header.get("name"), "the name", MOST_NAME),
        space=space_from_json(mapping(header.get("space"), "the space"), listed),
        columns=columns,
        units=texts(header.get("units"), "the unit"),
        budgets=budgets(header.get("budgets")),
        budget_unit=text(header.get("budget_unit"), "the unit of budgets", MOST_NAME),
        provenance=provenance,
        resumable=truth(header.get("resumable", True), "resumable"),
    )
