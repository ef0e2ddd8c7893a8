"""Configurations as codes: from mappings, tables and arrays, each checked."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, cast

import numpy as np

from hpo_core.errors import InvalidConfig, InvalidSpace, nearest
from hpo_core.space.activity import is_on
from hpo_core.space.hyperparameters import Choice, Float, Value

if TYPE_CHECKING:
    import pandas

    from hpo_core.space import Config, Space


def codes_in_box(space: Space, config: Config) -> list[float]:
    """Codes of one configuration that hyperparameters and conditions allow, whatever is forbidden or listed."""
    if not isinstance(config, Mapping):
        raise InvalidConfig(f"a configuration is a mapping of names to values, got {type(config).__name__}")
    codes: list[float] = []
    n_off = 0
    for h, needed in zip(space.hyperparameters, space.switches, strict=True):
        if needed and not is_on(needed, codes):
            if h.name in config:
                raise InvalidConfig(_why_off(space, h.name, codes))
            codes.append(math.nan)
            n_off += 1
            continue
        try:
            value = config[h.name]
        except KeyError:
            raise InvalidConfig(f"hyperparameter {h.name!r} is missing; it must be {h.rule}") from None
        codes.append(h.code(value))
    if len(config) > len(codes) - n_off:  # a ConfigSpace.Configuration counts what is switched off too
        for name in config:
            if name not in space.names:
                raise InvalidConfig(f"no hyperparameter {name!r} in this space{nearest(name, space.names)}")
    return codes


def _why_off(space: Space, name: str, codes: Sequence[float]) -> str:
    """Message about a hyperparameter that is given where it is switched off, with the condition that fails."""
    given = space.config_of([*codes, *[math.nan] * (len(space) - len(codes))])
    parent, values = next(
        (parent, values)
        for child, parent, values in space.conditions
        if child == name and (parent not in given or given[parent] not in values)
    )
    state = f"{parent} is {given[parent]!r}" if parent in given else f"{parent} is switched off"
    wanted = " or ".join(map(repr, values))
    return f"hyperparameter {name!r} is switched off here and must be left out: it needs {parent} {wanted}, and {state}"


def check_membership(space: Space, codes: Sequence[float]) -> None:
    """Raise `InvalidConfig` if a configuration, given by its codes, is forbidden or not listed."""
    config = space.config_of(codes)
    for clause in space.forbidden:
        if clause.forbids(config):
            raise InvalidConfig(f"a configuration must not have {clause}, got {config!r}")
    if space.listed is not None:
        space.numbering.index_of_codes(codes)  # type: ignore[union-attr]


def to_unit(space: Space, codes: np.ndarray) -> np.ndarray:
    """(n, d) points of the unit cube that (n, d) codes stand for."""
    columns = [h.to_unit(np.asarray(c, dtype=float)) for h, c in zip(space, np.asarray(codes).T, strict=True)]
    return np.stack(columns, axis=1)


def in_box(space: Space, unit: np.ndarray) -> np.ndarray:
    """(n, d) codes of the cells that hold (n, d) points of the unit cube, before conditions."""
    unit = np.clip(np.asarray(unit, dtype=float), 0.0, 1.0)
    return np.stack([h.from_unit(u) for h, u in zip(space, unit.T, strict=True)], axis=1)


def each(space: Space, configs: Config | Iterable[Config] | pandas.DataFrame) -> Iterable[Config]:
    """Configurations one by one, from one of them, many, or a table with a row each.

    In a table an empty cell (NaN, or None where that is no value) says that the hyperparameter is switched off.
    """
    if isinstance(configs, Mapping):
        return [configs]
    if hasattr(configs, "to_dict") and hasattr(configs, "columns"):
        return _rows(space, cast("pandas.DataFrame", configs))
    if not isinstance(configs, Iterable):
        raise InvalidConfig(f"configurations are mappings, a list of them or a DataFrame, got {configs!r}")
    return configs


def _rows(space: Space, frame: pandas.DataFrame) -> Iterator[Config]:
    columns = {name: frame[name].tolist() for name in frame.columns}
    children = {condition.child for condition in space.conditions}
    with_none = {h.name for h in space if isinstance(h, Choice) and None in h.values}
    for row in zip(*columns.values(), strict=True):
        config = dict(zip(columns, row, strict=True))
        for name in children & config.keys():
            if _is_empty(config[name], name in with_none):
                del config[name]
        yield config


def _is_empty(cell: Value, none_is_a_value: bool) -> bool:
    if cell is None:
        return not none_is_a_value
    return type(cell).__name__ == "NAType" or (isinstance(cell, float) and math.isnan(cell))


def check_codes(space: Space, codes: np.ndarray) -> np.ndarray:
    """(n, d) codes as the space's number type; raises `InvalidConfig` for the first that is not in the space."""
    array = np.asarray(codes)
    if array.ndim != 2 or array.shape[1] != len(space) or array.dtype.kind not in "iuf":
        raise InvalidConfig(f"codes must be a number array of shape (n, {len(space)}), got {array.dtype} {array.shape}")
    low: np.ndarray = np.array([h.low if isinstance(h, Float) else 0 for h in space], dtype=space.code_type)
    high: np.ndarray = np.array([h.high if isinstance(h, Float) else h.size - 1 for h in space], dtype=space.code_type)
    if not _all_valid(space, array, low, high):
        valid = _valid(space, array, low, high)
        row, column = (int(i) for i in np.argwhere(~valid)[0])
        raise InvalidConfig(
            f"code of {space.names[column]!r} must be in {low[column]:g}..{high[column]:g}, "
            f"got {array[row, column]} in row {row}"
        )
    array = array.astype(space.code_type, copy=False)
    if space.conditional:
        _check_activity(space, array)
    if space.forbidden or space.listed is not None:
        _check_members(space, array)
    return array


def listed_codes(space: Space, listed: np.ndarray | Iterable[Config]) -> np.ndarray:
    """(n, d) read-only codes of the list of a space, which are checked; raises `InvalidSpace`."""
    try:
        codes = check_codes(space, listed) if isinstance(listed, np.ndarray) else space.encode(listed)
    except InvalidConfig as error:
        raise InvalidSpace(f"listed configuration: {error}") from None
    if not len(codes):
        raise InvalidSpace("a list of configurations must not be empty")
    codes = codes.copy()
    codes.setflags(write=False)
    return codes


def _check_activity(space: Space, array: np.ndarray) -> None:
    """Raise for the first hyperparameter with a code where it is switched off, or without one where it is not."""
    wrong = np.isnan(array) == space.active(array)
    if wrong.any():
        row, column = (int(i) for i in np.argwhere(wrong)[0])
        rule = "missing" if np.isnan(array[row, column]) else "switched off and must be NaN"
        raise InvalidConfig(f"code of {space.names[column]!r} is {rule} in row {row}, got {array[row].tolist()}")


def _check_members(space: Space, array: np.ndarray) -> None:
    """Raise for the first row that is forbidden or not listed, as `Space.codes_of` does."""
    wrong = ~space.allowed(array)
    if space.listed is not None:
        wrong |= space.numbering.missing(array)  # type: ignore[union-attr]
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        try:
            check_membership(space, array[row].tolist())
        except InvalidConfig as error:
            raise InvalidConfig(f"row {row} of the codes: {error}") from None


def _all_valid(space: Space, array: np.ndarray, low: np.ndarray, high: np.ndarray) -> bool:
    if array.dtype.kind == "f" or not len(array):
        return bool(_valid(space, array, low, high).all())
    return bool((array.min(axis=0) >= low).all() and (array.max(axis=0) <= high).all())  # spares n x d booleans


def _valid(space: Space, array: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """(n, d) whether each code is in its range, and whole where it must be; NaN where conditions allow it."""
    valid = (array >= low) & (array <= high)
    if array.dtype.kind == "f":
        valid &= (array == np.floor(array)) | ~np.isfinite(space.sizes)
        if space.conditional:
            valid |= np.isnan(array)
    return valid
