"""Do two versions of the source find equally good configurations? Runs of both with the same seeds, as a table.

    python scripts/check_paired.py --old ../before --new . --optimizer gp
    python scripts/check_paired.py --old ../before --new . --optimizer gp --options n_samples=10 --seeds 10
    python scripts/check_paired.py --old ../before --new . --optimizer smac --benchmarks branin,hartmann6 --trials 60

Each tree runs in processes of its own, the two in turns. Compared are the regrets at the end of a run: the loss of its
incumbent without noise, above the optimum. A line of the table has

    old, new     medians of the regret
    ranks        mean difference, new minus old, of the ranks among all runs on the benchmark, divided by their number:
                 below 0 the new one is better; regrets of all benchmarks can be joined in this scale
    p            of a two-sided Wilcoxon signed-rank test of these differences
    P(better)    share of the pairs in which the new one is better, ties count half, with the interval between the
                 2.5 % and the 97.5 % quantile of the bootstrap over the pairs of each benchmark
    CPU          seconds of a run, old and new, medians

Exits with 1 if the new version is worse on all benchmarks together, p < 0.05.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy loads
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

TABLES = "protein,slice,naval,parkinsons"
CHILD = "--child"  # first argument of the processes that this script starts
PER_PROCESS = 5  # seeds: the tables are read once for them
N_BOOTSTRAP = 10_000


class Task(NamedTuple):
    """Runs of an optimizer on a benchmark, one for each seed."""

    optimizer: str
    options: dict[str, Any]
    benchmark: str
    n_trials: int
    seeds: list[int]


class Pairs(NamedTuple):
    """(n, 2) regrets, old and new, and (n, 2) CPU seconds of runs with the same seeds."""

    regrets: np.ndarray
    seconds: np.ndarray


def regrets_and_seconds(task: Task) -> list[tuple[float, float]]:
    """Regret and CPU seconds of each run, by whichever version this process imports."""
    from baselines import optimizer
    from hpo_core import Benchmark, run

    b = Benchmark(task.benchmark)
    optimum = b.optimum
    if optimum is None:
        raise SystemExit(f"the regret needs a benchmark whose optimum is known, got {task.benchmark!r}")
    found = []
    for seed in task.seeds:
        start = time.process_time()
        r = run(b, optimizer(task.optimizer, b.space, b.budgets, seed, **task.options), task.n_trials, seed=seed)
        seconds = time.process_time() - start
        best = r.trials[r.incumbent().indices[-1]]
        found.append((b.objective(best.config).loss - optimum, seconds))
    return found


def in_tree(tree: Path, task: Task) -> list[list[float]]:
    """What `regrets_and_seconds` finds in a process that imports the packages of a source tree."""
    command = [sys.executable, str(Path(__file__).resolve()), CHILD, str(tree.resolve()), json.dumps(task)]
    environment = os.environ | {"PYTHONPATH": str(tree.resolve())}
    finished = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    if finished.returncode:
        raise SystemExit(f"runs in {tree} failed, see above: {' '.join(command)}")
    return json.loads(finished.stdout.splitlines()[-1])


def child(tree: str, text: str) -> int:
    """0, with the results of a task printed as JSON."""
    import hpo_core

    if not Path(hpo_core.__file__).is_relative_to(tree):
        raise SystemExit(f"hpo_core was imported from {hpo_core.__file__}, not from {tree}")
    print(json.dumps(regrets_and_seconds(Task(*json.loads(text)))))
    return 0


def measure(old: Path, new: Path, task: Task, processes: int) -> Pairs:
    """Regrets and CPU seconds of both trees, a few seeds per process, old and new in turns."""
    parts = [task.seeds[k : k + PER_PROCESS] for k in range(0, len(task.seeds), PER_PROCESS)]
    calls = [(tree, task._replace(seeds=part)) for part in parts for tree in (old, new)]
    with ThreadPoolExecutor(processes) as pool:
        found = list(pool.map(lambda call: in_tree(*call), calls))
    both = [np.concatenate([np.array(part) for part in found[k::2]]) for k in (0, 1)]
    return Pairs(np.stack([rows[:, 0] for rows in both], axis=1), np.stack([rows[:, 1] for rows in both], axis=1))


def rank_differences(regrets: np.ndarray) -> np.ndarray:
    """(n,) differences, new minus old, of the ranks of (n, 2) regrets among all of them, divided by their number."""
    from scipy.stats import rankdata

    ranks = rankdata(regrets.ravel()).reshape(regrets.shape) / regrets.size
    return ranks[:, 1] - ranks[:, 0]


def wilcoxon_p(differences: np.ndarray) -> float:
    """Two-sided p-value of the signed-rank test; 1 if no pair differs."""
    from scipy.stats import wilcoxon

    return float(wilcoxon(differences).pvalue) if differences.any() else 1.0


def probability_better(groups: list[np.ndarray]) -> tuple[float, float, float]:
    """Share of negative differences, ties half, and the ends of its interval by a bootstrap within each group."""
    wins = [np.where(group < 0, 1.0, np.where(group > 0, 0.0, 0.5)) for group in groups]
    rng = np.random.default_rng(0)
    drawn = np.concatenate([rng.choice(group, (N_BOOTSTRAP, len(group))) for group in wins], axis=1).mean(axis=1)
    low, high = np.quantile(drawn, (0.025, 0.975))
    return float(np.concatenate(wins).mean()), float(low), float(high)


def line(name: str, regrets: np.ndarray | None, groups: list[np.ndarray], seconds: np.ndarray) -> str:
    """A line of the table; `regrets` are None where those of several benchmarks are joined."""
    medians = f"{'':>22}" if regrets is None else "{:>11.4g}{:>11.4g}".format(*np.median(regrets, axis=0))
    differences = np.concatenate(groups)
    share, low, high = probability_better(groups)
    words = f"{name:<16}{len(differences):>6}{medians}{differences.mean():>9.3f}{wilcoxon_p(differences):>8.2g}"
    return words + "    {:.2f} [{:.2f}, {:.2f}]{:>10.2f}{:>8.2f}".format(share, low, high, *np.median(seconds, axis=0))


def parse_options(text: str) -> dict[str, Any]:
    """Options of an optimizer from `a=1,b=x`; a value is read as JSON, or else as a word."""
    found = {}
    for part in filter(None, text.split(",")):
        name, _, value = part.partition("=")
        try:
            found[name] = json.loads(value)
        except json.JSONDecodeError:
            found[name] = value
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--old", type=Path, required=True, help="source tree, such as a worktree of an older commit")
    parser.add_argument("--new", type=Path, default=Path(), help="source tree (this one)")
    parser.add_argument("--optimizer", required=True, help="its name")
    parser.add_argument("--options", default="", help="of the optimizer, such as n_samples=10,n_initial=5")
    parser.add_argument("--benchmarks", default=TABLES, help=f"names, separated by commas ({TABLES})")
    parser.add_argument("--trials", type=int, default=100, help="evaluations of a run (100)")
    parser.add_argument("--seeds", type=int, default=30, help="runs on each benchmark (30)")
    parser.add_argument("--first-seed", type=int, default=0, help="seeds count from here (0)")
    parser.add_argument("--processes", type=int, default=1, help="runs at the same time (1)")
    options = parser.parse_args()
    seeds = list(range(options.first_seed, options.first_seed + options.seeds))
    head = f"{'benchmark':<16}{'runs':>6}{'old':>11}{'new':>11}{'ranks':>9}{'p':>8}    {'P(better)':<17}"
    print(f"{head}{'CPU old':>11}{'new':>8}", flush=True)
    groups, all_seconds = [], []
    for benchmark in options.benchmarks.split(","):
        task = Task(options.optimizer, parse_options(options.options), benchmark, options.trials, seeds)
        pairs = measure(options.old, options.new, task, options.processes)
        groups.append(rank_differences(pairs.regrets))
        all_seconds.append(pairs.seconds)
        print(line(benchmark, pairs.regrets, groups[-1:], pairs.seconds), flush=True)
    print(line("all", None, groups, np.concatenate(all_seconds)))
    together = np.concatenate(groups)
    return 1 if together.mean() > 0 and wilcoxon_p(together) < 0.05 else 0


if __name__ == "__main__":
    sys.exit(child(*sys.argv[2:]) if sys.argv[1:2] == [CHILD] else main())
