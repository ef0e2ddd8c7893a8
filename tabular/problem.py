"""A table as a `Problem`: lookups in microseconds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from hpo_core.errors import HpoError, InvalidBudget, InvalidOption, NotRecorded
from hpo_core.problems.problem import Batch, Result
from hpo_core.space import Config
from tabular.table import MEAN, Table, repetition_mean

# One number, or many, of a column: configuration i, repetition r (one more than the last, or None: the mean), budget k.
Reader = Callable[[int, int, int], float]
Gather = Callable[[np.ndarray, np.ndarray | None, int], np.ndarray]


class TableProblem:
    """Lookup of recorded evaluations.

    `seed=None` gives the mean over the repetitions, an int the repetition `seed % n_repetitions`; loss, cost and info
    come from the same repetition. With `metric`, another recorded column is the loss. A test loss that is not recorded
    is left out of `info`, which names it under `not_recorded`.
    """

    validates = True
    noise_free_is_cheap = True

    def __init__(self, table: Table, metric: str = "loss"):
        self.table = table
        self.name = table.name if metric == "loss" else f"{table.name},metric={metric}"
        self.space = table.space
        self.resumable = table.resumable
        self.metric = metric
        self._index = table.space.numbering.index
        self._indices = table.space.numbering.indices_of_checked
        self._n = table.n_repetitions
        self._counts = table.repetition_counts
        self.budgets = _budgets_of(table, metric)
        self._last = len(table.budgets) - 1
        self._budget_index = {budget: table.budgets.index(budget) for budget in self.budgets}
        readers = {name: _reader(table, name) for name in table.columns}
        self._loss, self._gather_loss = readers[metric]
        self._cost, self._gather_cost = readers["cost"]
        self._final_info: list[tuple[str, Reader]] = []
        self._info: list[tuple[str, Reader]] = []
        self._partly_recorded: list[tuple[str, Reader]] = []
        for name in sorted(readers.keys() - {metric, "cost"}):
            if name.startswith(MEAN):
                continue
            if f"{MEAN}{name}" in table.columns:
                self._partly_recorded.append((name, readers[name][0]))
                continue
            self._final_info.append((name, readers[name][0]))
            if table.columns[name].ndim != 2:  # final values do not hold at an earlier budget
                self._info.append((name, readers[name][0]))

    def evaluate(self, config: Config, budget: float, seed: int | None) -> Result:
        index = self._index(config)
        k = self._budget_index[budget]
        if seed is None:
            repetition = self._n  # the readers have the mean after the last repetition
        elif self._counts is None:
            repetition = seed % self._n
        else:
            repetition = seed % int(self._counts[index])
        info: dict[str, Any] = {}
        for name, read in self._final_info if k == self._last else self._info:
            info[name] = read(index, repetition, k)
        if self._partly_recorded and k == self._last:
            for name, read in self._partly_recorded:
                value = read(index, repetition, k)
                if value == value:
                    info[name] = value
                else:
                    info["not_recorded"] = name
        return Result(self._loss(index, repetition, k), self._cost(index, repetition, k), budget, info)

    def evaluate_batch(self, codes: np.ndarray, budget: float, seeds: np.ndarray | None) -> Batch:
        indices = self._indices(codes)
        k = self._budget_index[budget]
        repetitions = None
        if seeds is not None:
            counts = self._n if self._counts is None else self._counts[indices]
            repetitions = (seeds % np.asarray(counts, dtype=seeds.dtype)).astype(np.intp)
        return self._gather_loss(indices, repetitions, k), self._gather_cost(indices, repetitions, k)

    def curve(self, config: Config, metric: str | None = None, *, seed: int | None = None) -> np.ndarray:
        """(budgets,) learning curve of a configuration, of the loss or another metric: the mean, or one repetition."""
        metric = self.metric if metric is None else metric
        array = self.table.column(metric)
        if array.ndim != 3:
            raise NotRecorded(f"{metric!r} of {self.name!r} has no learning curve. {ways_out(self.table)}")
        index = self._index(config)
        rows = np.asarray(array[index], dtype=float)
        if seed is None:
            return repetition_mean(rows.T)
        return rows[seed % (self._n if self._counts is None else int(self._counts[index]))]

    @cached_property
    def optimum(self) -> float:
        """Lowest mean loss at the full budget."""
        known = self.table.provenance.get("optimum", {}).get(self.metric)
        return float(np.nanmin(self.table.mean(self.metric))) if known is None else known

    def best(self) -> dict[str, Any]:
        """Configuration with the lowest mean loss at the full budget."""
        return self.space.numbering.config(int(np.nanargmin(self.table.mean(self.metric))))

    @property
    def provenance(self) -> Mapping[str, Any]:
        return self.table.provenance

    def explain_budget(self, budget: object) -> HpoError:
        """The exception for a budget that the table does not hold."""
        table, last = self.table, self.table.budgets[-1]
        if len(self.budgets) == 1 and isinstance(budget, (int, float)) and 0 < budget < last:
            return NotRecorded(
                f"budget of {self.name!r} must be {last} (None for the full budget), got {budget!r}; "
                f"its numbers were recorded after {last} {table.budget_unit} only. {ways_out(table)}"
            )
        first = self.budgets[0]
        allowed = f"one of {first}..{last}" if len(self.budgets) > 1 else f"{last}"
        return InvalidBudget(
            f"budget must be {allowed}, got {budget!r}; {self.name!r} was trained for {last} {table.budget_unit}"
        )


WAYS_OUT = (
    "Three ways out: (1) `hpo table import FILE --replace` with the original HDF5 file, which has learning curves and "
    "test losses; (2) a benchmark that has them, a `mini-*` table; (3) train your own table, `hpo table train`"
)
LISTED_WAYS_OUT = (
    "Two ways out: (1) a benchmark that has them, `taskset/0` or a `mini-*` table; (2) a table of your own results, "
    "`hpo table import results.csv --budget COLUMN`"
)


def ways_out(table: Table) -> str:
    """What to do about a budget or a metric that a table does not hold."""
    return WAYS_OUT if table.space.listed is None else LISTED_WAYS_OUT


def _budgets_of(table: Table, metric: str) -> Sequence[float]:
    """Budgets at which the table has a metric."""
    if metric not in table.columns:
        raise NotRecorded(f"table {table.name!r} has no {metric!r}, only {', '.join(table.columns)}. {ways_out(table)}")
    array = table.columns[metric]
    if f"{MEAN}{metric}" in table.columns:
        share = 1.0 - np.isnan(table.mean(metric)).mean()
        raise NotRecorded(
            f"{metric!r} of table {table.name!r} is recorded for {share:.0%} of its configurations, so it cannot be "
            f"the loss; `Result.info` has it where it is. {ways_out(table)}"
        )
    if array.ndim == 1:
        raise InvalidOption(f"metric must depend on the training, {metric!r} of table {table.name!r} does not")
    return table.budgets if array.ndim == 3 else tuple(table.budgets[-1:])


def _reader(table: Table, name: str) -> tuple[Reader, Gather]:
    """Functions that read one number, and many, of a column."""
    array = table.columns[name]
    if array.ndim == 3:
        return _curve_reader(array)
    if array.ndim == 1:
        return _constant_reader(array)
    values = table.values(name)
    with_mean = np.column_stack([values, table.mean(name)])
    if name == "cost" and len(table.budgets) > 1:
        return _proportional_reader(with_mean, np.asarray(table.budgets, dtype=float) / table.budgets[-1])
    return _final_reader(with_mean)


def _final_reader(with_mean: np.ndarray) -> tuple[Reader, Gather]:
    width = with_mean.shape[1]
    flat = np.ascontiguousarray(with_mean).reshape(-1).data  # a memoryview gives Python floats, and faster

    def read(i: int, r: int, k: int) -> float:
        return flat[i * width + r]

    def gather(i: np.ndarray, r: np.ndarray | None, k: int) -> np.ndarray:
        return with_mean[i, width - 1 if r is None else r]

    return read, gather


def _proportional_reader(with_mean: np.ndarray, shares: np.ndarray) -> tuple[Reader, Gather]:
    """For the cost of a training of which only the total was measured: every epoch takes the same time."""
    read_full, gather_full = _final_reader(with_mean)
    share = shares.tolist()
    return lambda i, r, k: read_full(i, r, k) * share[k], lambda i, r, k: gather_full(i, r, k) * share[k]


def _constant_reader(array: np.ndarray) -> tuple[Reader, Gather]:
    flat = np.ascontiguousarray(array).data
    return lambda i, r, k: flat[i], lambda i, r, k: array[i]


def _curve_reader(array: np.ndarray) -> tuple[Reader, Gather]:
    """Reads from the array without a copy, since it may be a file of hundreds of megabytes."""
    _, n, n_budgets = array.shape
    flat = array.reshape(-1).data

    def read(i: int, r: int, k: int) -> float:
        start = i * n * n_budgets + k
        if n == 1:
            return flat[start]
        if r < n:
            return flat[start + r * n_budgets]
        values = flat[start : (i + 1) * n * n_budgets : n_budgets].tolist()
        total = 0.0
        for value in values:  # not sum(), which in newer Pythons rounds in another way than `repetition_mean`
            total += value
        return total / n if total == total else repetition_mean(np.array([values])).item()  # NaN: not recorded

    def gather(i: np.ndarray, r: np.ndarray | None, k: int) -> np.ndarray:
        if r is None:
            return repetition_mean(array[i, :, k])
        return array[i, r, k].astype(float)

    return read, gather
