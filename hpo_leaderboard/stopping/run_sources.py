"""Recorded runs of every file that this package writes.

a store                           of `hpo leaderboard`, with any ending but those below
.csv (also compressed), .parquet  a table of trials, such as `hpo store export` writes
.jsonl                            one run, by `hpo run --out` or `Run.save`
a directory                       all `.jsonl` files in it
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from hpo_core import Run, Space
from hpo_core.errors import DamagedFile, HpoError, InvalidOption
from hpo_core.storage.parquet import read_parquet
from hpo_core.storage.text_files import opened_text
from hpo_leaderboard.experiments.noise_free import noise_free_trials
from hpo_leaderboard.stopping.recorded_runs import (
    ListedRun,
    OpenBenchmarks,
    RecordedRun,
    spanned_space,
    validation_losses,
)
from hpo_leaderboard.stopping.trial_tables import TableRows, list_table
from hpo_leaderboard.store.columns import config_lines
from hpo_leaderboard.store.frames import NamedRun, named_runs, trials_of
from hpo_leaderboard.store.store import reading

if TYPE_CHECKING:
    import pandas

ENDINGS = "a table (.csv, .csv.gz, .parquet), a store, a run (.jsonl) or a directory of runs"


def read_runs(path: str | Path) -> list[RecordedRun]:
    """Runs of a file or directory, sorted by benchmark, optimizer and seed."""
    return [run.read() for run in list_runs(path)]


def list_runs(path: str | Path) -> list[ListedRun]:
    """Runs of a file or directory, sorted by benchmark, optimizer and seed, each read when it is wanted."""
    path = Path(path)
    if path.is_dir():
        return _list_files(sorted(path.glob("*.jsonl")), path)
    if not path.is_file():
        raise InvalidOption(f"runs are read from {ENDINGS}, and there is no file {path}")
    if ".csv" in path.suffixes or path.suffix == ".parquet":
        return _list_table(path)
    return _list_files([path], path) if path.suffix == ".jsonl" else _list_store(path)


def chosen(
    runs: Sequence[ListedRun],
    benchmarks: Collection[str] | None = None,
    optimizers: Collection[str] | None = None,
    seeds: Collection[int] | None = None,
) -> list[ListedRun]:
    """Runs of some benchmarks, optimizers and seeds.

    Parameters
    ----------
    runs
        To choose from.
    benchmarks, optimizers
        Names of those to keep; None keeps all. Both may be named without the version, checksum or options that a store
        adds to them.
    seeds
        Those to keep, such as `range(5)`; None keeps all.
    """
    return [
        run
        for run in runs
        if (benchmarks is None or _named(run.benchmark, benchmarks))
        and (optimizers is None or _named(run.optimizer, optimizers))
        and (seeds is None or run.seed in seeds)
    ]


def _named(shown: str, names: Collection[str]) -> bool:
    return shown in names or shown.split(" ")[0] in names


def _list_table(path: Path) -> list[ListedRun]:
    try:
        return [run._replace(read=partial(_read_row_of, path, run)) for run in list_table(_read_table(path))]
    except InvalidOption as error:
        raise DamagedFile(f"{path} is no table of runs: {error}") from None


def _read_row_of(path: Path, run: ListedRun) -> RecordedRun:
    try:
        return run.read()
    except HpoError as error:
        raise DamagedFile(f"{path}, {run.benchmark} {run.optimizer} seed {run.seed}: {error}") from None


def _read_table(path: Path) -> pandas.DataFrame:
    import pandas as pd

    if path.suffix == ".parquet":
        return read_parquet(path, "parquet")
    try:
        with opened_text(path) as text:
            return pd.read_csv(text)
    except (HpoError, FileNotFoundError, PermissionError):
        raise
    except (ValueError, OverflowError, OSError) as error:
        raise DamagedFile(f"{path} is no table of comma-separated values: {str(error)[:300]}") from None


def _list_store(path: Path) -> list[ListedRun]:
    """Runs of a store, on the spaces of their benchmarks, without those that have no trial."""
    with reading(path) as store:
        named = named_runs(store)
    benchmarks = OpenBenchmarks()
    return [
        ListedRun(run.benchmark, run.optimizer, run.seed, partial(_read_stored, path, run, benchmarks))
        for run in named
        if run.n_trials
    ]


def _read_stored(path: Path, run: NamedRun, benchmarks: OpenBenchmarks) -> RecordedRun:
    with reading(path) as store:
        rows = trials_of(store, run)
    read = TableRows(rows, benchmarks).read(run.benchmark, run.optimizer, run.seed, np.arange(len(rows)))
    return read._replace(optimum=math.nan if run.optimum is None else run.optimum)


def _list_files(paths: Sequence[Path], source: Path) -> list[ListedRun]:
    """Runs in files of JSON lines; they are small, so that their first lines are not read apart."""
    if not paths:
        raise InvalidOption(f"a directory of runs holds .jsonl files, as `hpo run --out` writes, and {source} has none")
    runs = sorted((Run.load(path) for path in paths), key=lambda run: (run.benchmark, run.optimizer, run.seed))
    files = RunFiles(runs)
    return [ListedRun(r.benchmark, r.optimizer, r.seed, partial(files.read, r)) for r in runs if r.trials]


class RunFiles:
    """Runs that were saved one by one; their noise-free and test losses are looked up where that is cheap."""

    def __init__(self, runs: Sequence[Run]):
        self._runs = runs
        self._benchmarks = OpenBenchmarks()

    def read(self, run: Run) -> RecordedRun:
        benchmark = self._benchmarks(run.benchmark)
        exact = test = np.full(len(run.trials), np.nan)
        if benchmark is not None:
            exact, test = noise_free_trials(benchmark, run.trials, config_lines(run.trials))
        if not np.isfinite(test).any():
            test = np.array([trial.result.info.get("test_loss", math.nan) for trial in run.trials], dtype=float)
        validation = validation_losses(run.trials, exact)
        optimum = self._benchmarks.optimum(run.benchmark)
        space = self._space(run)
        return RecordedRun(run.benchmark, run.optimizer, run.seed, space, run.trials, validation, test, optimum)

    def _space(self, run: Run) -> Space:
        """Space of the benchmark, else the one that the configurations of all runs on it span."""
        space = self._benchmarks.space_of(run.benchmark, run.trials[0].config)
        if space is not None:
            return space
        configs = [trial.config for other in self._runs if other.benchmark == run.benchmark for trial in other.trials]
        return spanned_space({name: {config[name] for config in configs if name in config} for name in configs[0]})
