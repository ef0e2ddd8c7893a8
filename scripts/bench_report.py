"""Speed of the report: a store of a million evaluations, and its page.

    python scripts/bench_report.py [--seeds 79] [--out DIR]

16 benchmarks x 8 optimizers x 79 seeds x 100 evaluations. To save time only 6 seeds are run and stored again as the
others: the report takes as long as for different runs. Times are wall clock, and CPU seconds of this process and of
the second one that draws.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy loads: the times are those of one core

import argparse
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from hpo_leaderboard.experiments.execution import execute, run_digest
from hpo_leaderboard.experiments.plan import make_plan
from hpo_leaderboard.experiments.suite import make_suite
from hpo_leaderboard.report import write_report
from hpo_leaderboard.store.columns import decompress
from hpo_leaderboard.store.store import writing

BENCHMARKS = ["branin", "hartmann3", "hartmann6", "six-hump-camel", "goldstein-price", "levy", "rosenbrock"]
BENCHMARKS += ["bohachevsky", "forrester", "protein", "slice", "naval", "parkinsons"]
BENCHMARKS += ["nb201-cifar10", "nb201-cifar100", "nb201-imagenet"]
OPTIMIZERS = [{"name": name, "label": f"{name} {copy}"} for name in ("rs", "re") for copy in "abcd"]
N_RUN = 6  # seeds that are run


def make_store(path: Path, n_seeds: int) -> int:
    """Number of evaluations stored."""
    plan = make_plan(make_suite("speed", BENCHMARKS, OPTIMIZERS, n_seeds=min(N_RUN, n_seeds), n_trials=100))
    n_trials = 0
    with writing(path) as store:
        store.add_tasks(plan.tasks, {})
        for job in plan.jobs:
            done = execute(job)
            numbers, configs = decompress(done.numbers), decompress(done.configs)
            copies = [replace(job, seed=seed) for seed in range(job.seed, n_seeds, N_RUN)]
            digests = [run_digest(copy.key, done.reason, numbers, configs) for copy in copies]
            store.add([(copy, done._replace(digest=d)) for copy, d in zip(copies, digests, strict=True)])
            n_trials += done.n_trials * len(copies)
    return n_trials


def _cpu() -> float:
    """CPU seconds of this process and of its children that ended."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def main() -> None:
    parser = argparse.ArgumentParser(description="Speed of the report.")
    parser.add_argument("--seeds", type=int, default=79)
    parser.add_argument("--out", type=Path, help="directory to keep the page in (not kept)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        n_trials = make_store(Path(folder) / "speed.sqlite", options.seeds)
        wall, cpu = time.perf_counter(), _cpu()
        page = write_report(Path(folder) / "speed.sqlite", options.out or Path(folder) / "report")
        wall, cpu = time.perf_counter() - wall, _cpu() - cpu
        print(f"report of {n_trials:,} evaluations: {wall:.1f} s wall clock, {cpu:.1f} s of CPU")
        print(f"page: {page.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
