"""`Records`: recorded evaluations as arrays, checked; repetitions of a configuration at a budget are one cell.

A row is an evaluation, a cell a configuration at a budget with all of its rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from hpo_core.errors import HpoError, InvalidOption
from hpo_core.space import Space
from tabular.frames.reading import column_values
from tabular.frames.roles import Roles, numbers
from tabular.surrogates.errors import InvalidRecords
from tabular.surrogates.rows.inferred_space import infer_space, is_empty

if TYPE_CHECKING:
    import pandas

FAILED = ("refuse", "worst")
LEAST_CONFIGS = 40  # with a result at the full budget, so that a fold of a fifth has eight


@dataclass(frozen=True, eq=False)
class Records:
    """Recorded evaluations.

    space        of the configurations
    roles        of the columns that they were read from
    codes        (n_cells, d) of each cell's configuration, NaN where inactive
    budgets      (n_cells,) or None if there is one budget only
    full_budget  the largest, 1 without a column of budgets
    losses       (n_cells,) mean over the repetitions
    costs        (n_cells,) mean cost in seconds, or None
    cell_of_row  (n_rows,) cell of each row
    row_losses   (n_rows,)
    n_failed     rows without a finite loss, which count as the worst one
    """

    space: Space
    roles: Roles
    codes: np.ndarray
    budgets: np.ndarray | None
    full_budget: float
    losses: np.ndarray
    costs: np.ndarray | None
    cell_of_row: np.ndarray
    row_losses: np.ndarray
    n_failed: int

    @cached_property
    def configs(self) -> np.ndarray:
        """(n_cells,) number of each cell's configuration."""
        return _different(self.codes)[1]

    @cached_property
    def full(self) -> np.ndarray:
        """(n_cells,) whether a cell is at the full budget."""
        return np.ones(len(self.losses), dtype=bool) if self.budgets is None else self.budgets == self.full_budget

    @property
    def n_configs(self) -> int:
        return int(self.configs.max()) + 1

    @property
    def repeated(self) -> bool:
        """Whether any configuration was evaluated twice at the same budget."""
        return len(self.row_losses) > len(self.losses)


def records_of(frame: pandas.DataFrame, roles: Roles, space: Space | None = None, failed: str = "refuse") -> Records:
    """Records of a frame with a row for each evaluation.

    Parameters
    ----------
    frame
        The rows.
    roles
        What the columns stand for.
    space
        Of the configurations; inferred if None.
    failed
        What to do about rows whose loss is missing or infinite: "refuse" them with an error, or count each as the
        "worst" loss that was recorded.
    """
    if failed not in FAILED:
        raise InvalidOption(f"failed must be one of {', '.join(FAILED)}, got {failed!r}")
    if len(frame) < 2:
        raise InvalidRecords(f"a surrogate needs at least {LEAST_CONFIGS} configurations, got {len(frame)} row(s)")
    losses, n_failed = _losses(frame, roles.loss, failed)
    costs = None if roles.cost is None else _positive(frame, roles.cost, "cost")
    budgets = None if roles.budget is None else _positive(frame, roles.budget, "budget")
    cells = {name: column_values(frame, name) for name in roles.config}
    if space is None:
        space = infer_space(cells)
    codes = _encode(space, cells)
    records = _by_cell(space, roles, codes, budgets, losses, costs, n_failed)
    _check_enough(records)
    return records


def _losses(frame: pandas.DataFrame, name: str, failed: str) -> tuple[np.ndarray, int]:
    """Finite losses, and how many rows had none."""
    cells = column_values(frame, name)
    if not is_empty(cells).all() and cells.dtype.kind not in "if":
        numbers(frame, name, "loss", low=-np.inf)  # says which row
    losses = cells.astype(float)
    bad = ~np.isfinite(losses)
    if bad.all():
        raise InvalidRecords(f"loss column {name!r} holds no finite number")
    if bad.any() and failed == "refuse":
        raise InvalidRecords(
            f"loss column {name!r} must be finite, got {losses[bad][0]} in row {int(bad.argmax()) + 1} and {bad.sum()} "
            'such rows in all; remove them, or let each count as the worst loss (--failed worst, failed="worst")'
        )
    if losses[~bad].min() == losses[~bad].max():
        raise InvalidRecords(f"loss column {name!r} is {losses[~bad][0]:g} in every row; there is nothing to model")
    return np.where(bad, losses[~bad].max(), losses), int(bad.sum())


def _positive(frame: pandas.DataFrame, name: str, role: str) -> np.ndarray:
    found = numbers(frame, name, role, low=0.0)
    if found.min() <= 0:
        row = int(found.argmin()) + 1
        raise InvalidRecords(f"{role} must be a column of numbers > 0, {name!r} has {found.min():g} in row {row}")
    return found


def _encode(space: Space, cells: dict[str, np.ndarray]) -> np.ndarray:
    """(n, d) codes; raises `InvalidRecords` with the row of the first configuration that is not in the space."""
    missing = [name for name in space.names if name not in cells]
    surplus = [name for name in cells if name not in space.names]
    if missing or surplus:
        raise InvalidRecords(
            f"the space and the columns of the configuration must have the same names; only in the space: "
            f"{', '.join(missing) or '-'}, only in the columns: {', '.join(surplus) or '-'}"
        )
    rows: list[Sequence[float]] = []
    empty = np.array([is_empty(column) for column in cells.values()]).T.tolist()
    for i, row in enumerate(zip(*(column.tolist() for column in cells.values()), strict=True)):
        config = {name: value for name, value, e in zip(cells, row, empty[i], strict=True) if not e}
        try:
            rows.append(space.codes_of(config))
        except HpoError as error:
            raise InvalidRecords(f"row {i + 1}: {error}") from None
    return np.array(rows, dtype=float).reshape(len(rows), len(space)) + 0.0  # -0.0 and 0.0 are one value


def _by_cell(
    space: Space,
    roles: Roles,
    codes: np.ndarray,
    budgets: np.ndarray | None,
    losses: np.ndarray,
    costs: np.ndarray | None,
    n_failed: int,
) -> Records:
    keys = codes if budgets is None else np.column_stack([codes, budgets])
    cells, cell_of_row = _different(keys)
    counts = np.bincount(cell_of_row)

    def mean(numbers_: np.ndarray) -> np.ndarray:
        return np.bincount(cell_of_row, weights=numbers_) / counts

    several = budgets is not None and budgets.min() < budgets.max()
    return Records(
        space=space,
        roles=roles,
        codes=np.ascontiguousarray(cells[:, : len(space)]),
        budgets=cells[:, -1].copy() if several else None,
        full_budget=1.0 if budgets is None else float(budgets.max()),
        losses=mean(losses),
        costs=None if costs is None else mean(costs),
        cell_of_row=cell_of_row,
        row_losses=losses,
        n_failed=n_failed,
    )


def _different(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different rows of an array, sorted, and which of them each row is; NaN equals NaN."""
    filled = np.where(np.isnan(rows), np.inf, rows)  # numpy takes no two rows with NaN for equal
    found, which = np.unique(filled, axis=0, return_inverse=True)
    return np.where(np.isinf(found), np.nan, found), which.reshape(-1)


def _check_enough(records: Records) -> None:
    n = int(records.full.sum())
    if n >= LEAST_CONFIGS:
        return
    if records.budgets is None:
        raise InvalidRecords(
            f"a surrogate needs at least {LEAST_CONFIGS} different configurations, got {n} in "
            f"{len(records.row_losses)} rows; a table over the rows as they are needs no model"
        )
    raise InvalidRecords(
        f"a surrogate needs at least {LEAST_CONFIGS} configurations at the full budget, got {n} at "
        f"{records.full_budget:g}; leave out the rows of that budget if a smaller one is to be the full one"
    )
