"""Recorded runs of a table with one row per trial: a CSV or Parquet file, or a data frame.

What `hpo store export` writes is one. Its columns are

    benchmark, seed, step, loss, cost (seconds)
    optimizer               what was run (optional); columns `algo` and `method` are joined with it
    config                  JSON object; or instead of it one column `hp_NAME` per hyperparameter
    folds                   JSON list of fold losses; or one column `fold_I` per fold (optional)
    test, exact             test loss, and validation loss without noise (optional)
    budget, start, end, worker, failed   as in a store (optional)
    reference_bound         a bound on the regret that was recorded before that step (optional)

`dataset` and `iteration` are read as `benchmark` and `step`.

The space of a run is that of the benchmark of its name, if the configurations lie in it. Else it is read off: runs with
the same hyperparameters share one, with the range that the values of all runs of the table span.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_core import Proposal, Result, Space, Trial
from hpo_core.errors import InvalidOption
from hpo_leaderboard.stopping.recorded_runs import (
    RUN,
    ListedRun,
    OpenBenchmarks,
    RecordedRun,
    spanned_space,
    validation_losses,
)
from hpo_leaderboard.stopping.trial_columns import checked, configs_in, folds_in

if TYPE_CHECKING:
    import pandas

NEEDED = ("benchmark", "seed", "step", "loss", "cost")
OTHER_NAMES = {"dataset": "benchmark", "iteration": "step"}
JOINED = ("algo", "optimizer", "method")  # columns that together say what was run


def runs_of_table(table: pandas.DataFrame) -> list[RecordedRun]:
    """Runs of a table, sorted by benchmark, optimizer and seed."""
    return [run.read() for run in list_table(table)]


def list_table(table: pandas.DataFrame) -> list[ListedRun]:
    """Runs of a table, sorted by benchmark, optimizer and seed, each read when it is wanted."""
    table = with_run_columns(table)
    missing = [column for column in NEEDED if column not in table]
    if missing or ("config" not in table and not _columns(table, "hp_")):
        raise InvalidOption(
            f"a table of runs needs the columns {', '.join(NEEDED)} and config (or hp_NAME columns); "
            f"missing: {', '.join(missing) or 'config'}"
        )
    table = checked(table)
    order = "end" if "end" in table else "step"
    table = table.sort_values([*RUN, order], kind="stable").reset_index(drop=True)
    rows_of = TableRows(table, OpenBenchmarks())
    listed = []
    key: Any
    for key, indices in table.groupby(RUN, sort=False).indices.items():
        name = (str(key[0]), str(key[1]), int(key[2]))
        listed.append(ListedRun(*name, partial(rows_of.read, *name, np.asarray(indices))))
    return listed


def with_run_columns(table: pandas.DataFrame) -> pandas.DataFrame:
    """The table with the columns benchmark, optimizer and step, where it has them under other names."""
    table = table.rename(columns={old: new for old, new in OTHER_NAMES.items() if new not in table})
    joined = [column for column in JOINED if column in table]
    if len(joined) == 1:
        return table.assign(optimizer=table[joined[0]].astype(str))
    return table.assign(optimizer=table[joined].astype(str).agg(" ".join, axis=1) if joined else "")


class TableRows:
    """Runs of a table whose rows are numbered 0, 1, ... and ordered by run and completion."""

    def __init__(self, table: pandas.DataFrame, benchmarks: OpenBenchmarks):
        self._table = table
        self._benchmarks = benchmarks
        self._spanned: dict[frozenset[str], Space] | None = None

    def read(self, benchmark: str, optimizer: str, seed: int, indices: np.ndarray) -> RecordedRun:
        """The run in some rows.

        Parameters
        ----------
        benchmark, optimizer, seed
            What it was.
        indices
            Of its rows.
        """
        rows = self._table.iloc[indices]
        configs = configs_of(rows)
        trials = _trials(rows, configs)
        unknown = np.full(len(rows), np.nan)
        exact, test = (rows[name].to_numpy(dtype=float) if name in rows else unknown for name in ("exact", "test"))
        return RecordedRun(
            benchmark,
            optimizer,
            seed,
            self._space(benchmark, configs[0]),
            trials,
            validation_losses(trials, exact),
            test,
            self._benchmarks.optimum(benchmark),
            rows["reference_bound"].to_numpy(dtype=float) if "reference_bound" in rows else None,
        )

    def _space(self, benchmark: str, config: Mapping[str, Any]) -> Space:
        space = self._benchmarks.space_of(benchmark, config)
        if space is not None:
            return space
        if self._spanned is None:
            self._spanned = _spanned(self._table)
        return self._spanned[frozenset(config)]


def _columns(table: pandas.DataFrame, beginning: str) -> list[str]:
    return [str(column) for column in table.columns if str(column).startswith(beginning)]


def configs_of(table: pandas.DataFrame) -> list[dict[str, Any]]:
    """Configuration of each row."""
    if "config" in table:
        return configs_in(table["config"].tolist())
    columns = _columns(table, "hp_")
    values = [table[column].tolist() for column in columns]
    names = [column.removeprefix("hp_") for column in columns]
    return [dict(zip(names, row, strict=True)) for row in zip(*values, strict=True)]


def _spanned(table: pandas.DataFrame) -> dict[frozenset[str], Space]:
    """Space of all configurations with the same names, by these names."""
    if "config" not in table:
        values = {column.removeprefix("hp_"): table[column].unique().tolist() for column in _columns(table, "hp_")}
        return {frozenset(values): spanned_space(values)}
    seen: dict[frozenset[str], dict[str, set[Any]]] = {}
    for config in configs_in(table["config"].unique().tolist()):
        values_of = seen.setdefault(frozenset(config), {name: set() for name in config})
        for name, value in config.items():
            values_of[name].add(value)
    return {names: spanned_space(values_of) for names, values_of in seen.items()}


def _trials(rows: pandas.DataFrame, configs: Sequence[Mapping[str, Any]]) -> tuple[Trial, ...]:
    """Trials of a run; without a column `start` they follow each other, without `budget` all have the same."""
    losses, costs = rows["loss"].to_numpy(dtype=float), rows["cost"].to_numpy(dtype=float)
    costs = np.where(np.isfinite(costs), costs, 0.0)
    after_each_other = np.concatenate([[0.0], np.cumsum(costs)[:-1]])
    optional: dict[str, Any] = {"start": after_each_other, "budget": 1, "worker": 0, "failed": False}
    values = rows.assign(**{name: value for name, value in optional.items() if name not in rows})
    failed = ~np.isfinite(losses) | values["failed"].to_numpy(dtype=bool)
    folds = _folds(rows)
    columns = [values[name].tolist() for name in ("step", "budget", "worker", "start")]
    trials = []
    for i, (config, step, budget, worker, start) in enumerate(zip(configs, *columns, strict=True)):
        loss = math.inf if failed[i] else float(losses[i])
        result = Result(loss, float(costs[i]), budget, {} if folds is None else {"folds": folds[i]})
        failure = f"loss was {float(losses[i])!r}" if failed[i] else None
        trials.append(Trial(Proposal(config, budget), result, step, None, worker, start, failure=failure))
    return tuple(trials)


def _folds(rows: pandas.DataFrame) -> list[list[float]] | None:
    if "folds" in rows:
        return folds_in(rows["folds"])
    columns = _columns(rows, "fold_")
    return rows[columns].to_numpy(dtype=float).tolist() if columns else None
