"""`RecordedRun`: a run that went on to its end, to replay stopping criteria on; and which runs a file holds.

A file's runs are listed first, by name and seed, and read one by one when they are wanted:

    hpo_leaderboard.stopping.trial_tables   tables of trials: CSV, Parquet, data frames
    hpo_leaderboard.stopping.run_sources    stores, and runs that `hpo run --out` wrote
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from hpo_core import Benchmark, Categorical, Constant, Float, Int, Space, Trial
from hpo_core.errors import HpoError
from hpo_core.names import needs_import
from hpo_core.space.hyperparameters import Hyperparameter

RUN = ["benchmark", "optimizer", "seed"]


class RecordedRun(NamedTuple):
    """A run that went on to its end.

    benchmark, optimizer, seed   what it was
    space                        what it searched
    trials                       in their order of completion, fold losses in `info["folds"]`
    validation                   (n,) validation loss of each trial, without noise where that is known
    test                         (n,) test loss of each trial, NaN where it was not recorded
    optimum                      lowest possible loss, NaN where it is not known
    reference_bounds             (n,) bounds that were recorded, entry t on the first t trials; None if there are none
    """

    benchmark: str
    optimizer: str
    seed: int
    space: Space
    trials: tuple[Trial, ...]
    validation: np.ndarray
    test: np.ndarray
    optimum: float
    reference_bounds: np.ndarray | None = None


class ListedRun(NamedTuple):
    """A run of a file, by name and seed, and a function that reads it."""

    benchmark: str
    optimizer: str
    seed: int
    read: Callable[[], RecordedRun]


class OpenBenchmarks:
    """Benchmarks by name, each opened once, None where there is none of that name.

    The names come from files, so `MODULE:ATTRIBUTE` is never imported.
    """

    def __init__(self) -> None:
        self._known: dict[str, Benchmark | None] = {}

    def __call__(self, name: str) -> Benchmark | None:
        if name not in self._known:
            try:
                self._known[name] = None if needs_import(name) else Benchmark(name)
            except HpoError:
                self._known[name] = None
        return self._known[name]

    def optimum(self, name: str) -> float:
        """Lowest possible loss, NaN where it is not known."""
        benchmark = self(name)
        return math.nan if benchmark is None or benchmark.optimum is None else benchmark.optimum

    def space_of(self, name: str, config: Mapping[str, Any]) -> Space | None:
        """Space of a benchmark, None if there is none of that name or if the configuration is not in its space."""
        benchmark = self(name.split(" ")[0])  # a store adds a checksum where it holds two tables of one name
        try:
            if benchmark is not None:
                benchmark.space.check(config)
                return benchmark.space
        except HpoError:
            pass  # such as a table of the paper, which has indices in place of values
        return None


def validation_losses(trials: Sequence[Trial], exact: np.ndarray) -> np.ndarray:
    """(n,) the noise-free losses if they are known for all trials that did not fail, else the observed losses."""
    observed = np.array([trial.loss for trial in trials], dtype=float)
    known = np.isfinite(exact) | ~np.isfinite(observed)
    return np.where(np.isfinite(observed), exact, observed) if known.all() else observed


def spanned_space(values: Mapping[str, Iterable[Any]]) -> Space:
    """Space whose hyperparameters have the ranges, or the choices, that the values of each span."""
    return Space([_hyperparameter(name, set(seen)) for name, seen in values.items()])


def _hyperparameter(name: str, values: set[Any]) -> Hyperparameter:
    if len(values) == 1:
        return Constant(name, next(iter(values)))
    numbers = all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values)
    if not numbers:
        return Categorical(name, sorted(values, key=str))
    if all(isinstance(value, int) for value in values):
        return Int(name, min(values), max(values))
    return Float(name, min(values), max(values))
