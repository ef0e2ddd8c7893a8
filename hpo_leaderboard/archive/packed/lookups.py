"""Runs on a table as the numbers of their configurations, and their whole record looked up again.

A run on a table is a function of what was proposed and of its seed: losses and costs are numbers of the table, the
seeds of its trials are those of `trial_seeds`, and its clock is the sum of its costs. So a trial is kept as the number
of its configuration and that of its budget, in the order in which the trials were started.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

import numpy as np

from hpo_core import Benchmark, Trial, run
from hpo_core.errors import HpoError
from hpo_core.problems.problem import Result
from hpo_core.running.continuation import PaidTraining, Trainings
from hpo_core.running.trial import Proposal
from hpo_core.running.trial_seeds import trial_seeds
from hpo_core.space import Space
from hpo_leaderboard.experiments.noise_free import noise_free_losses, noise_free_trials
from hpo_leaderboard.store.columns import LAYOUT, config_lines, pack_numbers

MOST_ROUNDS = 20  # in which failed trials are found that change what later ones continue
MOST_CONFIGS = 2**22  # of a table


class Numbers(NamedTuple):
    """The trials of a run, in the order in which they were started: numbers of configurations and of budgets."""

    configs: np.ndarray
    budgets: np.ndarray


class RunRecord(NamedTuple):
    """Packed columns and lines of configurations of a run, as `FinishedRun` has them before they are compressed."""

    numbers: bytes
    configs: bytes


def is_table(benchmark: Benchmark) -> bool:
    """Whether runs on a benchmark are lookups: it has a table, and its configurations have numbers."""
    has_table = getattr(benchmark.problem, "table", None) is not None
    return has_table and benchmark.space.finite and benchmark.space.size <= MOST_CONFIGS


class LookupTable:
    """A table, for the runs on it."""

    def __init__(self, benchmark: Benchmark):
        self._benchmark = benchmark
        self._codes = benchmark.space.numbering.codes
        self._lines = _lines(benchmark.space)
        self._budget_numbers = {float(budget): k for k, budget in enumerate(benchmark.budgets)}
        self._known = np.zeros(len(self._lines), dtype=bool)
        self._exact, self._test = (np.full(len(self._lines), np.nan) for _ in range(2))

    def numbers_of(self, columns: Mapping[str, np.ndarray], configs: bytes) -> Numbers | None:
        """The trials of a run as numbers; None where a configuration or a budget has none."""
        known = _numbers(self._benchmark.space)
        lines = configs.decode().split("\n") if configs else []
        order = np.argsort(columns["step"], kind="stable")
        try:
            configs_of = np.array([known[line] for line in lines], dtype=np.int64)[order]
            budgets = np.array([self._budget_numbers[budget] for budget in columns["budget"].tolist()], dtype=np.int64)
        except KeyError:
            return None
        return Numbers(configs_of, budgets[order])

    def fits(self, runs: Sequence[Numbers]) -> bool:
        """Whether all numbers are those of a configuration and a budget."""
        most = (len(self._lines), len(self._budget_numbers))
        return all(len(own) == 0 or own.max() < n for each in runs for own, n in zip(each, most, strict=True))

    def records(self, runs: Sequence[Numbers], run_seeds: Sequence[int], resume: bool, workers: int) -> list[RunRecord]:
        """The whole records of runs with these seeds; `resume` and `workers` as `hpo_core.run` takes them."""
        if workers > 1 or not any(len(own.configs) for own in runs):
            return [self._replayed(own, seed, resume, workers) for own, seed in zip(runs, run_seeds, strict=True)]
        started = [
            np.array(list(islice(trial_seeds(seed), len(own.configs))), dtype=np.int64)
            for own, seed in zip(runs, run_seeds, strict=True)
        ]
        ends = np.cumsum([len(own.configs) for own in runs])
        together = Numbers(*(np.concatenate(list(columns)) for columns in zip(*runs, strict=True)))
        continues = resume and len(self._benchmark.budgets) > 1
        found = self._evaluated(together, np.concatenate(started), ends, continues)
        if found is None:
            return [self._replayed(own, seed, resume, 1) for own, seed in zip(runs, run_seeds, strict=True)]
        return [
            self._record({name: values[a:b] for name, values in found.items()}, own.configs)
            for a, b, own in zip([0, *ends.tolist()], ends.tolist(), runs, strict=False)
        ]

    def _evaluated(
        self, trials: Numbers, seeds: np.ndarray, ends: np.ndarray, continues: bool
    ) -> dict[str, np.ndarray] | None:
        """Columns of the trials of several runs one after the other; None if they are not found in `MOST_ROUNDS`.

        A trial that failed is not continued, and what a trial continues is its seed: so failures are guessed, at first
        none, until the trials fail as guessed. A guess is right from the start up to its first mistake and beyond.
        """
        failed = np.zeros(len(seeds), dtype=bool)
        for _ in range(MOST_ROUNDS):
            source = _continued(trials, failed, ends) if continues else np.full(len(seeds), -1)
            own_seeds = _with_origins(seeds, source)
            loss, cost = self._looked_up(trials, own_seeds)
            now = ~(np.isfinite(loss) & np.isfinite(cost) & (cost >= 0.0))
            if (now == failed).all() or not continues:
                break
            failed = now
        else:
            return None
        paid = np.where(source >= 0, cost[source], 0.0)
        taken = np.maximum(np.where(np.isfinite(cost) & (cost >= 0.0), cost, 0.0) - paid, 0.0)
        return {"loss": np.where(now, np.inf, loss), "cost": taken, "failed": now, "budget": self._budgets(trials)}

    def _budgets(self, trials: Numbers) -> np.ndarray:
        return np.asarray(self._benchmark.budgets, dtype=float)[trials.budgets]

    def _looked_up(self, trials: Numbers, seeds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(n,) losses and (n,) costs of trainings from scratch."""
        loss, cost = np.empty(len(seeds)), np.empty(len(seeds))
        order = np.argsort(trials.budgets, kind="stable")
        budgets, firsts = np.unique(trials.budgets[order], return_index=True)
        for k, rows in zip(budgets.tolist(), np.split(order, firsts[1:]), strict=True):
            codes = self._codes(trials.configs[rows])
            loss[rows], cost[rows] = self._benchmark.objective_batch(codes, self._benchmark.budgets[k], seeds[rows])
        return loss, cost

    def _record(self, columns: dict[str, np.ndarray], configs: np.ndarray) -> RunRecord:
        """The record of one run with one worker: trials follow one another."""
        self._know(configs)
        end = np.cumsum(columns["cost"])
        start = np.concatenate([[0.0], end[:-1]])[: len(end)]
        zeros = np.zeros(len(end))
        columns |= {"step": np.arange(len(end)), "worker": zeros, "start": start, "end": start + columns["cost"]}
        columns |= {"exact": self._exact[configs], "test": self._test[configs]}
        numbers = b"".join(np.asarray(columns[name], dtype=kind).tobytes() for name, kind in LAYOUT)
        return RunRecord(numbers, "\n".join(map(self._lines.__getitem__, configs.tolist())).encode())

    def _know(self, configs: np.ndarray) -> None:
        """Look up the noise-free losses of configurations that were not asked for yet."""
        new = np.unique(configs[~self._known[configs]])
        if len(new):
            given = self._benchmark.space.decode(self._codes(new))
            self._exact[new], self._test[new] = noise_free_losses(self._benchmark, given)
            self._known[new] = True

    def _replayed(self, trials: Numbers, run_seed: int, resume: bool, workers: int) -> RunRecord:
        """The record of a run by the loop itself, with any number of workers."""
        configs = self._benchmark.space.decode(self._codes(trials.configs))
        budgets = [self._benchmark.budgets[k] for k in trials.budgets.tolist()]
        listed = _Listed([Proposal(*pair) for pair in zip(configs, budgets, strict=True)])
        limit = max(len(configs), 1)
        record = run(self._benchmark, listed, n_trials=limit, seed=run_seed, workers=workers, resume=resume)
        lines = config_lines(record.trials)
        exact, test = noise_free_trials(self._benchmark, record.trials, lines)
        return RunRecord(pack_numbers(record.trials, exact, test), "\n".join(lines).encode())


class _Listed:
    """An optimizer that proposes what it was given."""

    def __init__(self, proposals: Sequence[Proposal]):
        self._left = iter(proposals)

    def ask(self) -> Proposal | None:
        return next(self._left, None)

    def tell(self, proposal: Proposal, loss: float, cost: float) -> None:
        pass


def _continued(trials: Numbers, failed: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """(n,) index of the trial whose training each one continues, -1 for a training from scratch.

    Costs are not known yet, so the place of a paused training's cost is taken by the index of its trial.
    """
    source = np.full(len(failed), -1, dtype=np.int64)
    configs, budgets, broke = trials.configs.tolist(), trials.budgets.tolist(), failed.tolist()
    start = 0
    for end in ends.tolist():
        trainings = Trainings()
        for i in range(start, end):
            config = {"number": configs[i]}
            training = trainings.claim(config, budgets[i])
            if training is not None:
                source[i] = int(training.cost)
            if not broke[i]:
                trainings.keep(config, PaidTraining(budgets[i], i, 0))
        start = end
    return source


def _with_origins(seeds: np.ndarray, source: np.ndarray) -> np.ndarray:
    """(n,) seed of the training that each trial is a part of: that of its first trial."""
    own = seeds.copy()
    for i in np.flatnonzero(source >= 0).tolist():  # in order: what is continued is settled before
        own[i] = own[source[i]]
    return own


@lru_cache(maxsize=8)
def _lines(space: Space) -> list[str]:
    """Every configuration of a space as a line of JSON, as the store has it."""
    unused = Result(0.0, 0.0, 1, {})
    return config_lines([Trial(Proposal(config), unused) for config in space.configs()])


@lru_cache(maxsize=8)
def _numbers(space: Space) -> dict[str, int]:
    """Number of each configuration of a space by its line."""
    return {line: i for i, line in enumerate(_lines(space))}


def lookup_table(benchmark: Benchmark) -> LookupTable | None:
    """The table behind a benchmark; None where runs on it are no lookups."""
    try:
        return LookupTable(benchmark) if is_table(benchmark) else None
    except HpoError:
        return None
