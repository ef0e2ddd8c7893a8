"""Expected running times: what it takes on average to reach a loss, counting the runs that do not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hpo_leaderboard.scores.curves import run_ends
from hpo_leaderboard.scores.fixed_target.runtimes import runtimes
from hpo_leaderboard.scores.fixed_target.targets import losses_by_benchmark
from hpo_leaderboard.scores.incumbents import as_incumbents, cells, run_index
from hpo_leaderboard.scores.intervals import LEVEL, N_SAMPLES, counts_of_all, percentile_interval

if TYPE_CHECKING:
    import pandas

    from hpo_leaderboard.scores.from_runs import Source


class RunningTimes(NamedTuple):
    """Expected running times of one optimizer on one benchmark.

    targets     (target,) losses
    times       (1 + sample, target) expected running times: of the runs there are, then of bootstrap samples of them
    n_success   (target,) runs that reached the target
    n           runs
    """

    benchmark: str
    optimizer: str
    targets: np.ndarray
    times: np.ndarray
    n_success: np.ndarray
    n: int


def expected_running_times(
    incumbents: Source,
    targets: pandas.DataFrame,
    over: str = "evaluations",
    seed: int = 0,
    n_samples: int = N_SAMPLES,
    level: float = LEVEL,
) -> pandas.DataFrame:
    """Expected running time of each optimizer to each target of each benchmark, in the unit of the axis.

    ERT = (sum over runs of the time until the target was reached, or of the whole run if it was not) / #{runs that
    reached it}; inf if none did (Hansen et al., 2021, COCO). It is the expected time of restarting the optimizer until
    it succeeds, so it depends on how long the unsuccessful runs were allowed to go on. The interval resamples runs.

    Parameters
    ----------
    incumbents
        Table of `incumbents`, or runs.
    targets
        Losses to reach, columns benchmark and target, see `hpo_leaderboard.scores.fixed_target.targets`.
    over
        The axis: "evaluations", "seconds" or "share".
    seed, n_samples, level
        Of the bootstrap interval: its seed, the number of samples, the share of them that it holds.

    Returns
    -------
    pandas.DataFrame
        Columns: benchmark, optimizer, target, ert, low, high, n_success, n.
    """
    import pandas as pd

    parts = []
    for own in running_times(incumbents, targets, over, seed, n_samples):
        low, high = percentile_interval(own.times[1:], level) if own.n > 1 else (np.nan, np.nan)
        name = {"benchmark": own.benchmark, "optimizer": own.optimizer, "target": own.targets}
        statistics = {"ert": own.times[0], "low": low, "high": high, "n_success": own.n_success, "n": own.n}
        parts.append(pd.DataFrame({**name, **statistics}))
    return pd.concat(parts, ignore_index=True)


def running_times(
    incumbents: Source, targets: pandas.DataFrame, over: str, seed: int = 0, n_samples: int = 0
) -> Iterator[RunningTimes]:
    """Expected running times of each optimizer on each benchmark, in order of the names, resampled independently.

    Parameters are those of `expected_running_times`.
    """
    known = as_incumbents(incumbents)
    table = runtimes(known, targets, over)
    ends = run_ends(known, over)[run_index(known).isin(table.index)]
    losses = losses_by_benchmark(targets)
    every = list(cells(table))
    drawn = counts_of_all(seed, (len(rows) for _, rows in every), n_samples)
    for ((benchmark, optimizer), rows), resampled in zip(every, drawn, strict=True):
        goals = losses[benchmark]
        reached = table.to_numpy(dtype=float)[rows][:, : len(goals)]
        success = np.isfinite(reached)
        spent = np.where(success, reached, ends[rows][:, None])
        counts = np.concatenate([np.ones((1, len(rows))), resampled])
        time, n_success = counts @ spent, counts @ success
        times = np.divide(time, n_success, out=np.full(time.shape, np.inf), where=n_success > 0)
        yield RunningTimes(benchmark, optimizer, goals, times, success.sum(axis=0), len(rows))
