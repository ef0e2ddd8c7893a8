"""`make_plan`: the jobs of a suite, what is known about its benchmarks, and what had to be left out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from hpo_core import Benchmark, benchmarks
from hpo_core.errors import (
    HpoError,
    InvalidBudget,
    InvalidOption,
    InvalidPrior,
    MissingExtra,
    UnknownName,
    UnsupportedSpace,
)
from hpo_core.names import make_optimizer
from hpo_core.names import optimizers as listed_optimizers
from hpo_core.plugins import FailedImport
from hpo_leaderboard.experiments.code.code_digest import forget_digests
from hpo_leaderboard.experiments.code.numerics import numerics
from hpo_leaderboard.experiments.identity import (
    OpenBenchmark,
    close_benchmarks,
    is_numeric_optimizer,
    open_benchmark,
    optimizer_version,
)
from hpo_leaderboard.experiments.job import Job
from hpo_leaderboard.experiments.jobs import Jobs
from hpo_leaderboard.experiments.members import Member, expand
from hpo_leaderboard.experiments.suite import Suite

MOST_RUNS = 1_000_000  # of a plan
N_COSTS = 1000  # random configurations over which the cost of a full evaluation is averaged


class BenchmarkRecord(NamedTuple):
    """What scoring needs to know about a benchmark; None where it is unknown."""

    benchmark: str
    checksum: str
    family: str
    optimum: float | None
    test_optimum: float | None
    full_budget: float
    n_budgets: int
    provenance: str


class Plan(NamedTuple):
    """Jobs, tasks, and a line for each benchmark or pair that cannot be run.

    `lost` are benchmarks of the suite that could not be opened; `unfit` are optimizers that do not go with a benchmark
    or that need a package which is not installed; `costly` are benchmarks whose evaluations take their own time.
    """

    jobs: Jobs
    tasks: list[BenchmarkRecord]
    lost: list[str]
    unfit: list[str]
    costly: list[str]


class _Pair(NamedTuple):
    """A job but for its seed."""

    benchmark: Member
    checksum: str
    full_cost: float | None
    resume: bool | None
    optimizer: Member
    version: str
    numerics: str | None


def make_plan(suite: Suite) -> Plan:
    """Plan of a suite; raises for an unknown optimizer, a wrong option, or when nothing is left to run.

    The jobs go seed by seed through all pairs, so that an experiment that is cut short has treated them alike.
    """
    forget_digests()  # a notebook may plan again after its modules were edited
    close_benchmarks()  # or after their files were written anew
    pairs: list[_Pair] = []
    tasks, costly = [], []
    unopened: list[tuple[str, Exception]] = []
    unfit: dict[tuple[str, str], list[str]] = {}
    optimizers = expand(suite.optimizers, listed_optimizers())
    for member in expand(suite.benchmarks, benchmarks()):
        try:
            opened = open_benchmark(member.name, member.options)
            full_cost = _full_cost(opened.benchmark) if suite.limits_of(member)[0] is not None else None
        except InvalidOption:
            raise
        except (HpoError, OSError) as error:
            unopened.append((member.label, error))
            continue
        tasks.append(benchmark_record(member.label, opened))
        resume = _resume(suite, opened.benchmark)
        if not opened.benchmark.noise_free_is_cheap:
            costly.append(member.label)
        for optimizer in optimizers:
            version = _version_or_reason(optimizer, opened)
            if isinstance(version, HpoError):
                reason = str(version).partition("; ")[0]
                unfit.setdefault((optimizer.label, type(version).__name__), [reason]).append(member.label)
            else:
                depends = opened.is_numeric or is_numeric_optimizer(optimizer.name)
                line = numerics() if depends else None
                pairs.append(_Pair(member, opened.checksum, full_cost, resume, optimizer, version, line))
    left_out = [f"{label} is not run on {', '.join(on)}: {reason}" for (label, _), (reason, *on) in unfit.items()]
    lost = _lost(unopened)
    if not pairs and len(lost) == 1 and isinstance(unopened[0][1], MissingExtra):
        raise unopened[0][1]
    if not pairs:
        raise InvalidOption("nothing can be run: " + "; ".join(lost + left_out))
    n_seeds = [len(suite.seeds_of(pair.optimizer)) for pair in pairs]
    if sum(n_seeds) > MOST_RUNS:
        raise InvalidOption(
            f"a suite may ask for at most {MOST_RUNS:,} runs, got {len(pairs):,} pairs of benchmark and optimizer with "
            f"{suite.n_seeds:,} seeds; run a part of the seeds at a time (first_seed and n_seeds, or --seeds A:B)"
        )
    jobs = Jobs([_job(suite, pair) for pair in pairs], suite.seeds).first_seeds(n_seeds)
    return Plan(jobs, tasks, lost, left_out, costly)


def _lost(unopened: list[tuple[str, Exception]]) -> list[str]:
    """A line for each reason why benchmarks cannot be opened."""
    by_reason: dict[str, list[str]] = {}
    for label, error in unopened:
        by_reason.setdefault(str(error), []).append(label)
    return [
        f"benchmark {labels[0]!r} cannot be opened: {reason}"
        if len(labels) == 1
        else f"{len(labels)} benchmarks cannot be opened, {labels[0]!r} to {labels[-1]!r}: {reason}"
        for reason, labels in by_reason.items()
    ]


def _job(suite: Suite, pair: _Pair) -> Job:
    """The pair's job with the first seed."""
    n_trials, max_cost = suite.limits_of(pair.benchmark)
    return Job(
        benchmark=pair.benchmark,
        checksum=pair.checksum,
        optimizer=pair.optimizer,
        version=pair.version,
        seed=suite.first_seed,
        n_trials=n_trials,
        max_cost=max_cost,
        full_cost=pair.full_cost,
        workers=suite.workers,
        suite_version=suite.version,
        resume=pair.resume,
        numerics=pair.numerics,
    )


def _resume(suite: Suite, benchmark: Benchmark) -> bool | None:
    """Whether runs continue trainings; None with a single budget, where there is nothing to continue."""
    if len(benchmark.budgets) < 2:
        return None
    return benchmark.resumable if suite.resume is None else suite.resume


def _full_cost(benchmark: Benchmark) -> float | None:
    """Mean seconds of an evaluation at the full budget over random configurations; None with a single budget.

    It is rounded to six digits, so that another order of summation in another numpy does not change the keys of runs.
    """
    if len(benchmark.budgets) < 2:
        return None
    configs = benchmark.space.sample(np.random.default_rng(0), N_COSTS)
    mean = float(f"{np.nanmean(benchmark.objective_batch(configs)[1]):.6g}")
    if not mean > 0:
        raise InvalidOption(
            f"{benchmark.name!r} has several budgets and costs nothing, so runs cannot be given equal time; "
            "give the suite max_cost and no n_trials"
        )
    return mean


def _version_or_reason(member: Member, opened: OpenBenchmark) -> str | HpoError:
    """Version of an optimizer on a benchmark, or why it cannot be built there."""
    try:
        built = make_optimizer(member.name, opened.space, opened.benchmark.budgets, 0, **member.options)
    except (UnsupportedSpace, InvalidBudget, MissingExtra) as error:
        return error
    except (UnknownName, FailedImport, InvalidOption, InvalidPrior):
        raise
    except (Exception, SystemExit):
        built = None  # an optimizer that breaks is recorded as such, run by run
    return optimizer_version(member.name, built)


def benchmark_record(label: str, opened: OpenBenchmark) -> BenchmarkRecord:
    """What scoring needs to know about a benchmark, under a label."""
    benchmark = opened.benchmark
    provenance = benchmark.provenance if opened.prior is None else {**benchmark.provenance, "prior": opened.prior}
    optima = provenance.get("optimum", {})
    test_optimum = optima.get("test_loss") if isinstance(optima, Mapping) else None
    return BenchmarkRecord(
        benchmark=label,
        checksum=opened.checksum,
        family=opened.family,
        optimum=benchmark.optimum,
        test_optimum=test_optimum,
        full_budget=float(benchmark.budgets[-1]),
        n_budgets=len(benchmark.budgets),
        provenance=json.dumps(dict(provenance), sort_keys=True, default=_text),
    )


def _text(value: Any) -> str:
    return str(value)
