"""`Table`: every configuration of a finite space with its recorded numbers, as arrays.

A column is an array whose first axis is the configuration, by its index in `space.numbering`:

    (config,)                        the same for every repetition, such as `n_params`
    (config, repetition)             one number per training; `cost` at the full budget, `test_loss`
    (config, repetition, budget)     a learning curve

A training that diverged has an infinite loss: an evaluation of it fails in a run, and no score or optimum counts it.

A column `mean_NAME` (config,) is the mean of column NAME over all repetitions, known for configurations where NAME
itself may not be recorded for each of them; NaN elsewhere.

`loss` and `cost` (seconds) are required. A configuration with fewer repetitions than the others is padded with NaN.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_core.errors import InvalidOption, NotRecorded, UnsupportedSpace, nearest
from hpo_core.space import Space

if TYPE_CHECKING:
    import pandas


MEAN = "mean_"
WRONG_CLASSES = "share of wrong classes"  # unit of the losses of a classification


@dataclass(frozen=True, eq=False)
class Table:
    """Recorded numbers of every configuration.

    Attributes
    ----------
    columns
        Arrays by name, see the module's docstring.
    units
        Unit of each column, in words.
    budgets
        Ascending; the third axis of the curves. One budget for a table of final values.
    budget_unit
        Unit of a budget, such as "epochs".
    provenance
        Origin of the numbers.
    resumable
        Whether a larger budget continues a training, as epochs do; subsets of the training set do not.
    """

    name: str
    space: Space
    columns: Mapping[str, np.ndarray]
    units: Mapping[str, str]
    budgets: Sequence[float]
    budget_unit: str
    provenance: Mapping[str, Any]
    resumable: bool = True

    def __post_init__(self) -> None:
        n, n_repetitions, n_budgets = self.space.numbering.size, self.n_repetitions, len(self.budgets)
        for name, array in self.columns.items():
            if array.shape not in ((n,), (n, n_repetitions), (n, n_repetitions, n_budgets)):
                raise InvalidOption(
                    f"column {name!r} of table {self.name!r} must have the axes config ({n}), repetition "
                    f"({n_repetitions}) and budget ({n_budgets}), from the first on; got shape {array.shape}"
                )
            if name not in self.units:
                raise InvalidOption(f"column {name!r} of table {self.name!r} needs a unit")
        if n_budgets > 1 and self.columns["loss"].ndim != 3:
            raise InvalidOption(f"table {self.name!r} has several budgets, so its loss needs the axis budget")

    @property
    def n_repetitions(self) -> int:
        for required in ("loss", "cost"):
            if required not in self.columns or self.columns[required].ndim < 2:
                raise InvalidOption(f"table {self.name!r} needs a column {required!r} per config and repetition")
        return self.columns["loss"].shape[1]

    def column(self, name: str) -> np.ndarray:
        """A column by name; raises `NotRecorded` if the table lacks it."""
        try:
            return self.columns[name]
        except KeyError:
            known = ", ".join(self.columns)
            raise NotRecorded(
                f"table {self.name!r} has no column {name!r}{nearest(name, self.columns)}; it has {known}"
            ) from None

    def values(self, name: str, budget: float | None = None) -> np.ndarray:
        """(config, repetition) numbers of a column at a budget, the full one by default, as float64."""
        array = self.column(name)
        if array.ndim == 1:
            return np.broadcast_to(np.asarray(array, dtype=float)[:, None], (len(array), self.n_repetitions))
        if array.ndim == 2:
            if budget is not None and budget != self.budgets[-1] and name != "cost":
                raise NotRecorded(f"column {name!r} of table {self.name!r} is recorded at {self.budgets[-1]} only")
            share = 1.0 if budget is None else budget / self.budgets[-1]
            return np.asarray(array, dtype=float) * (share if name == "cost" else 1.0)
        return np.asarray(array[:, :, self._budget_index(budget)], dtype=float)

    def mean(self, name: str, budget: float | None = None) -> np.ndarray:
        """(config,) mean of a column over the recorded repetitions, at a budget."""
        mean = repetition_mean(self.values(name, budget))
        whole = self.columns.get(f"{MEAN}{name}")
        return mean if whole is None else np.where(np.isnan(whole), mean, whole)

    def _budget_index(self, budget: float | None) -> int:
        if budget is None:
            return len(self.budgets) - 1
        if budget not in self.budgets:
            raise NotRecorded(f"table {self.name!r} has no budget {budget!r}")
        return self.budgets.index(budget)

    def require_grid(self, what: str) -> None:
        """Raise `UnsupportedSpace` for a table of listed configurations, which `what` cannot be computed from."""
        if self.space.listed is not None:
            raise UnsupportedSpace(
                f"{what} needs a table of every combination of values, and {self.name!r} holds "
                f"{len(self.space.listed):,} listed configurations; distributions, noise and rank correlations are "
                "known for it, see `hpo table stats`"
            )

    @cached_property
    def repetition_counts(self) -> np.ndarray | None:
        """(config,) number of recorded repetitions, None if every configuration has all."""
        missing = np.isnan(self.columns["loss"]) if self.columns["loss"].ndim == 2 else np.zeros((1, 1), dtype=bool)
        return None if not missing.any() else (~missing).sum(axis=1)

    def configs(self) -> pandas.DataFrame:
        """The configurations, one row each, in the order of their indices."""
        import pandas as pd

        codes = self.space.numbering.codes(np.arange(self.space.numbering.size))
        return pd.DataFrame({h.name: [h.value(c) for c in codes[:, i].tolist()] for i, h in enumerate(self.space)})

    def frame(self, budget: float | None = None) -> pandas.DataFrame:
        """The configurations with the mean of every column at a budget."""
        frame = self.configs()
        for name, array in self.columns.items():
            if budget is None or budget == self.budgets[-1] or array.ndim != 2 or name == "cost":
                frame[name] = self.mean(name, budget)
        return frame


def repetition_mean(values: np.ndarray) -> np.ndarray:
    """(n,) mean over the second axis without its NaN padding.

    The sum always starts from the first repetition, so that a single lookup and a batch agree in the last bit.
    """
    total = np.zeros(len(values))
    count = np.zeros(len(values))
    for column in np.asarray(values, dtype=float).T:
        present = ~np.isnan(column)
        total += np.where(present, column, 0.0)
        count += present
    with np.errstate(invalid="ignore"):  # 0 / 0 is NaN, where nothing was recorded
        return total / count
