"""The space that the columns of recorded configurations show, with its conditions.

A hyperparameter is inferred from the filled cells of its column (`tabular.frames.inference` has the rules). Empty cells
are inactive: `tabular.surrogates.rows.conditions` finds out when.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from hpo_core.space import Space
from hpo_core.space.hyperparameters import Constant, Hyperparameter
from tabular.frames.inference import inferred_hyperparameter
from tabular.surrogates.errors import InvalidRecords
from tabular.surrogates.rows.conditions import infer_conditions

MANY_TEXTS = 100  # more different texts than a categorical has


def is_empty(cells: np.ndarray) -> np.ndarray:
    """(n,) whether the cells of a column are empty."""
    if cells.dtype.kind == "O":
        return np.array([cell is None for cell in cells], dtype=bool)
    return np.isnan(cells) if cells.dtype.kind == "f" else np.zeros(len(cells), dtype=bool)


def infer_space(columns: Mapping[str, np.ndarray]) -> Space:
    """Space of columns of cells, one of each for every configuration; parents come before their children.

    Examples
    --------
    >>> import numpy as np
    >>> from tabular.surrogates.rows.inferred_space import infer_space
    >>> kernel, gamma = np.array(["linear", "rbf", "rbf"], dtype=object), np.array([np.nan, 0.5, 0.25])
    >>> space = infer_space({"gamma": gamma, "kernel": kernel})
    >>> space.names, space.conditions
    (('kernel', 'gamma'), (Condition(child='gamma', parent='kernel', values=('rbf',)),))
    """
    hyperparameters = {name: _hyperparameter(name, cells) for name, cells in columns.items()}
    if all(isinstance(h, Constant) for h in hyperparameters.values()):
        raise InvalidRecords(f"at least one hyperparameter must vary, and {', '.join(columns)} never do")
    conditions = infer_conditions(hyperparameters, columns)
    parents = {condition.child: condition.parent for condition in conditions}
    ordered: list[Hyperparameter] = []
    waiting = dict(hyperparameters)
    while waiting:
        # a parent is filled wherever its child is, and in more rows, so there is always one without a waiting parent
        ready = [name for name in waiting if parents.get(name) not in waiting]
        ordered.extend(waiting.pop(name) for name in ready)
    return Space(ordered, conditions)


def _hyperparameter(name: str, cells: np.ndarray) -> Hyperparameter:
    filled = cells[~is_empty(cells)]
    if not len(filled):
        raise InvalidRecords(f"column {name!r} is empty in every row; leave it out of the configuration")
    if filled.dtype.kind == "O" and len(set(filled)) > MANY_TEXTS:
        raise InvalidRecords(
            f"column {name!r} holds {len(set(filled))} different texts, such as {filled[0]!r}, which is more than a "
            f"categorical may have ({MANY_TEXTS}); if it is no hyperparameter, say which columns are"
        )
    return inferred_hyperparameter(name, filled)
