"""How a store grows with its number of runs: CPU seconds, peak memory and file size of what is done with it.

    python scripts/bench_store.py                                     10,000 and 100,000 runs, a few minutes
    python scripts/bench_store.py --runs 10000 100000 1000000
    python scripts/bench_store.py --runs 1000000 --folder /scratch    where there is room for 4 GB

The runs have 10 trials each, on 10 benchmarks with 10 optimizers. They go the way of an experiment (`run_experiment`),
but an engine that only hands out finished runs stands for the optimizers: each pair of benchmark and optimizer is
run once, and stored under every seed. Each step is a process of its own, which has its own peak of memory, and does
what a command does:

    add       two halves of the seeds, each into its own store: `hpo leaderboard --seeds A:B`
    merge     the halves into a third store: `hpo store merge`
    resume    find that all runs are there: `hpo leaderboard` again
    verify    every row and its trials: `hpo store verify`
    info      what the store holds: `hpo store info`
    export    one row per trial: `hpo store export --out trials.csv`
    frames    trials without configurations, as data frames: what scores are computed from
    score     the leaderboard: what `hpo leaderboard` prints in the end

The exponent is that between the last two sizes: 1 is linear growth.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy loads: the times are those of one core

import argparse
import contextlib
import io
import json
import math
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

N_TRIALS = 10
BENCHMARKS = ["branin", "hartmann3", "hartmann6", "six-hump-camel", "goldstein-price"]
BENCHMARKS += ["levy", "rosenbrock", "bohachevsky", "forrester", "counting-ones-2-2"]
OPTIMIZERS = [{"name": name, "label": f"{name} {copy}"} for name in ("rs", "re") for copy in "abcde"]
N_PAIRS = len(BENCHMARKS) * len(OPTIMIZERS)
STEPS = ("add", "merge", "resume", "verify", "info", "export", "frames", "score")


class CopyingEngine:
    """Runs each pair of benchmark and optimizer once, and hands that run out for every seed."""

    def __init__(self) -> None:
        self._contents: dict = {}

    def results(self, jobs: Iterable) -> Iterator[tuple]:
        from hpo_leaderboard.experiments.execution import execute, run_digest
        from hpo_leaderboard.store.columns import decompress

        for job in jobs:
            pair = job.benchmark.label, job.optimizer.label
            if pair not in self._contents:
                done = execute(job)
                self._contents[pair] = done, decompress(done.numbers), decompress(done.configs)
            done, *contents = self._contents[pair]
            yield job, done._replace(key=job.key, digest=run_digest(job.key, done.reason, *contents))


def run_seeds(store: Path, seeds: range) -> int:
    """Number of runs of these seeds that the store did not hold, after running them."""
    from hpo_leaderboard.experiments.experiment import run_experiment
    from hpo_leaderboard.experiments.suite import make_suite

    settings = {"n_trials": N_TRIALS, "first_seed": seeds[0], "n_seeds": len(seeds)}
    outcome = run_experiment(make_suite("bench", BENCHMARKS, OPTIMIZERS, **settings), store, CopyingEngine())
    return outcome.n_asked - outcome.n_present


def do(step: str, n_runs: int, folder: Path) -> None:
    """One step; those before it were done in the folder."""
    seeds = range(n_runs // N_PAIRS)
    halves, whole = [folder / "a.sqlite", folder / "b.sqlite"], folder / "whole.sqlite"
    if step == "add":
        middle = len(seeds) // 2
        n_added = run_seeds(halves[0], seeds[:middle]) + run_seeds(halves[1], seeds[middle:])
        check(n_added == n_runs, f"{n_added} runs were added")
    elif step == "merge":
        command("store", "merge", whole, *halves)
    elif step == "resume":
        check(run_seeds(whole, seeds) == 0, "runs that were stored are run again")
    elif step == "verify":
        command("store", "verify", whole)
    elif step == "info":
        command("store", "info", whole)
    elif step == "export":
        command("store", "export", whole, "--out", folder / "trials.csv")
    elif step == "frames":
        from hpo_leaderboard.store.store import reading

        with reading(whole) as store:
            n_trials = len(store.frames(configs=False).trials)
        check(n_trials >= n_runs, f"{n_trials} trials")
    else:
        from hpo_leaderboard.report import score_store

        (group,) = score_store(whole).groups
        check(int(group.board["n_runs"].sum()) == n_runs, "runs are missing on the leaderboard")


def command(*words: object) -> None:
    """What `hpo` with these words does, without its output."""
    from hpo_cli.main import main as hpo

    with contextlib.redirect_stdout(io.StringIO()) as said:
        status = hpo([str(word) for word in words])
    check(not status, said.getvalue())


def check(holds: bool, words: str) -> None:
    if not holds:
        raise SystemExit(f"bench_store: {words}")


def measured(step: str, n_runs: int, folder: Path) -> tuple[float, float]:
    """CPU seconds and peak memory in MB of a step, in a process of its own; without the start of Python."""
    arguments = [sys.executable, __file__, "--step", step, "--runs", str(n_runs), "--folder", str(folder)]
    return tuple(json.loads(subprocess.run(arguments, check=True, stdout=subprocess.PIPE).stdout))


def measure(n_runs: int, parent: Path | None) -> dict[str, tuple[float, float]]:
    """CPU seconds and peak memory in MB by step, and the size of the store in MB as `file`, for a number of runs."""
    with tempfile.TemporaryDirectory(dir=parent) as name:
        folder = Path(name)
        figures = {step: measured(step, n_runs, folder) for step in STEPS}
        figures["file"] = (math.nan, (folder / "whole.sqlite").stat().st_size / 1e6)
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description="How a store grows with its number of runs.")
    parser.add_argument("--runs", type=int, nargs="+", default=[10_000, 100_000], help=f"multiples of {N_PAIRS}")
    parser.add_argument("--folder", type=Path, help="where stores are made, and removed in the end")
    parser.add_argument("--step", choices=STEPS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.step:
        start = time.process_time()
        do(options.step, options.runs[0], options.folder)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
        print(json.dumps([time.process_time() - start, peak]))
        return
    table = {n: measure(n, options.folder) for n in sorted(options.runs)}
    print(f"| step | {' | '.join(f'{n:,} runs' for n in table)} | grows as |\n|---|{'---|' * len(table)}---|")
    for step in STEPS:
        cells = [f"{figures[step][0]:.3g} s, {figures[step][1]:,.0f} MB" for figures in table.values()]
        print(f"| {step} | {' | '.join(cells)} | {exponent(table, step)} |")
    sizes = [f"{figures['file'][1]:,.1f} MB" for figures in table.values()]
    print(f"| file | {' | '.join(sizes)} | |")


def exponent(table: dict, step: str) -> str:
    if len(table) < 2:
        return ""
    (a, first), (b, second) = list(table.items())[-2:]
    return f"n^{math.log(second[step][0] / first[step][0]) / math.log(b / a):.2f}"


if __name__ == "__main__":
    main()
