"""Do the tests and intervals of a report hold their level? A/A comparisons: all optimizers are the same.

    python scripts/check_scores.py [--repetitions 200] [--tasks 4,10,100]

Every "difference" that is found between equal optimizers is an error, and a test at the level 5 % may make it in 5 % of
the repetitions. First on simulated regrets, whose scale differs between benchmarks: K optimizers with n runs on each.
Then on real runs of random search on generated tasks, two "optimizers" of 2 seeds, once with a seed of its own for
every benchmark, as suites derive it, and once with the same seeds on all of them.

A row fails if so many errors would be made with a probability below 1 in 1,000 at the stated level; the exit status is
1 if one does. Two kinds of rows are shown and do not count: those with the same seeds on all benchmarks, which say why
suites derive them, and those of the Bayesian test, whose posterior probability states no rate of errors.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy loads: matrices are small

import argparse
import sys
from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd
from scipy.stats import binom, binomtest

from hpo_core import run
from hpo_leaderboard.experiments.identity import open_benchmark
from hpo_leaderboard.experiments.run_seeds import run_seed
from hpo_leaderboard.scores.comparisons import mann_whitney, stratified_mann_whitney, task_p_matrix
from hpo_leaderboard.scores.critical_difference import critical_difference
from hpo_leaderboard.scores.intervals import mean_table
from hpo_leaderboard.scores.over_tasks import bayesian_signed_rank, hierarchical_bootstrap, wilcoxon_over_tasks
from hpo_leaderboard.scores.ranks import average_ranks

Values = pd.Series  # indexed by (benchmark, optimizer, seed)
ALPHA = 0.05
SURPRISE = 1e-3
RUN = ["benchmark", "optimizer", "seed"]


def _outside(low: float, value: float, high: float) -> bool:
    return not low <= value <= high


def mann_whitney_holm(values: Values) -> bool:
    """Whether any pair differs on the first benchmark."""
    first = values.index[0][0]
    return bool((mann_whitney(values[[first]], n_samples=1)["p_holm"] < ALPHA).any())


def van_elteren_holm(values: Values) -> bool:
    return bool((stratified_mann_whitney(values, n_samples=1)["p_holm"] < ALPHA).any())


def wilcoxon_holm(values: Values) -> bool:
    return bool((wilcoxon_over_tasks(values)["p_holm"] < ALPHA).any())


def heat_map_cell(values: Values) -> bool:
    """One cell of the map: it is one-sided and not corrected."""
    return bool(task_p_matrix(values).iloc[1, 0] < ALPHA)


def friedman(values: Values) -> bool:
    return critical_difference(values).p_value < ALPHA


def nemenyi(values: Values) -> bool:
    return bool((critical_difference(values).p_values.to_numpy() < ALPHA).any())


def rank_interval(values: Values) -> bool:
    row = average_ranks(values.to_frame("end"), n_samples=300).iloc[0]
    return _outside(row["low"], (values.index.unique(level="optimizer").size + 1) / 2, row["high"])


def effect_interval(values: Values) -> bool:
    first = mann_whitney(values[[values.index[0][0]]]).iloc[0]
    return _outside(first["effect_low"], 0.5, first["effect_high"])


def stratified_effect_interval(values: Values) -> bool:
    row = stratified_mann_whitney(values, n_samples=300).iloc[0]
    return _outside(row["effect_low"], 0.5, row["effect_high"])


def hierarchical_interval(values: Values) -> bool:
    row = hierarchical_bootstrap(values, n_samples=300).iloc[0]
    return _outside(row["low"], 0.5, row["high"])


def bayesian_without_region(values: Values) -> bool:
    """One pair, called different from a probability of 97.5 % on."""
    pair = values[values.index.get_level_values("optimizer").isin(values.index.unique(level="optimizer")[:2])]
    row = bayesian_signed_rank(pair, rope=0.0, n_samples=1000).iloc[0]
    return max(row["a_better"], row["b_better"]) > 1 - ALPHA / 2


def mean_interval_of_normal_values(values: Values) -> bool:
    """Whether the interval of the first mean leaves out the true one, of the logarithms, which are normal around 0."""
    row = mean_table(np.log(values[[values.index[0][0]]])).iloc[0]
    return _outside(row["low"], 0.0, row["high"])


CHECKS: dict[str, Callable[[Values], bool]] = {
    "Mann-Whitney on one benchmark, Holm": mann_whitney_holm,
    "van Elteren over benchmarks, Holm": van_elteren_holm,
    "Wilcoxon over benchmarks, Holm": wilcoxon_holm,
    "heat map over tasks, one cell": heat_map_cell,
    "Friedman": friedman,
    "Nemenyi, any pair": nemenyi,
    "interval of a mean rank": rank_interval,
    "interval of an effect, one benchmark": effect_interval,
    "interval of an effect, all benchmarks": stratified_effect_interval,
    "interval of a mean": mean_interval_of_normal_values,
    "hierarchical bootstrap": hierarchical_interval,
    "Bayesian signed-rank, 97.5 %, no region": bayesian_without_region,
}
WITHOUT_LEVEL = ("Bayesian signed-rank, 97.5 %, no region",)
OF_PAIRS = ("van Elteren over benchmarks, Holm", "Wilcoxon over benchmarks, Holm", "hierarchical bootstrap")


def simulated(n_tasks: int, n_optimizers: int, n_runs: int, rng: np.random.Generator) -> Values:
    """Regrets of equal optimizers: log-normal, on a scale of each benchmark's own.

    The first benchmark's logarithms have mean 0.

    Parameters
    ----------
    n_tasks, n_optimizers, n_runs
        Size of the table; runs of each optimizer on each task.
    rng
        Makes the values.
    """
    names = [[f"{kind}{i:03d}" for i in range(n)] for kind, n in (("task", n_tasks), ("optimizer", n_optimizers))]
    index = pd.MultiIndex.from_product([*names, range(n_runs)], names=RUN)
    place, scale = rng.normal(0, 2, n_tasks), rng.uniform(0.3, 1.5, n_tasks)
    place[0] = 0.0
    logs = place[:, None] + scale[:, None] * rng.normal(size=(n_tasks, n_optimizers * n_runs))
    return pd.Series(np.exp(logs).ravel(), index=index, name="regret")


def random_search_pool(n_tasks: int, n_seeds: int, n_trials: int, own_seeds: bool) -> np.ndarray:
    """(task, seed) noise-free loss of the incumbent of random search on generated tasks.

    Parameters
    ----------
    n_tasks, n_seeds, n_trials
        Tasks of profet-svm, runs on each, trials of a run.
    own_seeds
        Whether a run's seed is derived from the suite's seed and the benchmark, or the same on all benchmarks.
    """
    losses = np.empty((n_tasks, n_seeds))
    for task in range(n_tasks):
        name = f"profet-svm/{task}"
        benchmark = open_benchmark(name, {}).benchmark
        best = [
            run(benchmark, "rs", n_trials=n_trials, seed=run_seed(seed, name) if own_seeds else seed).best_config
            for seed in range(n_seeds)
        ]
        losses[task] = benchmark.objective_batch(best)[0]
    return losses


def drawn_pairs(pool: np.ndarray, rng: np.random.Generator, repetitions: int) -> Iterator[Values]:
    """Values of two optimizers with two seeds each, which are drawn from the pool's, the same labels on all tasks."""
    tasks = [f"task{i:03d}" for i in range(len(pool))]
    index = pd.MultiIndex.from_product([tasks, ["a", "b"], range(2)], names=RUN)
    for _ in range(repetitions):
        labels = rng.choice(pool.shape[1], 4, replace=False)
        yield pd.Series(pool[:, labels].ravel(), index=index, name="regret")


def holds(n_errors: int, repetitions: int) -> bool:
    """Whether that many errors are no surprise at the level."""
    return float(binom.sf(n_errors - 1, repetitions, ALPHA)) > SURPRISE


def _print_row(name: str, case: str, n_errors: int, repetitions: int) -> bool:
    low, high = binomtest(n_errors, repetitions).proportion_ci(0.95)
    good = holds(n_errors, repetitions)
    share = f"{100 * n_errors / repetitions:5.1f} %  [{100 * low:4.1f}, {100 * high:5.1f}]"
    print(f"  {name:<42}{case:<26}{share}  {'' if good else 'TOO MANY'}")
    return good


def check_simulated(sizes: list[int], repetitions: int) -> int:
    """Number of checks that do not hold their level on simulated regrets."""
    print(f"simulated regrets, 3 equal optimizers, {repetitions} repetitions: errors, with a 95 % interval")
    bad = 0
    for n_tasks in sizes:
        n_runs = 5 if n_tasks >= 100 else 10
        rng = np.random.default_rng(n_tasks)
        tables = [simulated(n_tasks, 3, n_runs, rng) for _ in range(repetitions)]
        for name, check in CHECKS.items():
            n_errors = sum(map(check, tables))
            good = _print_row(name, f"{n_tasks} benchmarks, {n_runs} runs", n_errors, repetitions)
            bad += name not in WITHOUT_LEVEL and not good
    return bad


def check_runs(sizes: list[int], repetitions: int) -> int:
    """Number of checks that do not hold their level on real runs with derived seeds."""
    bad = 0
    for own_seeds in (True, False):
        seeds = "a seed for each benchmark" if own_seeds else "ONE SEED FOR ALL BENCHMARKS"
        print(f"random search on profet-svm, {seeds}, {repetitions} repetitions")
        pool = random_search_pool(max(sizes), 60, 20, own_seeds)
        for n_tasks in sizes:
            for name in OF_PAIRS:
                rng = np.random.default_rng(n_tasks)
                n_errors = sum(map(CHECKS[name], drawn_pairs(pool[:n_tasks], rng, repetitions)))
                good = _print_row(name, f"{n_tasks} benchmarks, 2 runs", n_errors, repetitions)
                bad += own_seeds and not good
    return bad


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=200, help="A/A comparisons of each kind (200)")
    parser.add_argument("--tasks", default="4,10,100", help="numbers of benchmarks (4,10,100)")
    options = parser.parse_args()
    sizes = [int(text) for text in options.tasks.split(",")]
    bad = check_simulated(sizes, options.repetitions) + check_runs(sizes, options.repetitions)
    print(f"{bad} rows do not hold their level" if bad else "all hold their level")
    sys.exit(min(bad, 1))


if __name__ == "__main__":
    main()
