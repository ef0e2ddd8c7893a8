"""Configurations as the inputs of a network: checked, transformed, and laid out as its first layer takes them.

    x = budget and numeric hyperparameters, each after its transform | a 0 or 1 for each value of each category | 1

A hyperparameter that a condition switches off is what the source has for it, 0 before the transform.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import product
from typing import NamedTuple

import numpy as np

from hpo_core.errors import InvalidConfig, InvalidSpace
from hpo_core.space import Config, Space
from hpo_core.space.hyperparameters import Categorical, Float, Int
from tabular.yahpo.surrogate import NumericInput, SurrogateNetwork
from tabular.yahpo.transform import EXP, LOG


class _Read(NamedTuple):
    """How one number is read: its column in x, its name, the type and range that pass without a closer look."""

    column: int
    name: str
    kind: type
    low: float
    high: float
    inner_scale: float
    inner_shift: float
    outer_scale: float
    outer_shift: float


class _Template(NamedTuple):
    """What is known once the categories are: x but for the active numbers, and how many hyperparameters there are."""

    x: list[float]
    size: int
    affine: tuple[_Read, ...]
    logs: tuple[_Read, ...]
    exps: tuple[_Read, ...]


class InputLayout:
    """Inputs of a surrogate's network, with one of its numbers as the budget and others held fixed.

    Parameters
    ----------
    surrogate
        Of which the inputs are.
    budget
        Name of the number that is the budget.
    fixed
        Numbers that are no hyperparameters, and their values.
    """

    def __init__(self, surrogate: SurrogateNetwork, budget: str, fixed: Mapping[str, float]):
        self.space, self.fixed = surrogate.space, dict(fixed)
        by_name = {number.name: number for number in surrogate.numbers}
        self._budget = by_name[budget].transform
        self._free: list[NumericInput] = [by_name[h.name] for h in self.space if h.name in by_name]
        self.numbers = [budget, *(number.name for number in self._free)]
        self.categories = [h for h in self.space if isinstance(h, Categorical)]
        _check(self.space, self.categories, self.numbers)

    # --- one configuration -------------------------------------------------------------------------------------------

    def one(self, config: Config, budget: float) -> list[float]:
        """(D,) inputs of a configuration; raises `InvalidConfig` if it is not in the space."""
        try:
            x = self._quick(config, budget)
        except (KeyError, TypeError):
            x = None
        return self._quick(self.space.check(config), budget) if x is None else x  # type: ignore[return-value]

    def _quick(self, config: Config, budget: float) -> list[float] | None:
        """(D,) inputs of a configuration in the space's own types, None for any other."""
        template = self._templates[tuple([config[name] for name in self._category_names])]
        if len(config) != template.size:
            return None
        x = template.x.copy()
        x[0] = self._budget.one(budget)
        for i, name, kind, low, high, a, b, _, _ in template.affine:
            value = config[name]
            if value.__class__ is not kind or not low <= value <= high:  # type: ignore[operator]
                return None
            x[i] = a * value + b  # type: ignore[operator]
        for function, reads in ((math.log, template.logs), (math.exp, template.exps)):
            for i, name, kind, low, high, a, b, c, d in reads:
                value = config[name]
                if value.__class__ is not kind or not low <= value <= high:  # type: ignore[operator]
                    return None
                x[i] = c * function(a * value + b) + d  # type: ignore[operator]
        return x

    @cached_property
    def _category_names(self) -> list[str]:
        return [category.name for category in self.categories]

    @cached_property
    def _templates(self) -> dict[tuple, _Template]:
        """By the values of the categories."""
        each = product(*(category.values for category in self.categories))
        return {values: self._template(dict(zip(self._category_names, values, strict=True))) for values in each}

    def _template(self, chosen: dict[str, object]) -> _Template:
        x = [0.0, *(number.transform.one(number.absent) for number in self._free)]
        x += [float(chosen[category.name] == value) for category in self.categories for value in category.values]
        active = [(i, n) for i, n in enumerate(self._free, start=1) if self.space.is_active(n.name, chosen)]
        reads = [(number.transform.function, self._read(i, number)) for i, number in active]
        of = {f: tuple(read for function, read in reads if function == f) for f in (LOG, EXP)}
        affine = tuple(read for function, read in reads if function not in (LOG, EXP))
        return _Template([*x, 1.0], len(chosen) + len(active), affine, of[LOG], of[EXP])

    def _read(self, index: int, number: NumericInput) -> _Read:
        h, t = self.space[number.name], number.transform
        low, high = (h.low, h.high) if isinstance(h, (Float, Int)) else (math.inf, -math.inf)
        kind = float if isinstance(h, Float) else int
        scales = (t.inner_scale, t.inner_shift, t.outer_scale, t.outer_shift)
        return _Read(index, number.name, kind, low, high, *scales)

    # --- many configurations -----------------------------------------------------------------------------------------

    def many(self, codes: np.ndarray, budget: float | np.ndarray) -> np.ndarray:
        """(n, D) inputs of (n, d) codes as float32; the budget is one for all, or (n,)."""
        self._check_active(codes)
        columns = dict(zip(self.space.names, codes.T, strict=True))
        budgets = np.broadcast_to(np.asarray(budget, dtype=float), len(codes))
        x = [self._budget.many(budgets)]
        x += [self._column(number, columns[number.name]) for number in self._free]
        for category in self.categories:
            x += [columns[category.name] == code for code in range(category.size)]
        return np.stack([*x, np.ones(len(codes))], axis=1, dtype=np.float32, casting="unsafe")

    def _column(self, number: NumericInput, codes: np.ndarray) -> np.ndarray:
        h = self.space[number.name]
        values = codes + h.low if isinstance(h, Int) else codes
        return number.transform.many(np.where(np.isnan(values), number.absent, values))

    def _check_active(self, codes: np.ndarray) -> None:
        """Raise `InvalidConfig` unless exactly the hyperparameters that the conditions switch off are NaN."""
        columns = dict(zip(self.space.names, codes.T, strict=True))
        for name, column in columns.items():
            active = np.ones(len(codes), dtype=bool)
            for child, parent, values in self.space.conditions:
                if child == name:
                    active &= np.isin(columns[parent], [self.space[parent].code(value) for value in values])
            wrong = np.isnan(column) == active
            if wrong.any():
                row = int(np.argmax(wrong))
                rule = "is active and must have a value" if active[row] else "is switched off and must be NaN"
                raise InvalidConfig(f"code of {name!r} {rule}, got {column[row]} in row {row}")


def _check(space: Space, categories: Sequence[Categorical], numbers: Sequence[str]) -> None:
    """Raise `InvalidSpace` for what has no place in the layout."""
    known = {category.name for category in categories}
    for name in space.names:
        if name not in known and name not in numbers:
            raise InvalidSpace(f"hyperparameter {name!r} is no input of the network")
    for child, parent, _ in space.conditions:
        if child in known or parent not in known:
            raise InvalidSpace(f"a condition must switch a number by a category, got {child!r} by {parent!r}")
