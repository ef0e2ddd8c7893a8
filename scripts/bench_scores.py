"""Speed of the scores: bootstrap ranks against a plain loop, and every score of a million trials.

    python scripts/bench_scores.py [--tasks 62] [--repeats 3]

Times are CPU seconds of one core, the median over the repeats. The loop ranks one sample, task and iteration at a time,
as implementations of the papers do; it is timed on a small case, where its result is checked to be equal, and
extrapolated to the large one by the number of rankings.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy loads: the times are those of one core

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from hpo_core.errors import MissingExtra
from hpo_leaderboard.scores.area_under_curve import areas
from hpo_leaderboard.scores.comparisons import mann_whitney, stratified_mann_whitney, task_p_matrix
from hpo_leaderboard.scores.critical_difference import critical_difference
from hpo_leaderboard.scores.curves import curve_summary, curves, default_grid
from hpo_leaderboard.scores.fixed_target.expected_running_times import expected_running_times
from hpo_leaderboard.scores.fixed_target.performance_profiles import performance_profiles
from hpo_leaderboard.scores.fixed_target.runtimes import ecdf, runtimes
from hpo_leaderboard.scores.fixed_target.speedups import speedups
from hpo_leaderboard.scores.fixed_target.targets import final_targets, quantile_targets
from hpo_leaderboard.scores.incumbents import final_values, incumbents
from hpo_leaderboard.scores.intervals import mean_table
from hpo_leaderboard.scores.leaderboard import leaderboard
from hpo_leaderboard.scores.over_tasks import bayesian_signed_rank, hierarchical_bootstrap, wilcoxon_over_tasks
from hpo_leaderboard.scores.power import power
from hpo_leaderboard.scores.ranks import average_ranks
from hpo_leaderboard.scores.robustness import robustness

RUN = ["benchmark", "optimizer", "seed"]


def made_up_curves(n_tasks: int, n_optimizers: int, n_runs: int, n_iterations: int) -> pd.DataFrame:
    """Falling curves, a row per run, rounded so that some values tie.

    Parameters
    ----------
    n_tasks, n_optimizers, n_runs, n_iterations
        Size of the table; runs of each optimizer on each task.

    Returns
    -------
    pd.DataFrame
        Values, a column per iteration.
    """
    levels = [[f"{kind}{i:03d}" for i in range(n)] for kind, n in (("task", n_tasks), ("optimizer", n_optimizers))]
    index = pd.MultiIndex.from_product([*levels, range(n_runs)], names=RUN)
    values = np.round(np.random.default_rng(0).random((len(index), n_iterations)), 4)
    return pd.DataFrame(np.minimum.accumulate(values, axis=1), index=index, columns=np.arange(1, n_iterations + 1))


def made_up_trials(n_tasks: int, n_optimizers: int, n_runs: int, n_trials: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Trials with noise and failures, and their tasks.

    Parameters
    ----------
    n_tasks, n_optimizers, n_runs, n_trials
        Size of the table; runs of each optimizer on each task, trials of each run.

    Returns
    -------
    tuple of pd.DataFrame
        Trials and tasks, with the columns of a store.
    """
    rng = np.random.default_rng(0)
    index = made_up_curves(n_tasks, n_optimizers, n_runs, 1).index
    trials = index.repeat(n_trials).to_frame(index=False)
    exact, cost = rng.random(len(trials)), rng.exponential(10.0, len(trials))
    failed = rng.random(len(trials)) < 0.02
    trials = trials.assign(budget=100.0, cost=cost, failed=failed, exact=exact, test=exact)
    trials["loss"] = np.where(failed, np.inf, exact + 0.05 * rng.normal(size=len(trials)))
    trials["end"] = cost.reshape(-1, n_trials).cumsum(axis=1).ravel()
    tasks = pd.DataFrame({"benchmark": index.unique(level="benchmark"), "optimum": 0.0, "test_optimum": 0.0})
    return trials, tasks


def looped_ranks(table: pd.DataFrame, seed: int, n_samples: int) -> np.ndarray:
    """(optimizer, iteration) mean rank, one ranking at a time, from the runs that `average_ranks` draws."""
    rng = np.random.default_rng(seed)
    tasks, optimizers = (sorted(table.index.unique(level=level)) for level in ("benchmark", "optimizer"))
    total = np.zeros((len(optimizers), table.shape[1]))
    for task in tasks:
        runs = [table.loc[(task, name)].to_numpy() for name in optimizers]
        draws = np.array([len(own) - rng.integers(1, len(own) + 1, n_samples) for own in runs])
        for sample in range(n_samples):
            for iteration in range(table.shape[1]):
                drawn = [own[index, iteration] for own, index in zip(runs, draws[:, sample], strict=True)]
                total[:, iteration] += rankdata(drawn)
    return total / (n_samples * len(tasks))


def seconds(call: Callable[[], Any], repeats: int) -> tuple[float, Any]:
    """Median CPU seconds of a call, and what it returns."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        result = call()
        times.append(time.process_time() - start)
    return statistics.median(times), result


def bench_ranks(repeats: int) -> None:
    """Print the time of bootstrap ranks at full size, and its ratio to the loop on a small case."""
    small = made_up_curves(3, 8, 20, 20)
    average_ranks(small)  # imports are not what is measured
    slow, looped = seconds(lambda: looped_ranks(small, 0, 50), 1)
    quick, ranks = seconds(lambda: average_ranks(small, 0, n_samples=50), repeats)
    found = ranks.pivot(index="optimizer", columns="at", values="rank").to_numpy()
    if not np.allclose(found, looped, rtol=0, atol=1e-12):
        raise SystemExit("bootstrap ranks differ from the loop's")
    full = made_up_curves(100, 8, 20, 100)
    large, _ = seconds(lambda: average_ranks(full), repeats)
    extrapolated = slow / (50 * 3 * 20) * 1000 * 100 * 100
    rows = {
        "3 tasks x 20 iterations x 50 samples, equal results": (quick, slow),
        "100 tasks x 100 iterations x 1,000 samples": (large, extrapolated),
    }
    print("bootstrap ranks of 8 optimizers, 20 runs                  vectorised       loop   ratio")
    for name, (ours, loops) in rows.items():
        print(f"  {name:<54}{ours:>8.3f} s {loops:>8.2f} s {loops / ours:>7.0f}")
    print("  (the loop's time in the last row is extrapolated)")


def bench_table(n_tasks: int, repeats: int) -> None:
    """Print the time of every score on one large table."""
    trials, tasks = made_up_trials(n_tasks, 8, 20, 100)
    runs = trials.groupby(RUN, observed=True).size().rename("n_trials").reset_index().assign(overhead=0.1, failure=None)
    table = incumbents(trials, tasks)
    final, targets = final_values(table), quantile_targets(table)
    reached, shown = runtimes(table, targets), quantile_targets(table, 10)
    calls: dict[str, Callable[[], Any]] = {
        "incumbents": lambda: incumbents(trials, tasks),
        "curves over evaluations, with intervals": lambda: curve_summary(table),
        "curves over seconds, with intervals": lambda: curve_summary(table, "seconds"),
        "curves of all benchmarks together": lambda: curve_summary(table, "share", value="relative", pooled=True),
        "runtimes to 50 targets a task": lambda: runtimes(table, targets),
        "ECDF of them, with intervals": lambda: ecdf(reached, default_grid(table)),
        "expected running times, 10 targets a task": lambda: expected_running_times(table, shown),
        "average ranks": lambda: average_ranks(curves(table)),
        "Mann-Whitney on each task": lambda: mann_whitney(final),
        "Mann-Whitney over all tasks": lambda: stratified_mann_whitney(final),
        "Wilcoxon over tasks": lambda: wilcoxon_over_tasks(final),
        "Bayesian signed-rank over tasks": lambda: bayesian_signed_rank(final),
        "hierarchical bootstrap over tasks and runs": lambda: hierarchical_bootstrap(final),
        "heat map over tasks": lambda: task_p_matrix(final),
        "power of a pair": lambda: power(final, "optimizer000", "optimizer001"),
        "critical differences": lambda: critical_difference(final),
        "robustness": lambda: robustness(final),
        "performance profiles": lambda: performance_profiles(table, targets),
        "speed-ups": lambda: speedups(table, final_targets(table, "optimizer000"), "optimizer000"),
        "areas under the curves": lambda: mean_table(areas(curves(table))),
        "leaderboard": lambda: leaderboard(table, runs),
    }
    print(f"\n{len(trials):,} trials: {n_tasks} tasks x 8 optimizers x 20 runs x 100 trials")
    total = 0.0
    for name, call in calls.items():
        try:
            taken, _ = seconds(call, repeats)
        except MissingExtra as error:
            print(f"  {name:<44}skipped: {error}")
            continue
        total += taken
        print(f"  {name:<44}{taken:>8.2f} s")
    print(f"  {'all of these':<44}{total:>8.2f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=int, default=62, help="tasks of the large table, 16,000 trials each (62)")
    parser.add_argument("--repeats", type=int, default=3, help="repeats of every measurement (3)")
    options = parser.parse_args()
    bench_ranks(options.repeats)
    bench_table(options.tasks, options.repeats)


if __name__ == "__main__":
    main()
