"""Recorded runs to replay stopping criteria on, from a table of trials or from a store.

A table is a CSV file (also compressed) or a data frame with one row per trial. What `hpo store export` writes is one.
Its columns are

    benchmark, seed, step, loss, cost (seconds)
    optimizer               what was run (optional); columns `algo` and `method` are joined with it
    config                  JSON object; or instead of it one column `hp_NAME` per hyperparameter
    folds                   JSON list of fold losses; or one column `fold_I` per fold (optional)
    test                    test loss (optional; else `exact`, the noise-free loss, or the validation loss is taken)
    budget, start, end, worker, failed   as in a store (optional)
    reference_bound         a bound on the regret that was recorded before that step (optional)

`dataset` and `iteration` are read as `benchmark` and `step`.

The space of a table's runs is read off their configurations: runs with the same hyperparameters share one, with the
range that the values of all of them span.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hpo_core import Benchmark, Categorical, Constant, Float, Int, Proposal, Result, Space, Trial
from hpo_core.errors import DamagedFile, HpoError, InvalidOption
from hpo_core.space.hyperparameters import Hyperparameter

if TYPE_CHECKING:
    import pandas

RUN = ["benchmark", "optimizer", "seed"]
NEEDED = ("benchmark", "seed", "step", "loss", "cost")
OTHER_NAMES = {"dataset": "benchmark", "iteration": "step"}
JOINED = ("algo", "optimizer", "method")  # columns that together say what was run
TESTS = ("test", "exact", "loss")  # the first that is known is a run's test loss


class RecordedRun(NamedTuple):
    """A run that went on to its end.

    benchmark, optimizer, seed   what it was
    space                        what it searched
    trials                       in their order of completion, fold losses in `info["folds"]`
    test                         (n,) test loss of each trial
    optimum                      lowest possible loss, NaN where it is not known
    reference_bounds             (n,) bounds that were recorded, entry t on the first t trials; None if there are none
    """

    benchmark: str
    optimizer: str
    seed: int
    space: Space
    trials: tuple[Trial, ...]
    test: np.ndarray
    optimum: float
    reference_bounds: np.ndarray | None


def read_runs(path: str | Path) -> list[RecordedRun]:
    """Runs of a table (`.csv`, `.csv.gz`, ...) or of a store (any other ending)."""
    path = Path(path)
    if not path.is_file():
        raise InvalidOption(f"runs are read from a table (.csv, .csv.gz) or a store, and there is no file {path}")
    if ".csv" not in path.suffixes:
        return runs_of_store(path)
    import pandas as pd

    try:
        table = pd.read_csv(path)
    except (ValueError, OSError, EOFError) as error:
        raise DamagedFile(f"{path} is no table of comma-separated values: {error}") from None
    return runs_of_table(table)


def runs_of_table(table: pandas.DataFrame) -> list[RecordedRun]:
    """Runs of a table, sorted by benchmark, optimizer and seed."""
    table = with_run_columns(table)
    missing = [column for column in NEEDED if column not in table]
    if missing or ("config" not in table and not _columns(table, "hp_")):
        raise InvalidOption(
            f"a table of runs needs the columns {', '.join(NEEDED)} and config (or hp_NAME columns); "
            f"missing: {', '.join(missing) or 'config'}"
        )
    order = "end" if "end" in table else "step"
    table = table.sort_values([*RUN, order], kind="stable").reset_index(drop=True)
    configs = _configs(table)
    spaces = _spaces(configs)
    return _runs(table, configs, lambda name, own: spaces[frozenset(own[0])], _optimum)


def with_run_columns(table: pandas.DataFrame) -> pandas.DataFrame:
    """The table with the columns benchmark, optimizer and step, where it has them under other names."""
    table = table.rename(columns={old: new for old, new in OTHER_NAMES.items() if new not in table})
    joined = [column for column in JOINED if column in table]
    return table.assign(optimizer=table[joined].astype(str).agg(" ".join, axis=1) if joined else "")


def _runs(
    table: pandas.DataFrame,
    configs: Sequence[dict[str, Any]],
    space: Callable[[str, Sequence[dict[str, Any]]], Space],
    optimum: Callable[[str], float],
) -> list[RecordedRun]:
    """Runs of a table whose rows are numbered 0, 1, ... and ordered by run and completion.

    Parameters
    ----------
    table
        A row per trial, with the columns of the module's head.
    configs
        Configuration of each row.
    space
        Space of a benchmark's name and the configurations of a run.
    optimum
        Lowest loss of a benchmark's name, NaN where it is not known.
    """
    runs = []
    key: Any
    for key, rows in table.groupby(RUN, sort=False):
        benchmark, optimizer, seed = str(key[0]), str(key[1]), int(key[2])
        own = [configs[i] for i in rows.index]
        known = next((name for name in TESTS if name in rows and rows[name].notna().any()), "loss")
        test = rows[known].to_numpy(dtype=float)
        bounds = rows["reference_bound"].to_numpy(dtype=float) if "reference_bound" in rows else None
        described = (space(benchmark, own), _trials(rows, own), test, optimum(benchmark), bounds)
        runs.append(RecordedRun(benchmark, optimizer, seed, *described))
    return runs


def _columns(table: pandas.DataFrame, beginning: str) -> list[str]:
    return [str(column) for column in table.columns if str(column).startswith(beginning)]


def _configs(table: pandas.DataFrame) -> list[dict[str, Any]]:
    if "config" in table:
        try:
            return [json.loads(text) for text in table["config"]]
        except (TypeError, ValueError) as error:
            raise InvalidOption(f"the column config must hold JSON objects: {error}") from None
    columns = _columns(table, "hp_")
    values = [table[column].tolist() for column in columns]
    names = [column.removeprefix("hp_") for column in columns]
    return [dict(zip(names, row, strict=True)) for row in zip(*values, strict=True)]


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
        return [json.loads(text) for text in rows["folds"]]
    columns = _columns(rows, "fold_")
    return rows[columns].to_numpy(dtype=float).tolist() if columns else None


def _optimum(name: str) -> float:
    """Lowest loss of the benchmark with a name, NaN if there is none."""
    try:
        optimum = Benchmark(name).optimum
    except HpoError:
        return math.nan
    return math.nan if optimum is None else optimum


def _spaces(configs: Iterable[Mapping[str, Any]]) -> dict[frozenset[str], Space]:
    """Space of the configurations with the same names, by these names."""
    values: dict[frozenset[str], dict[str, set[Any]]] = {}
    for config in configs:
        seen = values.setdefault(frozenset(config), {name: set() for name in config})
        for name, value in config.items():
            seen[name].add(value)
    return {names: Space([_hyperparameter(name, seen[name]) for name in seen]) for names, seen in values.items()}


def _hyperparameter(name: str, values: set[Any]) -> Hyperparameter:
    if len(values) == 1:
        return Constant(name, next(iter(values)))
    numbers = all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values)
    if not numbers:
        return Categorical(name, sorted(values, key=str))
    if all(isinstance(value, int) for value in values):
        return Int(name, min(values), max(values))
    return Float(name, min(values), max(values))


def runs_of_store(path: Path) -> list[RecordedRun]:
    """Runs of a store, on the spaces of their benchmarks, without the runs that broke."""
    from hpo_leaderboard.store.store import reading

    with reading(path) as store:
        frames = store.frames()
    optima = dict(zip(frames.tasks["benchmark"], frames.tasks["optimum"], strict=True))
    configs = [json.loads(text) for text in frames.trials["config"]]
    return _runs(frames.trials, configs, _space, lambda name: float(optima.get(name, math.nan)))


def _space(name: str, configs: Sequence[Mapping[str, Any]]) -> Space:
    try:
        return Benchmark(name.split(" ")[0]).space
    except HpoError:
        return _spaces(configs)[frozenset(configs[0])]
