"""CPU time that runs are expected to take, from overheads that were measured or that a store holds.

The time of an optimizer is taken to grow in proportion to the number of evaluations. That is too low for long runs of
Gaussian processes, whose time grows faster. Evaluations that train on demand are not part of an estimate.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from baselines.adapters.parts.peer_names import is_peer, short_name
from hpo_leaderboard.experiments.job import Job
from hpo_leaderboard.experiments.jobs import Jobs

RUN_SECONDS = 3e-3  # of a run beside its trials: building the optimizer, noise-free losses, storing
START_SECONDS = 2.0  # of a peer process: starting Python and importing its library
TRIAL_SECONDS = 3e-5  # of the loop and a lookup
USUAL_TRIALS = 100  # where a run is limited by cost alone
UNKNOWN = 5.0  # milliseconds, for an optimizer that nothing is known about
SHIPPED, STORE, GUESS = "measured before", "this store", "guess"

# CPU milliseconds of `ask` and `tell` per evaluation, runs of 100 evaluations on `protein`; on a benchmark with several
# budgets (`mini-wine`, and `svm-subsets` for fabolas) per evaluation at the full budget that the time is worth.
MILLISECONDS: dict[str, tuple[float, float]] = {
    "rs": (0.007, 0.014),
    "grid": (0.003, 0.003),
    "sobol": (0.02, 0.02),
    "lhs": (0.005, 0.005),
    "local-search": (0.04, 0.04),
    "re": (0.006, 0.006),
    "reinforce": (0.03, 0.04),
    "de": (0.01, 0.01),
    "cmaes": (0.25, 0.25),
    "tpe": (0.19, 0.19),
    "tpe-univariate": (0.12, 0.13),
    "sh": (0.14, 0.14),
    "hyperband": (0.08, 0.08),
    "priorband": (2.2, 2.2),
    "asha": (0.22, 0.22),
    "asha-stop": (0.39, 0.39),
    "pasha": (1.3, 1.3),
    "bohb": (2.7, 2.7),
    "dehb": (0.29, 0.29),
    "mobster": (79.0, 79.0),
    "gp": (6.6, 6.6),
    "gp-ucb": (5.8, 5.8),
    "gp-acquisition": (6.3, 6.3),
    "gp-warped": (10.8, 10.8),
    "turbo": (9.2, 9.2),
    "es": (21.0, 21.0),
    "smac": (3.6, 3.6),
    "bore": (9.0, 9.0),
    "cqr": (8.1, 8.1),
    "bohamiann": (55.0, 55.0),
    "dngo": (6.7, 6.7),
    "mtbo": (22.0, 420.0),
    "mt-bohamiann": (62.0, 62.0),
    "bo-bos": (230.0, 230.0),
    "lcnet-hb": (470.0, 470.0),
    "lc-gp": (2000.0, 2000.0),  # at least: it was given up after 400 s
    "optuna-tpe": (5.5, 5.5),
    "optuna-gp": (114.0, 114.0),
    "optuna-cmaes": (1.1, 1.1),
    "hyperopt-tpe": (13.0, 13.0),
    "skopt-gp": (490.0, 490.0),
    "smac3": (185.0, 185.0),
    "smac3-mf": (490.0, 490.0),  # the first 30 evaluations
    "nevergrad-ngopt": (6.7, 11.0),
    "optuna-hyperband": (78.0, 78.0),
    "optuna-median": (33.0, 33.0),
    "dehb-lib": (6.8, 6.8),
    "ax": (420.0, 420.0),  # the first 12 evaluations
    "syne-tune-bore": (290.0, 290.0),  # the first 20 evaluations, and of the next
    "syne-tune-cqr": (530.0, 530.0),
}


class Overhead(NamedTuple):
    """CPU seconds of an optimizer and trials of a run, each the mean over the runs of a store."""

    seconds: float
    n_trials: float


class Estimate(NamedTuple):
    """CPU seconds that a run is expected to take, and what that rests on."""

    seconds: float
    source: str


def estimate(job: Job, recorded: Mapping[tuple[str, str], Overhead] | None = None) -> Estimate:
    """Estimate of a job.

    `recorded` are the overheads of a store by the labels of benchmark and optimizer; where it has none of this pair,
    what was measured with this release counts. Without `recorded` the estimate is the same on every machine.
    """
    n_trials = job.n_trials if job.n_trials is not None else USUAL_TRIALS
    known = (recorded or {}).get((job.benchmark.label, job.optimizer.label))
    if known is not None and known.n_trials > 0:
        share = n_trials / known.n_trials if job.full_cost is None else 1.0
        return Estimate(RUN_SECONDS + share * (known.seconds + known.n_trials * TRIAL_SECONDS), STORE)
    measured = MILLISECONDS.get(short_name(job.optimizer.name).partition("@")[0])
    each = UNKNOWN if measured is None else measured[job.full_cost is not None]
    start = START_SECONDS if is_peer(job.optimizer.name) else 0.0
    seconds = RUN_SECONDS + start + n_trials * (TRIAL_SECONDS + each / 1000)
    return Estimate(seconds, GUESS if measured is None else SHIPPED)


class Shard(NamedTuple):
    """The `number`-th of `total` parts of an experiment, counted from 1."""

    number: int
    total: int


def jobs_of_shard(jobs: Jobs, shard: Shard) -> Jobs:
    """The jobs of a shard, in their order.

    The shards of an experiment hold each job once and take about the same CPU time: the longest job that is left goes
    to the shard with the least to do. The partition depends on the jobs alone, so machines that know nothing of each
    other make the same one.
    """
    seconds = np.array([estimate(pair).seconds for pair in jobs.pairs])[jobs.pair_of_each()]
    keys = np.array([key.encode() for key in jobs.each_key()])
    loads = [(0.0, number) for number in range(1, shard.total + 1)]  # heap: the least to do, then the first
    mine = []
    for i in np.lexsort((keys, -seconds)).tolist():
        load, number = loads[0]
        heapq.heapreplace(loads, (load + float(seconds[i]), number))
        if number == shard.number:
            mine.append(i)
    return jobs.only(np.sort(np.array(mine, dtype=np.int64)))
