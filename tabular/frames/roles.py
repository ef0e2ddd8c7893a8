"""What the columns of recorded evaluations stand for, checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import numpy as np

from hpo_core.errors import HpoError, InvalidOption, nearest
from tabular.frames.reading import column_values, is_number

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class Roles:
    """Columns by what they stand for; None where there is none.

    config      the hyperparameters
    info        other columns of numbers, which are kept
    left_out    the rest: text, bools, columns with missing values
    """

    loss: str
    cost: str | None
    budget: str | None
    repetition: str | None
    config: tuple[str, ...]
    info: tuple[str, ...]
    left_out: tuple[str, ...]


def roles_of(
    frame: pandas.DataFrame,
    *,
    loss: str,
    cost: str | None = None,
    budget: str | None = None,
    config: Sequence[str] | None = None,
    repetition: str | None = None,
) -> Roles:
    """Roles of the columns of a frame.

    `config` has names or patterns, such as `hp_*`. Without it, every column that has no other role is a hyperparameter.
    """
    known = [str(name) for name in frame.columns]
    given = {"loss": loss, "cost": cost, "budget": budget, "repetition": repetition}
    for role, name in given.items():
        if name is not None and name not in known:
            raise InvalidOption(f"{role} must be a column, got {name!r}{nearest(name, known)}")
    taken = [name for name in given.values() if name is not None]
    free = [name for name in known if name not in taken]
    chosen = free if config is None else _matching(config, known)
    for name in [*taken, *chosen]:
        if [*taken, *chosen].count(name) > 1:
            raise InvalidOption(f"a column has one role, {name!r} was given two")
    if not chosen:
        raise InvalidOption(f"a table needs hyperparameters, and no column is left for them; it has {', '.join(known)}")
    if config is None:
        _refuse_identifiers(frame, chosen)
    rest = [name for name in free if name not in chosen]
    info = tuple(name for name in rest if _is_whole(frame, name))
    left_out = tuple(name for name in rest if name not in info)
    return Roles(loss, cost, budget, repetition, tuple(chosen), info, left_out)


def _matching(patterns: Sequence[str], known: Sequence[str]) -> list[str]:
    """Columns that the patterns name, each once."""
    found: list[str] = []
    for pattern in patterns:
        exact = [pattern] if pattern in known else [name for name in known if fnmatchcase(name, pattern)]
        if not exact:
            raise InvalidOption(f"config must name columns, got {pattern!r}{nearest(pattern, known)}")
        found += [name for name in exact if name not in found]
    return found


def _refuse_identifiers(frame: pandas.DataFrame, names: Sequence[str]) -> None:
    """Raise for a column that numbers the rows, or names most of them: it is hardly a hyperparameter."""
    for name in names:
        values = column_values(frame, name)
        if len(values) <= 10 or len(names) == 1 or values.dtype.kind not in "iO":
            continue
        counted = values.dtype.kind == "i" and (np.diff(values) == 1).all()
        if counted or (values.dtype.kind == "O" and len(set(values.tolist())) > len(values) / 2):
            raise InvalidOption(
                f"column {name!r} {'numbers' if counted else 'has another text in most of'} the rows, so it is hardly "
                "a hyperparameter; say which columns are (--config, config=[...])"
            )


def _is_whole(frame: pandas.DataFrame, name: str) -> bool:
    try:
        values = column_values(frame, name)
    except HpoError:
        return False
    return values.dtype.kind in "if" and not np.isnan(values).any()


def numbers(frame: pandas.DataFrame, name: str, role: str, *, low: float, infinite: bool = False) -> np.ndarray:
    """(n,) numbers of a column, which must be finite and not below `low`; `infinite` ones may be allowed."""
    values = column_values(frame, name)
    if values.dtype.kind not in "if":
        texts = [i for i, value in enumerate(values) if value is not None and not is_number(value)]
        row = texts[0] if texts else 0
        raise InvalidOption(f"{role} must be a column of numbers, {name!r} has {values[row]!r} in row {row + 1}")
    values = values.astype(float)
    wrong = ~(np.isfinite(values) & (values >= low))
    if infinite:
        wrong &= values != np.inf
    if wrong.any():
        row = int(np.argmax(wrong))
        rule = "numbers" if low == -np.inf else f"numbers >= {low:g}"
        way_out = "; write inf for a training that diverged, or remove the row" if infinite else ""
        raise InvalidOption(
            f"{role} must be a column of finite {rule}, {name!r} has {values[row]:g} in row {row + 1} "
            f"({wrong.sum()} such rows){way_out}"
        )
    return values
