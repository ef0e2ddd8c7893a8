"""A store as data frames: all that scoring sees of running.

trials   one row per trial, sorted by benchmark, optimizer, seed and order of completion: benchmark, optimizer, seed,
         step, budget, loss (inf for a failed trial), cost, start, end (seconds), worker, failed, exact (noise-free loss
         at the full budget, NaN where unknown), test (its test loss), config (JSON, sorted keys)
runs     one row per run: benchmark, optimizer, seed, key, reason, n_trials, overhead (CPU seconds), version, failure
         (None, or why the run itself broke), n_trials_limit, max_cost_limit (NaN where there is none), n_random
         (proposals that were random, NaN where the optimizer does not say), stored (its number in the order of
         storing), description (JSON, see `Job.description`; "" of a run that was in no store)
tasks    one row per benchmark: benchmark, family, optimum, test_optimum (NaN where unknown), checksum, full_budget,
         n_budgets
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hpo_core.errors import DamagedFile
from hpo_leaderboard.experiments.plan import BenchmarkRecord
from hpo_leaderboard.store.columns import LAYOUT, number_fault, unpack_numbers
from hpo_leaderboard.store.file.rows import StoredRun
from hpo_leaderboard.store.file.verification import BATCH, batches
from hpo_leaderboard.store.listed_runs import ListedRuns, list_runs
from hpo_leaderboard.store.store import Store

if TYPE_CHECKING:
    import pandas


class Frames(NamedTuple):
    """Data frames of a store, see the module's head."""

    trials: pandas.DataFrame
    runs: pandas.DataFrame
    tasks: pandas.DataFrame


def make_frames(store: Store, *, configs: bool = True, runs: ListedRuns | None = None) -> Frames:
    """Frames of a store; raises `DamagedFile` for a run that is not what was stored.

    Without `configs` the trials have no column `config`, which saves most of the memory. With `runs`, only these are
    read.
    """
    import pandas

    listed, names = (list_runs(store) if runs is None else runs).by_name()
    pieces: dict[str, list[np.ndarray]] = {name: [np.empty(0, dtype=kind)] for name, kind in LAYOUT}
    lines: list[str] = []
    rows: list[list[Any]] = [[] for _ in RUNS]
    n_rows = 0
    for part in read_parts(store, listed, names):
        for name, values in part.columns.items():
            pieces[name].append(values)
        if configs:
            lines += _lines(part.configs)
        for run, names_of_run in zip(part.runs, part.names, strict=True):
            for column, value in zip(rows, _run_row(run, names_of_run, listed.stored[n_rows]), strict=True):
                column.append(value)
            n_rows += 1
    named = [(*name, seed) for name, seed in zip(names, listed.seeds, strict=True)]
    columns = {name: np.concatenate(pieces.pop(name)) for name, _ in LAYOUT}
    trials = _table(named, listed.n_trials, columns, lines if configs else None)
    table = pandas.DataFrame(dict(zip(RUNS, rows, strict=True)))
    return Frames(trials, table, tasks_frame(_tasks(store, listed, names)))


class RunsPart(NamedTuple):
    """Some runs under the names that are shown, the columns of their trials, and the configurations of each."""

    runs: list[StoredRun]
    names: list[tuple[str, str]]
    columns: dict[str, np.ndarray]
    configs: list[bytes]

    @property
    def counts(self) -> list[int]:
        return [run.n_trials for run in self.runs]

    def trials(self) -> pandas.DataFrame:
        """Their rows of the frame `trials`."""
        named = [(*name, run.seed) for name, run in zip(self.names, self.runs, strict=True)]
        return _table(named, self.counts, self.columns, _lines(self.configs))


def read_parts(store: Store, listed: ListedRuns, names: Sequence[tuple[str, str]]) -> Iterator[RunsPart]:
    """Runs of a store with their trials, some at a time; together they take no more than its room.

    `names` are those under which they are shown. Raises `DamagedFile` for a run that is not what was stored.
    """
    room = store.room()
    for rows in batches(range(len(listed.keys)), BATCH):
        runs, contents = [], []
        for row in rows:
            run = store.run(listed.keys[row])
            contents.append(store.contents(run, room))
            room -= sum(map(len, contents[-1]))
            runs.append(run._replace(numbers=b"", configs=b""))
        yield _part(store, runs, names[rows[0] : rows[-1] + 1], contents)


def _part(
    store: Store, runs: list[StoredRun], names: Sequence[tuple[str, str]], contents: Sequence[tuple[bytes, bytes]]
) -> RunsPart:
    columns = unpack_numbers([numbers for numbers, _ in contents], [run.n_trials for run in runs])
    _check(store, runs, columns)
    return RunsPart(runs, list(names), columns, [configs for _, configs in contents])


class NamedRun(NamedTuple):
    """A run by the names that are shown, without its trials; `optimum` is its benchmark's, None where unknown."""

    benchmark: str
    optimizer: str
    seed: int
    key: str
    n_trials: int
    optimum: float | None


def named_runs(store: Store) -> list[NamedRun]:
    """Runs of a store, sorted by benchmark, optimizer and seed, without reading their trials."""
    listed, names = list_runs(store).by_name()
    optima = {task.benchmark: task.optimum for task in _tasks(store, listed, names)}
    each = zip(names, listed.seeds, listed.keys, listed.n_trials, strict=True)
    return [NamedRun(*name, seed, key, n_trials, optima.get(name[0])) for name, seed, key, n_trials in each]


def trials_of(store: Store, run: NamedRun) -> pandas.DataFrame:
    """The frame `trials` of one run; raises `DamagedFile` if it is not what was stored."""
    stored = store.run(run.key)
    return _part(store, [stored], [(run.benchmark, run.optimizer)], [store.contents(stored)]).trials()


def trials_frame(
    runs: Sequence[tuple[str, str, int]],
    counts: Sequence[int],
    numbers: Sequence[bytes],
    configs: Sequence[bytes] | None,
) -> pandas.DataFrame:
    """The frame `trials` of some runs.

    Parameters
    ----------
    runs
        Benchmark, optimizer and seed of each.
    counts
        Number of trials of each.
    numbers
        Packed columns of each, see `hpo_leaderboard.store.columns`.
    configs
        Lines of JSON of each; None for no column `config`.
    """
    lines = None if configs is None else _lines(configs)
    return _table(runs, counts, unpack_numbers(numbers, counts), lines)


def _lines(configs: Iterable[bytes]) -> list[str]:
    """Lines of several runs, which are joined; a run without trials has none."""
    whole = b"\n".join(lines for lines in configs if lines)
    return whole.decode().split("\n") if whole else []


def _table(
    runs: Sequence[tuple[str, str, int]],
    counts: Sequence[int],
    columns: Mapping[str, np.ndarray],
    lines: list[str] | None,
) -> pandas.DataFrame:
    """The frame `trials` of the columns of some runs, and of the lines of their configurations."""
    import pandas

    trials: dict[str, Any] = {
        name: pandas.Series([run[i] for run in runs], dtype=None if runs else object).repeat(list(counts)).array
        for i, name in enumerate(("benchmark", "optimizer", "seed"))
    }
    trials |= columns
    if lines is not None:
        trials["config"] = np.array(lines, dtype=object)
    return pandas.DataFrame(trials)


def tasks_frame(records: Iterable[BenchmarkRecord]) -> pandas.DataFrame:
    """The frame `tasks` of what is known about benchmarks."""
    import pandas

    frame = pandas.DataFrame(list(records), columns=list(BenchmarkRecord._fields)).drop(columns="provenance")
    frame = frame.astype({"optimum": float, "test_optimum": float})
    return frame[["benchmark", "family", "optimum", "test_optimum", "checksum", "full_budget", "n_budgets"]]


RUNS = [
    "benchmark",
    "optimizer",
    "seed",
    "key",
    "reason",
    "n_trials",
    "overhead",
    "version",
    "failure",
    "n_trials_limit",
    "max_cost_limit",
    "n_random",
    "stored",
    "description",
]


def _check(store: Store, runs: Sequence[StoredRun], columns: Mapping[str, np.ndarray]) -> None:
    """Raise `DamagedFile` for trials that no run can have; `runs` are those of the trials, in their order."""
    if number_fault(columns) is None:
        return
    ends = np.cumsum([run.n_trials for run in runs])
    for run, own in zip(runs, zip(*(np.split(columns[name], ends) for name in columns), strict=True), strict=False):
        fault = number_fault(dict(zip(columns, own, strict=True)))
        if fault is not None:
            raise DamagedFile(f"{store.path}: {run}: {fault}; it was made by something else than a run")


def _run_row(run: StoredRun, name: tuple[str, str], stored: int) -> tuple[Any, ...]:
    said = run.said()
    limits = said["limits"]
    by_cost = limits["full_cost"] is not None and limits["n_trials"] is not None
    costs = [limits["max_cost"], limits["n_trials"] * limits["full_cost"] if by_cost else None]
    max_cost = min((cost for cost in costs if cost is not None), default=np.nan)
    n_trials = np.nan if by_cost or limits["n_trials"] is None else limits["n_trials"]
    head = (*name, run.seed, run.key, run.reason, run.n_trials, run.overhead)
    n_random = np.nan if run.n_random is None else run.n_random
    return (*head, said["optimizer"]["version"], run.failure, n_trials, max_cost, n_random, stored, run.description)


def _tasks(store: Store, listed: ListedRuns, names: Sequence[tuple[str, str]]) -> list[BenchmarkRecord]:
    """Records of the benchmarks of some runs, under the names that are shown."""
    known = {(task.benchmark, task.checksum): task for task in store.tasks()}
    rows = {}
    for setting, (benchmark, _) in zip(listed.settings, names, strict=True):
        task = known.get((setting["benchmark"]["label"], setting["benchmark"]["checksum"]))
        if task is not None:
            rows[benchmark] = task._replace(benchmark=benchmark)
    return list(rows.values())
