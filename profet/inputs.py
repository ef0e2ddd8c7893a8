"""`Inputs`: configurations as the inputs of a network, with about zero mean and unit variance over a uniform sample.

    float, int, ordinal     one column: its position in the unit interval minus 1/2, times sqrt(12)
    categorical             a column per value, 1 or 0
    budget                  if a task has several, two more columns: log budget and budget, scaled in the same way

If a hyperparameter `lr_schedule` has the value `cosine`, a share u of the full budget counts as u + sin(pi u) / pi,
which is proportional to the sum of the learning rates until then: so its curves flatten at the end, as in training.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from hpo_core.errors import UnsupportedSpace
from hpo_core.space import Space
from hpo_core.space.hyperparameters import Choice, Float, Hyperparameter, Int

WIDTH = math.sqrt(12.0)  # of a uniform variable with unit variance


class Inputs:
    """Translation of codes (n, d) of a space without conditions to inputs (n, width)."""

    def __init__(self, space: Space, budgets: Sequence[float] = (1,)):
        if space.conditional:
            raise UnsupportedSpace("a meta-model needs the same hyperparameters in every configuration: no conditions")
        numeric = [(j, h) for j, h in enumerate(space) if not _is_categorical(h)]
        self.sizes = [(j, int(h.size)) for j, h in enumerate(space) if _is_categorical(h)]
        self._columns = [j for j, _ in numeric]
        self.numeric = np.array(self._columns, dtype=int)
        self._all_numeric = not self.sizes
        lines = np.array([_line(h) for _, h in numeric]).reshape(-1, 4)
        self._logarithmic = lines[:, 0] > 0
        self._any_logarithmic = bool(self._logarithmic.any())
        self._lines = [(bool(line[0]), *line[1:].tolist()) for line in lines]
        self._shift, self._factor, self._offset = lines[:, 1], lines[:, 2], lines[:, 3]
        self._ends = float(budgets[0]), float(budgets[-1])
        self._of_budget: dict[float, tuple[np.ndarray, np.ndarray]] = {}
        self._cosine = _cosine_column(space, len(numeric))
        self.width = len(numeric) + sum(size for _, size in self.sizes)

    def __call__(self, codes: np.ndarray) -> np.ndarray:
        """(n, width) inputs of codes (n, d)."""
        values = (codes if self._all_numeric else codes[..., self.numeric]) + self._shift
        if self._any_logarithmic:
            values[..., self._logarithmic] = np.log(values[..., self._logarithmic])
        values *= self._factor
        values += self._offset
        if self._all_numeric:
            return values
        return np.concatenate([values, *(np.eye(n)[codes[..., j].astype(int)] for j, n in self.sizes)], axis=-1)

    def one(self, codes: Sequence[float]) -> np.ndarray:
        """(width,) inputs of the codes of one configuration, without the overhead of arrays of a few numbers."""
        pairs = zip(codes if self._all_numeric else [codes[j] for j in self._columns], self._lines, strict=True)
        values = [(math.log(c + shift) if log else c) * f + o for c, (log, shift, f, o) in pairs]
        for j, size in self.sizes:
            columns = [0.0] * size
            columns[int(codes[j])] = 1.0
            values += columns
        return np.array(values)

    def from_unit(self, unit: np.ndarray) -> np.ndarray:
        """(n, width) inputs of points of the unit cube, which are not moved to the middle of their cells."""
        self.require_numeric()
        return WIDTH * (np.asarray(unit, dtype=float) - 0.5)

    def require_numeric(self) -> None:
        """Raise `UnsupportedSpace` if there are categoricals, which have no gradient."""
        if not self._all_numeric:
            raise UnsupportedSpace("a task has gradients only where no hyperparameter is categorical")

    def at_budgets(self, codes: np.ndarray, budgets: Sequence[float]) -> np.ndarray:
        """(n, B, width) inputs of codes (n, d) at each of B budgets."""
        x = self(codes)
        return np.stack([self.with_budget(x, budget) for budget in budgets], axis=1)

    def with_budget(self, x: np.ndarray, budget: float) -> np.ndarray:
        """Inputs x (..., width) of configurations, and behind them those of a budget if there are several."""
        low, high = self._ends
        if high == low:
            return x
        plain, annealed = self._of_budget.get(budget) or self._budget_inputs(budget)
        if x.ndim == 1:
            return np.concatenate([x, annealed if self._cosine is not None and x[self._cosine] > 0 else plain])
        columns = np.broadcast_to(plain, (*x.shape[:-1], 2))
        if self._cosine is not None:
            columns = np.where(x[..., self._cosine, None] > 0, annealed, columns)
        return np.concatenate([x, columns], axis=-1)

    def _budget_inputs(self, budget: float) -> tuple[np.ndarray, np.ndarray]:
        """(2,) inputs of a budget, and those under a cosine; kept, since most evaluations have one of a few budgets."""
        high = self._ends[1]
        share = budget / high
        annealed = self._scaled(high * (share + math.sin(math.pi * share) / math.pi))
        return self._of_budget.setdefault(budget, (self._scaled(budget), annealed))

    def _scaled(self, budget: float) -> np.ndarray:
        low, high = self._ends
        shares = math.log(budget / low) / math.log(high / low), (budget - low) / (high - low)
        return WIDTH * (np.array(shares) - 0.5)


def _cosine_column(space: Space, n_numeric: int) -> int | None:
    """Index of the column that is 1 if the learning rate falls to 0 along a cosine; None without such a column."""
    column = n_numeric
    for h in space:
        if isinstance(h, Choice) and _is_categorical(h):
            if h.name == "lr_schedule" and "cosine" in h.values:
                return column + h.values.index("cosine")
            column += h.size
    return None


def _is_categorical(h: Hyperparameter) -> bool:
    return isinstance(h, Choice) and h.kind != "ordinal"


def _line(h: Hyperparameter) -> tuple[bool, float, float, float]:
    """Whether it is logarithmic, and shift, factor and offset: input = factor log(code + shift) + offset, or linear."""
    logarithmic = isinstance(h, (Float, Int)) and h.log
    shift = float(h.low) if isinstance(h, Int) and logarithmic else 0.0  # only logarithms are shifted
    ends = np.array([h.low, h.high]) if isinstance(h, Float) else np.array([0.0, max(h.size - 1, 1)])
    units = np.asarray(h.to_unit(ends), dtype=float)
    values = np.log(ends + shift) if logarithmic else ends + shift
    factor = WIDTH * float((units[1] - units[0]) / (values[1] - values[0]))
    return logarithmic, shift, factor, WIDTH * (float(units[0]) - 0.5) - factor * float(values[0])
