"""`Job`: one run of an experiment, everything that its outcome depends on, and the key made of that."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from hpo_leaderboard.experiments.members import Member
from hpo_leaderboard.experiments.run_seeds import run_seed


@dataclass(frozen=True)
class Job:
    """One run.

    benchmark, checksum   what is optimized, and the checksum of its contents
    optimizer, version    what optimizes, and its version
    seed                  of the suite; the run's own is `run_seed`
    n_trials, max_cost    limits: evaluations, seconds on the run's clock
    full_cost             seconds of an evaluation at the full budget on average, on a benchmark with several budgets;
                          None on one with a single budget
    workers               evaluations at the same time
    suite_version         of the suite
    resume                whether a larger budget continues a training; None on a benchmark with a single budget
    numerics              libraries of linear algebra, if optimizer or benchmark depend on them; else None
    """

    benchmark: Member
    checksum: str
    optimizer: Member
    version: str
    seed: int
    n_trials: int | None
    max_cost: float | None
    full_cost: float | None
    workers: int
    suite_version: int
    resume: bool | None = None
    numerics: str | None = None

    def with_seed(self, seed: int) -> Job:
        """The job with another seed of the suite."""
        return replace(self, seed=seed)

    @property
    def run_seed(self) -> int:
        """Seed of the optimizer and of the trials."""
        return run_seed(self.seed, self.benchmark.name, self.benchmark.options)

    @property
    def trial_limit(self) -> int | None:
        """Evaluations after which the run ends; None on a benchmark with several budgets, where cost is the limit."""
        return self.n_trials if self.full_cost is None else None

    @property
    def cost_limit(self) -> float | None:
        """Seconds on the run's clock after which it ends.

        Where a benchmark has several budgets, a method that evaluates at small ones and a method that does not get the
        same time: that of `n_trials` average evaluations at the full budget.
        """
        if self.full_cost is None or self.n_trials is None:
            return self.max_cost
        worth = self.n_trials * self.full_cost
        return worth if self.max_cost is None else min(worth, self.max_cost)

    @cached_property
    def description(self) -> str:
        """Canonical JSON of all fields; those of runs without linear algebra say nothing about its libraries."""
        return json.dumps(
            {
                "benchmark": {**_member(self.benchmark), "checksum": self.checksum},
                "optimizer": {**_member(self.optimizer), "version": self.version},
                "seed": self.seed,
                "run_seed": self.run_seed,
                "limits": {
                    "n_trials": self.n_trials,
                    "max_cost": self.max_cost,
                    "full_cost": self.full_cost,
                    "workers": self.workers,
                    "resume": self.resume,
                },
                "suite": self.suite_version,
                **({} if self.numerics is None else {"numerics": self.numerics}),
            },
            sort_keys=True,
            separators=(",", ":"),
        )

    @cached_property
    def key(self) -> str:
        """Hexadecimal SHA-256 of the description; runs with equal keys have equal outcomes."""
        return key_of(self.description)


def key_of(description: str) -> str:
    """Hexadecimal SHA-256 of a description."""
    return hashlib.sha256(description.encode()).hexdigest()


def key_by_seeds(job: Job) -> Callable[[int, int], str]:
    """Function of a run's own seed and the suite's: the key of the job with these seeds.

    They stand at the end of a description, and only the suite's version after them, so that a key takes a microsecond.
    """
    before, mark, after = job.description.rpartition('"run_seed":')
    head, ending = before + mark, after[after.rindex(',"suite":') :]
    return lambda run_seed, seed: key_of(f'{head}{run_seed},"seed":{seed}{ending}')


def _member(member: Member) -> dict[str, Any]:
    return {"name": member.name, "options": dict(member.options), "label": member.label}
