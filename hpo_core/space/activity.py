"""What conditions and clauses make of configurations that are given as codes.

Parents come before their children in a space, so one pass over the hyperparameters settles which are active.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from hpo_core.space.clauses import RELATIONS, Clause, Condition, Forbidden, has_numbers
from hpo_core.space.hyperparameters import Choice, Float, Hyperparameter, Value

if TYPE_CHECKING:
    from hpo_core.space import Space

FEW = 8  # codes up to which comparing with each is faster than `numpy.isin`
Switches = tuple[tuple[int, frozenset[float]], ...]  # columns of the parents, each with the codes that switch on


def switches(space: Space) -> tuple[Switches, ...]:
    """For each hyperparameter what must hold for it to be active, nothing for most."""
    index = {name: j for j, name in enumerate(space.names)}
    result: list[list[tuple[int, frozenset[float]]]] = [[] for _ in space]
    for child, parent, values in space.conditions:
        result[index[child]].append((index[parent], frozenset(space[parent].code(value) for value in values)))
    return tuple(map(tuple, result))


def parents(conditions: Iterable[Condition]) -> dict[str, list[tuple[str, tuple[Value, ...]]]]:
    """Names and values of the conditions on each child, by the child's name."""
    found: dict[str, list[tuple[str, tuple[Value, ...]]]] = {}
    for child, parent, values in conditions:
        found.setdefault(child, []).append((parent, values))
    return found


def complete(space: Space, config: Mapping[str, Value]) -> dict[str, Value]:
    """`config` without what the conditions switch off, and with defaults for what they switch on."""
    kept: dict[str, Value] = {}
    for h in space.hyperparameters:
        if space.is_active(h.name, kept):
            kept[h.name] = config.get(h.name, h.default)
    return kept


def is_on(needed: Switches, codes: Sequence[float]) -> bool:
    """Whether codes, those of the parents at least, switch a hyperparameter on; NaN is that of an inactive parent."""
    return all(codes[j] in wanted for j, wanted in needed)


def active(space: Space, codes: np.ndarray) -> np.ndarray:
    """(n, d) whether each hyperparameter is active, by (n, d) codes; those of inactive ones are not looked at."""
    result = np.ones(codes.shape, dtype=bool)
    for i, needed in enumerate(space.switches):
        for j, wanted in needed:
            result[:, i] &= result[:, j] & _is_one_of(codes[:, j], list(wanted))
    return result


def _is_one_of(column: np.ndarray, wanted: list[float]) -> np.ndarray:
    if len(wanted) > FEW:
        return np.isin(column, wanted)
    found = column == wanted[0]
    for code in wanted[1:]:
        found |= column == code
    return found


def switch_off(space: Space, codes: np.ndarray) -> np.ndarray:
    """(n, d) codes with NaN for what the conditions switch off, as the space's number type."""
    kept = np.where(active(space, codes), codes, np.nan) if space.conditions else codes
    return kept.astype(space.code_type)


def allowed(space: Space, codes: np.ndarray) -> np.ndarray:
    """(n,) whether no clause forbids the configurations of (n, d) codes."""
    result = np.ones(len(codes), dtype=bool)
    for clause in space.forbidden:
        result &= ~_forbidden(space, clause, codes)
    return result


def _forbidden(space: Space, clause: Clause, codes: np.ndarray) -> np.ndarray:
    """(n,) whether a clause forbids each row; a comparison with the NaN of an inactive one is false."""
    columns = dict(zip(space.names, codes.T, strict=True))
    if isinstance(clause, Forbidden):
        hits = [_is_one_of(columns[name], [space[name].code(v) for v in values]) for name, values in clause.terms]
        return np.logical_and.reduce(hits)
    sides = space[clause.left], space[clause.right]
    if not all(map(has_numbers, sides)):
        return np.array([clause.forbids(space.config_of(row)) for row in codes.tolist()], dtype=bool)
    left, right = (_numbers(h, columns[h.name]) for h in sides)
    return RELATIONS[clause.relation](left, right)


def _numbers(h: Hyperparameter, codes: np.ndarray) -> np.ndarray:
    """(n,) values of a hyperparameter whose values are numbers, NaN where the code is."""
    if isinstance(h, Choice):
        off = np.isnan(codes)
        return np.where(off, np.nan, np.array(h.values, dtype=float)[np.where(off, 0, codes).astype(np.intp)])
    return codes if isinstance(h, Float) else codes + h.low
