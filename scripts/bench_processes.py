"""What a peer process adds to a trial: random search in a worker file, here and in another process.

    python -m scripts.bench_processes [--trials 2000] [--repeats 5]
    python -m scripts.bench_processes --peers dehb-lib@ENV ax@ENV --benchmark mini-wine --trials 50

The second form runs libraries in their real environments, each twice with one seed, and says whether runs are equal.

CPU milliseconds per trial are those of both processes, the peer's without its start; those on the wall depend on what
else the machine does. The start is that of Python without a library.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import psutil

from baselines import optimizer
from hpo_core import Benchmark, run

WORKER = """
import random

DISTRIBUTIONS = []


class Search:
    def __init__(self, hyperparameters, seed):
        self.hyperparameters, self.rng = hyperparameters, random.Random(seed)

    def ask(self):
        return {h["name"]: self.rng.choice(h["values"]) for h in self.hyperparameters}, None, None

    def tell(self, handle, loss, cost):
        pass


def build(hyperparameters, budgets, seed, options):
    return Search(hyperparameters, seed)
"""


def cpu_seconds() -> float:
    """CPU seconds of this process and of those that it started and that still run."""
    children = [child.cpu_times() for child in psutil.Process().children()]
    return time.process_time() + sum(times.user + times.system for times in children)


def per_trial(name: str, n_trials: int, benchmark: Benchmark) -> tuple[float, float, float]:
    """Milliseconds per trial, of the CPU and on the wall, and of the start on the wall."""
    begun = time.perf_counter()
    built: Any = optimizer(name, benchmark.space, seed=0)
    start = time.perf_counter() - begun
    cpu, wall = cpu_seconds(), time.perf_counter()
    run(benchmark, built, n_trials=n_trials, seed=0)
    share = 1e3 / n_trials
    return (cpu_seconds() - cpu) * share, (time.perf_counter() - wall) * share, start * 1e3


def run_peer(name: str, n_trials: int, benchmark: Benchmark) -> str:
    """What a peer says it is, its CPU milliseconds per trial, and whether its seed makes the same run again."""
    runs = []
    for _ in range(2):
        built: Any = optimizer(name, benchmark.space, benchmark.budgets, seed=0)
        runs.append(run(benchmark, built, n_trials=n_trials, seed=0))
    again = "the same run again" if runs[0].trials == runs[1].trials else "ANOTHER RUN with the same seed"
    return f"{name}: {built.version}; {built.outside_seconds * 1e3 / n_trials:.2f} ms CPU per trial; {again}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=2000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--benchmark", default="protein")
    parser.add_argument("--peers", nargs="*", default=[], metavar="NAME@ENV")
    options = parser.parse_args()
    benchmark = Benchmark(options.benchmark)
    for name in options.peers:
        print(run_peer(name, options.trials, benchmark), flush=True)
    if not options.peers:
        compare(options.trials, options.repeats, benchmark)


def compare(n_trials: int, n_repeats: int, benchmark: Benchmark) -> None:
    """Print what a trial of random search costs here and in another process."""
    with tempfile.TemporaryDirectory() as folder:
        worker = Path(folder) / "search.py"
        worker.write_text(WORKER)
        names = {"here": "rs", "peer process": f"{worker}@{sys.executable}"}
        medians = {}
        for label, name in names.items():
            rows = [per_trial(name, n_trials, benchmark) for _ in range(n_repeats)]
            medians[label] = [statistics.median(column) for column in zip(*rows, strict=True)]
            cpu, wall, start = medians[label]
            print(f"{label:13} {cpu:7.3f} ms CPU per trial {wall:7.3f} ms on the wall, start {start:6.1f} ms")
    added = [peer - here for peer, here in zip(medians["peer process"], medians["here"], strict=True)]
    ratio = medians["peer process"][0] / medians["here"][0]
    print(f"added: {added[0]:.3f} ms CPU, {added[1]:.3f} ms on the wall; {ratio:.1f} times the CPU of a trial here")


if __name__ == "__main__":
    main()
