"""Which configuration, repetition and budget each row of recorded evaluations belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hpo_core.errors import InvalidOption
from hpo_core.space import Space
from tabular.frames.reading import column_values
from tabular.frames.roles import Roles, numbers

if TYPE_CHECKING:
    import pandas

EXACT = 2.0**53  # from here on different whole numbers can be the same float
SHOWN = 3  # examples of what is missing that a message names


@dataclass(frozen=True)
class Cells:
    """Place of each row in the arrays of a table.

    codes       (config, hyperparameter) the configurations, in the order in which they first occur
    config, repetition, budget     (row,) indices
    budgets     ascending
    words       about the repetitions
    """

    codes: np.ndarray
    config: np.ndarray
    repetition: np.ndarray
    budget: np.ndarray
    budgets: Sequence[float]
    words: str

    def array(self, values: np.ndarray) -> np.ndarray:
        """(config, repetition[, budget]) numbers, the budget with several of them; NaN where there is none."""
        shape = (len(self.codes), int(self.repetition.max()) + 1, len(self.budgets))
        array = np.full(shape, np.nan)
        array[self.config, self.repetition, self.budget] = values
        return array if len(self.budgets) > 1 else array[:, :, 0]


def cells_of(frame: pandas.DataFrame, roles: Roles, space: Space, codes: np.ndarray) -> Cells:
    """Cells of the rows of a frame, whose configurations are given by their (row, hyperparameter) codes.

    Raises `InvalidOption` for a configuration that lacks a budget, or has fewer repetitions at one than at another.
    """
    unique, config = _distinct(codes)
    if len(unique) < 2:
        raise InvalidOption(f"a table needs at least two configurations, got one in {len(codes)} rows")
    budgets, budget = _budgets(frame, roles)
    named = None if roles.repetition is None else column_values(frame, roles.repetition)
    repetition = _numbered(config, budget) if named is None else _named(roles, config, budget, named)
    cells = Cells(unique, config, repetition, budget, budgets, _words(roles, repetition))
    if len(budgets) > 1:
        _require_whole(cells, space)
    return cells


def _distinct(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Codes that differ, in the order in which they first occur, and for each row which of them it has."""
    rows = np.ascontiguousarray(codes, dtype=float) + 0.0
    seen: dict[bytes, int] = {}
    config = np.array([seen.setdefault(row.tobytes(), len(seen)) for row in rows], dtype=np.intp)
    first = np.unique(config, return_index=True)[1]
    return codes[first], config


def _budgets(frame: pandas.DataFrame, roles: Roles) -> tuple[Sequence[float], np.ndarray]:
    if roles.budget is None:
        return (1,), np.zeros(len(frame), dtype=np.intp)
    values = numbers(frame, roles.budget, "budget", low=0.0)
    if values.min() <= 0:
        raise InvalidOption(f"budgets must be above 0, column {roles.budget!r} has {values.min():g}")
    known, index = np.unique(values, return_inverse=True)
    whole = np.array_equal(known, np.rint(known)) and known[-1] < EXACT
    budgets = tuple(known.astype(int).tolist() if whole else known.tolist())
    counted = range(int(known[0]), int(known[-1]) + 1)
    return (counted if whole and len(counted) == len(budgets) > 1 else budgets), index


def _numbered(config: np.ndarray, budget: np.ndarray) -> np.ndarray:
    """(row,) how many rows with the same configuration and budget came before."""
    count: dict[tuple[int, int], int] = {}
    result = np.empty(len(config), dtype=np.intp)
    for row, cell in enumerate(zip(config.tolist(), budget.tolist(), strict=True)):
        result[row] = count.get(cell, 0)
        count[cell] = int(result[row]) + 1
    return result


def _named(roles: Roles, config: np.ndarray, budget: np.ndarray, names: np.ndarray) -> np.ndarray:
    """(row,) index of the row's repetition among those of its configuration, in the order of their names."""
    lacking = [i for i, value in enumerate(names.tolist()) if value is None or value != value]
    if lacking:
        raise InvalidOption(f"column {roles.repetition!r} must name every repetition, row {lacking[0] + 1} is empty")
    ranks = {value: rank for rank, value in enumerate(sorted(set(names.tolist())))}
    rank = np.array([ranks[value] for value in names.tolist()], dtype=np.intp)
    seen: dict[tuple[int, int, int], int] = {}
    for row, cell in enumerate(zip(config.tolist(), budget.tolist(), rank.tolist(), strict=True)):
        if cell in seen:
            raise InvalidOption(
                f"a repetition of a configuration has one row for each budget, rows {seen[cell] + 1} and {row + 1} "
                f"have the same configuration, budget and {roles.repetition} {names.tolist()[row]!r}"
            )
        seen[cell] = row
    return _ranks_within(config, rank)


def _ranks_within(group: np.ndarray, value: np.ndarray) -> np.ndarray:
    """(n,) how many different lower values there are in the same group."""
    order = np.lexsort((value, group))
    new_group = np.diff(group[order], prepend=-1) != 0
    steps = np.cumsum(new_group | (np.diff(value[order], prepend=-1) != 0))
    result = np.empty(len(order), dtype=np.intp)
    result[order] = steps - steps[new_group][np.cumsum(new_group) - 1]
    return result


def _words(roles: Roles, repetition: np.ndarray) -> str:
    n = int(repetition.max()) + 1
    if n == 1:
        return "one evaluation of each configuration"
    how = "in the order of the rows" if roles.repetition is None else f"by column {roles.repetition}"
    return f"up to {n} of a configuration, {how}; seed % number of repetitions picks one, seed=None is their mean"


def _require_whole(cells: Cells, space: Space) -> None:
    """Raise for the first configurations that lack a repetition at a budget."""
    missing = np.isnan(cells.array(np.zeros(len(cells.config))))
    if not missing.any():
        return
    lacking = np.flatnonzero(missing.any(axis=(1, 2)))
    lines = []
    for i in lacking[:SHOWN].tolist():
        config = space.decode(cells.codes[[i]])[0]
        counts = (~missing[i]).sum(axis=0)
        absent = [str(cells.budgets[k]) for k in np.flatnonzero(counts == 0).tolist()]
        lines.append(f"{config} has " + (f"none at {', '.join(absent)}" if absent else f"{counts.min()} at some"))
    n_repetitions = missing.shape[1]
    raise InvalidOption(
        f"every configuration needs {n_repetitions} row{'s' * (n_repetitions > 1)} at each of the {len(cells.budgets)} "
        f"budgets; {len(lacking)} of {len(cells.codes)} do not have them: {'; '.join(lines)}. Remove those "
        "configurations or those budgets, or train a surrogate, which needs no complete rows"
    )
