"""Recorded runs to replay stopping criteria on, from a table of trials or from a store.

A table is a CSV file (also compressed) or a data frame with one row per trial and the columns

    dataset, seed, iteration, loss, cost (seconds)
    config                    JSON object; or instead of it one column `hp_NAME` per hyperparameter
    folds                     JSON list of fold losses; or one column `fold_I` per fold (optional)
    test                      test loss (optional, the validation loss takes its place)
    algo, optimizer, method   what was run (optional, those that are there are joined)
    reference_bound           a bound on the regret that was recorded before that iteration (optional)

The space of a table's runs is read off their configurations: runs with the same hyperparameters share one, with the
range that the values of all of them span.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hpo_core import Benchmark, Categorical, Constant, Float, Int, Proposal, Result, Space, Trial
from hpo_core.errors import DamagedFile, HpoError, InvalidOption
from hpo_core.space.hyperparameters import Hyperparameter

if TYPE_CHECKING:
    import pandas

METHODS = ("algo", "optimizer", "method")
NEEDED = ("dataset", "seed", "iteration", "loss", "cost")


class RecordedRun(NamedTuple):
    """A run that went on to its end.

    dataset, method, seed   what it was
    space                   what it searched
    trials                  in their order of completion, fold losses in `info["folds"]`
    test                    (n,) test loss of each trial
    optimum                 lowest possible loss, NaN where it is not known
    reference_bounds        (n,) bounds that were recorded, entry t on the first t trials; None if there are none
    """

    dataset: str
    method: str
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
    """Runs of a table, sorted by dataset, method and seed."""
    missing = [column for column in NEEDED if column not in table]
    if missing or ("config" not in table and not _columns(table, "hp_")):
        raise InvalidOption(
            f"a table of runs needs the columns {', '.join(NEEDED)} and config (or hp_NAME columns); "
            f"missing: {', '.join(missing) or 'config'}"
        )
    methods = [column for column in METHODS if column in table]
    table = table.assign(method_=table[methods].astype(str).agg(" ".join, axis=1) if methods else "")
    table = table.sort_values(["dataset", "method_", "seed", "iteration"], kind="stable").reset_index(drop=True)
    configs = _configs(table)
    spaces = _spaces(configs)
    runs = []
    key: Any
    for key, rows in table.groupby(["dataset", "method_", "seed"], sort=False):
        dataset, method, seed = key
        own = [configs[i] for i in rows.index]
        trials = _trials(rows, own)
        test = rows["test"].to_numpy(dtype=float) if "test" in rows else rows["loss"].to_numpy(dtype=float)
        bounds = rows["reference_bound"].to_numpy(dtype=float) if "reference_bound" in rows else None
        space = spaces[frozenset(own[0])]
        runs.append(RecordedRun(str(dataset), str(method), int(seed), space, trials, test, _optimum(dataset), bounds))
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
    folds = _folds(rows)
    losses, costs = rows["loss"].to_numpy(dtype=float), rows["cost"].to_numpy(dtype=float)
    costs = np.where(np.isfinite(costs), costs, 0.0)
    starts = np.concatenate([[0.0], np.cumsum(costs)])
    trials = []
    for step, (config, loss, cost) in enumerate(zip(configs, losses.tolist(), costs.tolist(), strict=True)):
        failed = not math.isfinite(loss)
        info = {} if folds is None else {"folds": folds[step]}
        result = Result(math.inf if failed else loss, cost, 1, info)
        failure = f"loss was {loss!r}" if failed else None
        trials.append(Trial(Proposal(config), result, step, start=float(starts[step]), failure=failure))
    return tuple(trials)


def _folds(rows: pandas.DataFrame) -> list[list[float]] | None:
    if "folds" in rows:
        return [json.loads(text) for text in rows["folds"]]
    columns = _columns(rows, "fold_")
    return rows[columns].to_numpy(dtype=float).tolist() if columns else None


def _optimum(dataset: Any) -> float:
    """Lowest loss of the benchmark that a dataset is called after, NaN if there is none."""
    try:
        optimum = Benchmark(str(dataset)).optimum
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
    runs = []
    key: Any
    for key, rows in frames.trials.groupby(["benchmark", "optimizer", "seed"], sort=False):
        name, method, seed = key
        configs = [json.loads(text) for text in rows["config"]]
        test = rows["test"].where(rows["test"].notna(), rows["exact"]).to_numpy(dtype=float)
        test = np.where(np.isfinite(test), test, rows["loss"].to_numpy(dtype=float))
        optimum = float(optima.get(name, math.nan))
        trials = _stored_trials(rows, configs)
        runs.append(RecordedRun(name, method, int(seed), _space(name, configs), trials, test, optimum, None))
    return runs


def _stored_trials(rows: pandas.DataFrame, configs: Sequence[Mapping[str, Any]]) -> tuple[Trial, ...]:
    columns = [rows[name].tolist() for name in ("step", "budget", "loss", "cost", "start", "worker", "failed")]
    trials = []
    for config, step, budget, loss, cost, start, worker, failed in zip(configs, *columns, strict=True):
        result = Result(loss, cost, budget, {})
        failure = "failed" if failed else None
        trials.append(Trial(Proposal(config, budget), result, step, None, worker, start, failure=failure))
    return tuple(trials)


def _space(name: str, configs: Sequence[Mapping[str, Any]]) -> Space:
    try:
        return Benchmark(name.split(" ")[0]).space
    except HpoError:
        return _spaces(configs)[frozenset(configs[0])]
