"""A table from recorded evaluations, a row each.

Rows with the same configuration, and the same budget if there is one, are repetitions: in the order of a column that
numbers them, or else in the order of the rows. With several budgets the r-th rows of a configuration are one training.
A table whose rows are all combinations of the values becomes a grid, any other a list of configurations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hpo_core.errors import InvalidConfig, InvalidOption
from hpo_core.factories import check_options
from hpo_core.space import Space
from hpo_core.space.codes import codes_in_box
from hpo_core.space.hyperparameters import Choice, Hyperparameter, Int
from tabular.frames.inference import inferred_space
from tabular.frames.reading import column_values
from tabular.frames.repetitions import Cells, cells_of
from tabular.frames.roles import Roles, numbers, roles_of
from tabular.problem import TableProblem
from tabular.table import MEAN, Table

if TYPE_CHECKING:
    import pandas


def table_from_frame(
    frame: pandas.DataFrame,
    *,
    loss: str,
    cost: str | None = None,
    budget: str | None = None,
    config: Sequence[str] | None = None,
    repetition: str | None = None,
    name: str = "frame",
    space: Space | None = None,
    resumable: bool = True,
    provenance: Mapping[str, Any] | None = None,
) -> Table:
    """Table of recorded evaluations.

    Parameters
    ----------
    frame
        A row per evaluation.
    loss
        Column of losses, which are minimised; infinite for a training that diverged.
    cost
        Column of seconds, of the whole training up to the row's budget. Without it an evaluation counts as 1 second,
        and with several budgets as 1 second for each unit of the budget.
    budget
        Column of budgets; every configuration needs a row at each.
    config
        Columns of hyperparameters, or patterns such as `hp_*`; without it, all columns without another role.
    repetition
        Column that numbers or names the repetitions of a configuration.
    name
        Of the table.
    space
        Space of the hyperparameters, for example one with conditions, where a value is missing for what is switched
        off; inferred from the values if None.
    resumable
        Whether a larger budget continues a training, as epochs do; subsets of the training set do not.
    provenance
        Origin of the numbers.

    Examples
    --------
    >>> import pandas as pd
    >>> from tabular.frames.tables import table_from_frame
    >>> frame = pd.DataFrame({"lr": [0.1, 0.2, 0.1], "depth": [1, 2, 1], "error": [0.5, 0.25, 0.75]})
    >>> table = table_from_frame(frame, loss="error")
    >>> table.n_repetitions, table.mean("loss").tolist()
    (2, [0.625, 0.25])
    """
    _check_frame(frame)
    named = space.names if config is None and space is not None else config
    roles = roles_of(frame, loss=loss, cost=cost, budget=budget, config=named, repetition=repetition)
    losses = _losses(frame, roles)
    table_space, codes = _coded(frame, roles, space)
    cells = cells_of(frame, roles, table_space, codes)
    listed, order = _listed(table_space, cells.codes)
    columns = {name: array[order] for name, array in _columns(frame, roles, losses, cells).items()}
    return Table(
        name=name,
        space=listed,
        columns=columns,
        units=_units(roles, columns),
        budgets=cells.budgets,
        budget_unit="training" if roles.budget is None else roles.budget,
        provenance={"source": "a DataFrame", **(provenance or {}), **_about(frame, roles, cells)},
        resumable=resumable,
    )


def problem_from_frame(frame: pandas.DataFrame, **options: Any) -> TableProblem:
    """Problem of the table that `table_from_frame` makes, with the same options: what `Benchmark.from_frame` calls."""
    check_options("a table of a frame", table_from_frame, options, positional=1)
    return TableProblem(table_from_frame(frame, **options))


def _check_frame(frame: pandas.DataFrame) -> None:
    import pandas as pd

    if not isinstance(frame, pd.DataFrame):
        raise InvalidOption(f"recorded evaluations are a DataFrame with a row each, got {type(frame).__name__}")
    if len(frame) < 2:
        raise InvalidOption(f"a table needs at least two evaluations, got {len(frame)}")


def _losses(frame: pandas.DataFrame, roles: Roles) -> np.ndarray:
    losses = numbers(frame, roles.loss, "loss", low=-np.inf, infinite=True)
    if losses.min() == losses.max():
        raise InvalidOption(f"losses must differ, all {len(losses)} of column {roles.loss!r} are {losses[0]:g}")
    return losses


class _Coded(NamedTuple):
    space: Space
    codes: np.ndarray  # (row, hyperparameter)


def _coded(frame: pandas.DataFrame, roles: Roles, given: Space | None) -> _Coded:
    """Space of the rows without a list, and the codes of each row."""
    values = {name: column_values(frame, name) for name in roles.config}
    if given is not None:
        return _Coded(given, _codes_in(given, values))
    sizes = [len(set(column.tolist())) for column in values.values()]
    n_configs = len(set(zip(*[column.tolist() for column in values.values()], strict=True)))
    space = inferred_space(frame, roles.config, grid=int(np.prod(sizes, dtype=float)) == n_configs)
    return _Coded(space, np.column_stack([_codes_of(h, values[h.name]) for h in space]))


def _codes_of(h: Hyperparameter, values: np.ndarray) -> np.ndarray:
    """(row,) codes of values that the hyperparameter was inferred from."""
    if isinstance(h, Choice):
        indices = {value: code for code, value in enumerate(h.values)}
        return np.array([indices[value] for value in values.tolist()], dtype=float)
    return values.astype(float) - (h.low if isinstance(h, Int) else 0.0)


def _codes_in(space: Space, values: Mapping[str, np.ndarray]) -> np.ndarray:
    """(row, hyperparameter) codes in a space that the user gave; what is missing is left out of a configuration."""
    rows = []
    for i, row in enumerate(zip(*[column.tolist() for column in values.values()], strict=True)):
        config = {name: value for name, value in zip(values, row, strict=True) if value is not None and value == value}
        try:
            rows.append(codes_in_box(space, config))
        except InvalidConfig as error:
            raise InvalidOption(f"row {i + 1} is not in the given space: {error}") from None
    return np.array(rows, dtype=float)


def _listed(space: Space, codes: np.ndarray) -> tuple[Space, np.ndarray]:
    """The space with its list, and the order of the configurations in it; a grid needs no list."""
    whole = space.listed is None and not (space.conditional or space.forbidden) and space.size == len(codes)
    if not whole:
        parts = (space.hyperparameters, space.conditions)
        return Space(*parts, space.name, forbidden=space.forbidden, listed=codes), np.arange(len(codes))
    return space, np.argsort(space.grid.indices(codes))


def _columns(frame: pandas.DataFrame, roles: Roles, losses: np.ndarray, cells: Cells) -> dict[str, np.ndarray]:
    """Columns of the table, configurations in the order of `cells`."""
    columns = {"loss": cells.array(losses)}
    if roles.cost is not None:
        columns["cost"] = cells.array(numbers(frame, roles.cost, "cost", low=0.0))
    else:
        seconds = np.asarray(cells.budgets, dtype=float) if len(cells.budgets) > 1 else np.ones(1)
        columns["cost"] = np.where(np.isnan(columns["loss"]), np.nan, seconds)
    for name in roles.info:
        values = column_values(frame, name)
        columns[_column_name(name, columns)] = _info(values, cells)
    return columns


def _info(values: np.ndarray, cells: Cells) -> np.ndarray:
    """Column of other numbers: one for each configuration where they do not depend on the training."""
    array = cells.array(values.astype(float))
    flat = array.reshape(len(array), -1)
    same = ((flat == flat[:, :1]) | np.isnan(flat)).all()
    if same and (flat.shape[1] > 1 or values.dtype.kind == "i"):
        return flat[:, 0].astype(values.dtype)
    return array


def _column_name(name: str, taken: Mapping[str, Any]) -> str:
    """Name of a column in a table: without slashes, and none of those that mean something else there."""
    shown = name.replace("/", "_")
    if shown.startswith(MEAN):
        shown = f"{shown.removeprefix(MEAN)}_mean"
    while shown in taken or shown in ("loss", "cost"):
        shown += "_recorded"
    return shown


def _units(roles: Roles, columns: Mapping[str, Any]) -> dict[str, str]:
    units = {"loss": f"column {roles.loss}", "cost": "seconds"}
    names = [name for name in columns if name not in units]
    return units | {shown: f"column {name}" for shown, name in zip(names, roles.info, strict=True)}


def _about(frame: pandas.DataFrame, roles: Roles, cells: Cells) -> dict[str, Any]:
    """Entries of the provenance: what was made of the columns."""
    left_out = [f"{name} ({frame[name].nunique()} values)" for name in roles.left_out]
    unit = f"for each unit of {roles.budget}" if roles.budget else "for each evaluation"
    return {
        "loss": f"column {roles.loss}",
        "cost": f"column {roles.cost}, in seconds" if roles.cost else f"no time is recorded: 1 second {unit}",
        "repetitions": cells.words,
        **({"left_out": ", ".join(left_out)} if left_out else {}),
    }
