"""Conditions that empty cells show: a column is empty exactly where another one has certain values.

A parent has few values (a categorical, or up to 12 numbers), and the column is empty for at least one of them and
filled for at least one, without exception. Where the parent itself is inactive, the column is empty. A condition is
inferred only if there is exactly one such parent: empty cells that fit none, or several, are an error.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hpo_core.space import Condition
from hpo_core.space.hyperparameters import Categorical, Hyperparameter
from tabular.surrogates.errors import InvalidRecords

MOST_VALUES = 12  # of a parent that is not a categorical
GIVE_SPACE = "give the space with the condition that holds (--space FILE.json, space=...)"


def infer_conditions(
    hyperparameters: Mapping[str, Hyperparameter], columns: Mapping[str, np.ndarray]
) -> list[Condition]:
    """Conditions of all columns with empty cells."""
    cells = {name: _values(column) for name, column in columns.items()}
    parents = [name for name, h in hyperparameters.items() if isinstance(h, Categorical) or h.size <= MOST_VALUES]
    found: list[Condition] = []
    for child, own in cells.items():
        if None not in own:
            continue
        fitting = [_fitting(child, own, parent, cells[parent]) for parent in parents if parent != child]
        explained = [condition for condition in fitting if condition is not None]
        if len(explained) != 1:
            raise InvalidRecords(_message(child, own, explained))
        found.extend(explained)
    return found


def _values(column: np.ndarray) -> list[Any]:
    """Cells as Python values, None where empty."""
    return [None if cell is None or cell != cell else cell for cell in column.tolist()]


def _fitting(child: str, cells: Sequence[Any], parent: str, parent_cells: Sequence[Any]) -> Condition | None:
    """The condition on a parent that explains every empty and every filled cell, None if there is none."""
    filled: dict[Any, set[bool]] = defaultdict(set)
    for cell, value in zip(cells, parent_cells, strict=True):
        filled[value].add(cell is not None)
    if True in filled.pop(None, set()) or any(len(states) > 1 for states in filled.values()):
        return None
    on = [value for value, states in filled.items() if True in states]
    return Condition(child, parent, tuple(sorted(on))) if 0 < len(on) < len(filled) else None


def _message(child: str, cells: Sequence[Any], fitting: Sequence[Condition]) -> str:
    row, n_empty = cells.index(None) + 1, sum(cell is None for cell in cells)
    if not fitting:
        return (
            f"column {child!r} is empty in {n_empty} of {len(cells)} rows, first in row {row}, and no other column "
            f"says when: fill the cells, remove the rows, leave the column out, or {GIVE_SPACE}"
        )
    ways = "; or ".join(describe(condition) for condition in fitting)
    return f"the empty cells of column {child!r} have several explanations ({ways}): {GIVE_SPACE}"


def describe(condition: Condition) -> str:
    """A condition in words."""
    values = " or ".join(map(str, condition.values))
    return f"{condition.child} is active where {condition.parent} is {values}"
