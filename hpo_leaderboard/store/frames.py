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

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hpo_core.errors import DamagedFile
from hpo_leaderboard.experiments.plan import BenchmarkRecord
from hpo_leaderboard.store.columns import LAYOUT, number_fault, unpack_numbers
from hpo_leaderboard.store.file.rows import StoredRun
from hpo_leaderboard.store.shown_names import shown_names
from hpo_leaderboard.store.store import Store

if TYPE_CHECKING:
    import pandas


class Frames(NamedTuple):
    """Data frames of a store, see the module's head."""

    trials: pandas.DataFrame
    runs: pandas.DataFrame
    tasks: pandas.DataFrame


class _Entry(NamedTuple):
    """A run with what its description says, and its decompressed contents."""

    run: StoredRun
    said: Mapping[str, Any]
    numbers: bytes
    configs: bytes


def make_frames(store: Store, *, configs: bool = True, keys: Collection[str] | None = None) -> Frames:
    """Frames of a store; raises `DamagedFile` for a run that is not what was stored.

    Without `configs` the trials have no column `config`, which saves most of the memory. With `keys`, only the runs of
    these keys are read.
    """
    import pandas

    entries = _entries(store, configs, keys)
    stored = {key: number for number, key in enumerate(store.keys())}
    names = shown_names([entry.said for entry in entries])
    order = sorted(range(len(entries)), key=lambda i: (*names[i], entries[i].run.seed))
    entries, names = [entries[i] for i in order], [names[i] for i in order]
    trials = trials_frame(
        [(*name, entry.run.seed) for name, entry in zip(names, entries, strict=True)],
        [entry.run.n_trials for entry in entries],
        [entry.numbers for entry in entries],
        [entry.configs for entry in entries] if configs else None,
    )
    _check(store, [entry.run for entry in entries], trials)
    rows = [_run_row(entry, name, stored[entry.run.key]) for entry, name in zip(entries, names, strict=True)]
    runs = pandas.DataFrame(rows, columns=RUNS)
    return Frames(trials, runs, tasks_frame(_tasks(store, entries, names)))


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
    entries = [_Entry(head, head.said(), b"", b"") for head in store.heads()]
    names = shown_names([entry.said for entry in entries])
    optima = {task.benchmark: task.optimum for task in _tasks(store, entries, names)}
    runs = [
        NamedRun(*name, entry.run.seed, entry.run.key, entry.run.n_trials, optima.get(name[0]))
        for name, entry in zip(names, entries, strict=True)
    ]
    return sorted(runs, key=lambda run: run[:3])


def trials_of(store: Store, run: NamedRun) -> pandas.DataFrame:
    """The frame `trials` of one run; raises `DamagedFile` if it is not what was stored."""
    stored = store.run(run.key)
    numbers, configs = store.contents(stored)
    trials = trials_frame([(run.benchmark, run.optimizer, run.seed)], [stored.n_trials], [numbers], [configs])
    _check(store, [stored], trials)
    return trials


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
    import pandas

    trials = {
        "benchmark": np.repeat(np.array([benchmark for benchmark, _, _ in runs], dtype=object), counts),
        "optimizer": np.repeat(np.array([optimizer for _, optimizer, _ in runs], dtype=object), counts),
        "seed": np.repeat(np.array([seed for _, _, seed in runs], dtype=np.int64), counts),
        **unpack_numbers(numbers, counts),
    }
    if configs is not None:
        whole = b"\n".join(lines for lines, count in zip(configs, counts, strict=True) if count)
        trials["config"] = np.array(whole.decode().split("\n") if whole else [], dtype=object)
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


def _entries(store: Store, keeps_configs: bool, keys: Collection[str] | None) -> list[_Entry]:
    """The runs of a store, or those of some keys, with their contents; together they take no more than its room."""
    entries, room = [], store.room()
    for run in store.runs(keys):
        numbers, configs = store.contents(run, room)
        room -= len(numbers) + len(configs)
        slim = run._replace(numbers=b"", configs=b"")  # a million trials lie here at once
        entries.append(_Entry(slim, run.said(), numbers, configs if keeps_configs else b""))
    return entries


def _check(store: Store, runs: Sequence[StoredRun], trials: pandas.DataFrame) -> None:
    """Raise `DamagedFile` for trials that no run can have; `runs` are those of the trials, in their order."""
    columns = {name: trials[name].to_numpy() for name, _ in LAYOUT}
    if number_fault(columns) is None:
        return
    ends = np.cumsum([run.n_trials for run in runs])
    for run, own in zip(runs, zip(*(np.split(columns[name], ends) for name in columns), strict=True), strict=False):
        fault = number_fault(dict(zip(columns, own, strict=True)))
        if fault is not None:
            raise DamagedFile(f"{store.path}: {run}: {fault}; it was made by something else than a run")


def _run_row(entry: _Entry, name: tuple[str, str], stored: int) -> list[Any]:
    run, limits = entry.run, entry.said["limits"]
    by_cost = limits["full_cost"] is not None and limits["n_trials"] is not None
    costs = [limits["max_cost"], limits["n_trials"] * limits["full_cost"] if by_cost else None]
    max_cost = min((cost for cost in costs if cost is not None), default=np.nan)
    n_trials = np.nan if by_cost or limits["n_trials"] is None else limits["n_trials"]
    version = entry.said["optimizer"]["version"]
    head = [*name, run.seed, run.key, run.reason, run.n_trials, run.overhead]
    n_random = np.nan if run.n_random is None else run.n_random
    return [*head, version, run.failure, n_trials, max_cost, n_random, stored, run.description]


def _tasks(store: Store, entries: Sequence[_Entry], names: Sequence[tuple[str, str]]) -> list[BenchmarkRecord]:
    """Records of the benchmarks of some runs, under the names that are shown."""
    known = {(task.benchmark, task.checksum): task for task in store.tasks()}
    rows = {}
    for entry, (benchmark, _) in zip(entries, names, strict=True):
        task = known.get((entry.run.benchmark, entry.said["benchmark"]["checksum"]))
        if task is not None:
            rows[benchmark] = task._replace(benchmark=benchmark)
    return list(rows.values())
