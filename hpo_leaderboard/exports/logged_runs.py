"""`LoggedRun`: a run as other tools log it, by the number of evaluations; what COCO's and IOH's formats have in common.

evaluation   a trial at the full budget, counted from 1 in the order of completion. A trial at a smaller budget is no
             evaluation of the benchmark's objective and is left out. Failed trials count, with an infinite value
value        the loss of the incumbent by which this project scores it (`hpo_leaderboard.scores.incumbents`): noise-
             free where that is known, else as observed; the lowest so far. The optimizer itself saw `observed`
regret       the value minus the known optimum, and the value itself where the optimum is not known
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hpo_core.errors import InvalidOption
from hpo_core.problems.coco.names import FUNCTIONS, CocoName, coco_name
from hpo_leaderboard.scores.from_runs import tables_of
from hpo_leaderboard.scores.incumbents import RUN, incumbents, run_index, run_lasts, run_starts

if TYPE_CHECKING:
    import pandas

    from hpo_leaderboard.scores.from_runs import Source
    from hpo_leaderboard.store.frames import Frames

OTHERS = "hpo-foundry"  # the suite of benchmarks that are not COCO's


class LoggedProblem(NamedTuple):
    """A benchmark as a function, an instance and a dimension of a suite; `coco` is None for one that is not COCO's."""

    suite: str
    function: int
    function_name: str
    instance: int
    dimension: int
    coco: CocoName | None


class LoggedRun(NamedTuple):
    """One run over its evaluations, see the module's head; arrays have a place for each evaluation.

    observed   losses that the optimizer saw, inf where the trial failed
    value      lowest loss of the incumbents so far, inf before the first success
    optimum    of the benchmark, NaN where it is not known
    seconds    on the run's clock when the evaluation was complete
    configs    configurations as JSON
    """

    problem: LoggedProblem
    optimizer: str
    seed: int
    optimum: float
    observed: np.ndarray
    value: np.ndarray
    seconds: np.ndarray
    configs: Sequence[str]

    @property
    def n_evaluations(self) -> int:
        return len(self.value)

    @property
    def regret(self) -> np.ndarray:
        """(n,) distance of the values from the optimum, never below 0; the values where the optimum is not known."""
        return self.value if np.isnan(self.optimum) else np.maximum(self.value - self.optimum, 0.0)

    @property
    def improvements(self) -> np.ndarray:
        """Indices of the evaluations that lowered the value; each of them became the incumbent."""
        return np.flatnonzero(self.value < np.append(np.inf, self.value[:-1]))

    def position(self, index: int) -> list[float]:
        """Numbers of the configuration of an evaluation; none where some of its values are not numbers."""
        config: dict[str, Any] = json.loads(self.configs[index])
        if self.problem.coco is not None:
            return [config[f"x{i}"] for i in range(1, self.problem.dimension + 1)]
        values = list(config.values())
        return values if all(type(value) in (int, float) for value in values) else []


class LoggedRuns(NamedTuple):
    """Runs, and a sentence for everything that was left out."""

    runs: list[LoggedRun]
    left_out: list[str]


def logged_runs(source: Source) -> LoggedRuns:
    """Runs of a list, of a store's frames or of a table of trials, sorted by problem, optimizer and seed.

    Parameters
    ----------
    source
        What `hpo_leaderboard.scores.from_runs.tables_of` takes, with configurations.
    """
    frames = tables_of(source)
    if "config" not in frames.trials:
        raise InvalidOption("an export needs the configurations, got trials without a column `config`; read them too")
    trials = frames.trials.sort_values(RUN, kind="stable", ignore_index=True)
    full = trials["benchmark"].map(frames.tasks.set_index("benchmark")["full_budget"])
    complete = trials["budget"].to_numpy(dtype=float) == full.to_numpy(dtype=float)
    left_out = _below(trials[~complete])
    trials = trials[complete].reset_index(drop=True)
    runs = list(_runs(trials, frames)) if len(trials) else []
    kept = [run for run in runs if np.isfinite(run.value).any()]
    left_out += _empty(frames.runs, kept)
    return LoggedRuns(sorted(kept, key=lambda run: (*run.problem[:5], run.optimizer, run.seed)), left_out)


def _runs(trials: pandas.DataFrame, frames: Frames) -> Iterator[LoggedRun]:
    table = incumbents(trials, frames.tasks)
    problems = _problems(trials, frames.runs)
    optima = frames.tasks.set_index("benchmark")["optimum"].astype(float).to_dict()
    observed, loss, seconds = (
        column.to_numpy(dtype=float) for column in (trials["loss"], table["loss"], table["seconds"])
    )
    configs = trials["config"].tolist()
    for run, start, last in zip(run_index(table), run_starts(table), run_lasts(table), strict=True):
        own = slice(start, last + 1)
        yield LoggedRun(
            problem=problems[run[0]],
            optimizer=run[1],
            seed=int(run[2]),
            optimum=optima[run[0]],
            observed=observed[own],
            value=np.minimum.accumulate(loss[own]),
            seconds=seconds[own],
            configs=configs[own],
        )


def _problems(trials: pandas.DataFrame, runs: pandas.DataFrame) -> dict[str, LoggedProblem]:
    """The logged problem of each benchmark by the name that is shown; those that are not COCO's are numbered."""
    names = dict(zip(runs["benchmark"], map(_name, runs["description"], runs["benchmark"]), strict=True))
    shown = sorted(trials["benchmark"].unique())
    coco = {name: coco_name(names[name]) for name in shown}
    numbers = {name: number for number, name in enumerate((name for name in shown if coco[name] is None), 1)}
    problems = {
        name: _coco_problem(found) if found is not None else _other_problem(name, numbers[name], trials)
        for name, found in coco.items()
    }
    first: dict[LoggedProblem, str] = {}
    for name, problem in problems.items():
        if first.setdefault(problem, name) != name:
            raise InvalidOption(
                f"a problem of COCO has one label in an export, {names[name]!r} has {first[problem]!r} and {name!r}; "
                "choose one of them by --benchmarks, or leave --no-latest out"
            )
    return problems


def _name(description: str, shown: str) -> str:
    """Name of a benchmark, which a suite may show under a label."""
    return json.loads(description)["benchmark"]["name"] if description else shown


def _coco_problem(found: CocoName) -> LoggedProblem:
    name = FUNCTIONS[found.function - 1]
    return LoggedProblem(found.suite, found.function, name, found.instance, found.dimension, found)


def _other_problem(name: str, number: int, trials: pandas.DataFrame) -> LoggedProblem:
    configs = trials.loc[trials["benchmark"] == name, "config"].unique()
    hyperparameters = {key for config in configs for key in json.loads(config)}
    return LoggedProblem(OTHERS, number, name, 1, len(hyperparameters), None)


def _below(trials: pandas.DataFrame) -> list[str]:
    """What is said of trials below the full budget."""
    return [
        f"{optimizer}: {n:,} trials below the full budget, which are no evaluations of the function; it looks faster "
        "by evaluations than by seconds"
        for optimizer, n in sorted(Counter(trials["optimizer"]).items())
    ]


def _empty(runs: pandas.DataFrame, kept: Sequence[LoggedRun]) -> list[str]:
    """What is said of runs without an evaluation that succeeded."""
    lost = Counter(runs["optimizer"]) - Counter(run.optimizer for run in kept)
    return [
        f"{optimizer}: {n} {'run' if n == 1 else 'runs'} without a successful trial at the full budget"
        for optimizer, n in sorted(lost.items())
    ]
