"""Tables of runs that are in memory, the same ones that a store gives: where scores of a list of runs begin."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hpo_core import Run
from hpo_core.errors import HpoError, InvalidOption
from hpo_core.names import needs_import
from hpo_leaderboard.experiments.identity import OpenBenchmark, open_benchmark
from hpo_leaderboard.experiments.noise_free import noise_free_trials
from hpo_leaderboard.experiments.plan import BenchmarkRecord, benchmark_record
from hpo_leaderboard.store.columns import config_lines, pack_numbers
from hpo_leaderboard.store.frames import RUNS, Frames, tasks_frame, trials_frame

if TYPE_CHECKING:
    import pandas

    Source = Sequence[Run] | Frames | pandas.DataFrame


def tables_of(source: Source) -> Frames:
    """Frames `trials`, `runs` and `tasks` (see `hpo_leaderboard.store.frames`) of runs.

    Parameters
    ----------
    source
        A list of `hpo_core.Run`, the frames of a store, or a frame `trials` such as `hpo store export` writes.

    Returns
    -------
    Frames
        As a store of the same runs would give. What a run does not record is NaN or None: the optimizer's overhead and
        version, the limits.

    Benchmarks are opened by their names, for their optima and the noise-free losses of the trials. One that cannot be
    opened, such as a problem of your own, is scored by its observed losses.
    """
    import pandas as pd

    if isinstance(source, Frames):
        return source
    if isinstance(source, pd.DataFrame):
        return Frames(source, _runs_of_trials(source), tasks_frame(_tasks_of_trials(source)))
    return _frames_of_runs(list(source))


def _frames_of_runs(runs: list[Run]) -> Frames:
    import pandas as pd

    _check(runs)
    runs = sorted(runs, key=lambda run: (run.benchmark, run.optimizer, run.seed))
    opened = {name: _opened(name) for name in dict.fromkeys(run.benchmark for run in runs)}
    lines = [config_lines(run.trials) for run in runs]
    numbers = [_numbers(run, own, opened[run.benchmark]) for run, own in zip(runs, lines, strict=True)]
    names = [(run.benchmark, run.optimizer, run.seed) for run in runs]
    configs = ["\n".join(own).encode() for own in lines]
    trials = trials_frame(names, [len(run.trials) for run in runs], numbers, configs)
    rows = [
        [*name, "", run.reason, len(run.trials), np.nan, "", None, np.nan, np.nan, np.nan, number, ""]
        for number, (name, run) in enumerate(zip(names, runs, strict=True))
    ]
    tasks = [_task(name, found, trials) for name, found in opened.items()]
    return Frames(trials, pd.DataFrame(rows, columns=RUNS), tasks_frame(tasks))


def _check(runs: list[Run]) -> None:
    if not runs or not all(isinstance(run, Run) for run in runs):
        raise InvalidOption(
            f"scores take a list of runs, a store's frames or a table of trials, got {runs[:1] or 'an empty list'}; "
            "`run` of hpo_core makes a run"
        )
    named, count = Counter((run.benchmark, run.optimizer, run.seed) for run in runs).most_common(1)[0]
    if count > 1:
        raise InvalidOption(
            f"runs are told apart by benchmark, optimizer and seed, got {count} of {named}; give one another name, "
            "such as `dataclasses.replace(run, optimizer='mine')`"
        )


def _opened(name: str) -> OpenBenchmark | None:
    """Benchmark of a run's name; options are part of it, as in `forrester,a=3` and `profet-svm/0,noise`."""
    plain, *options = name.split(",")
    if needs_import(plain):  # the run may come from a file, whose names are not imported
        return None
    try:
        found = open_benchmark(plain, dict(map(_option, options)))
    except HpoError:
        return None
    return found if found.benchmark.name == name else None


def _option(text: str) -> tuple[str, Any]:
    """Name and value of an option as a benchmark's name has it; a name alone is a switch that is on."""
    option, separator, value = text.partition("=")
    try:
        return option, json.loads(value) if separator else True
    except ValueError:
        return option, value


def _numbers(run: Run, lines: list[str], opened: OpenBenchmark | None) -> bytes:
    """Packed columns of a run's trials."""
    exact = test = np.full(len(lines), np.nan)
    if opened is not None and lines:
        exact, test = noise_free_trials(opened.benchmark, run.trials, lines)
    return pack_numbers(run.trials, exact, test)


def _task(name: str, opened: OpenBenchmark | None, trials: pandas.DataFrame) -> BenchmarkRecord:
    """What is known about a benchmark, for one that cannot be opened from its trials."""
    if opened is not None:
        return benchmark_record(name, opened)
    budgets = trials.loc[trials["benchmark"] == name, "budget"]
    return BenchmarkRecord(name, "", "", None, None, float(budgets.max()), budgets.nunique(), "")


def _tasks_of_trials(trials: pandas.DataFrame) -> list[BenchmarkRecord]:
    return [_task(name, _opened(name), trials) for name in trials["benchmark"].unique()]


def _runs_of_trials(trials: pandas.DataFrame) -> pandas.DataFrame:
    runs = trials.groupby(RUNS[:3], observed=True).size().rename("n_trials").reset_index()
    texts = runs.assign(key="", reason="", version="", failure=None)
    unknown = dict.fromkeys(("overhead", "n_trials_limit", "max_cost_limit", "n_random"), np.nan)
    return texts.assign(**unknown, description="", stored=range(len(runs)))[RUNS]
