"""Are runs the same wherever they are run? Digests of every optimizer by engine, number of threads and hash seed.

    python scripts/check_digests.py [--optimizers gp,tpe] [--trials 20] [--seeds 1]

Every registered optimizer whose packages are installed runs on a benchmark with one budget and on one with several, in
each of the ways below, each in a fresh process. Equal digests mean equal configurations, losses and costs, bit by bit.
The exit status is 1 if a digest differs, or if a run breaks.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

BENCHMARKS = ["hartmann6", "mini-airfoil"]


class Way(NamedTuple):
    """Where runs are run: an engine, or `run` for a call in the process itself, which limits no threads."""

    engine: str
    n_threads: int
    hash_seed: int

    def __str__(self) -> str:
        return f"{self.engine}, {self.n_threads} threads, hash seed {self.hash_seed}"


WAYS = [
    Way("run", 1, 0),
    Way("run", 2, 1),
    Way("serial", 2, 0),
    Way("processes", 2, 1),
    Way("dask", 1, 1),
]


def digests(engine: str, optimizers: list[str], n_trials: int, n_seeds: int) -> dict[str, str]:
    """Digest of each run, or why it broke, by optimizer, benchmark and seed. Runs in the fresh process."""
    from hpo_leaderboard.engines import make_engine
    from hpo_leaderboard.experiments.execution import execute
    from hpo_leaderboard.experiments.plan import make_plan
    from hpo_leaderboard.experiments.suite import make_suite

    jobs = make_plan(make_suite("digests", BENCHMARKS, optimizers, n_seeds=n_seeds, n_trials=n_trials)).jobs
    if engine == "run":
        results = [(job, execute(job)) for job in jobs]
    else:
        results = list(make_engine(engine, processes=2).results(jobs))
    return {
        f"{job.optimizer.name} on {job.benchmark.name}, seed {job.seed}": done.failure
        or f"{job.key} {done.digest.hex()}"
        for job, done in results
    }


def in_fresh_process(way: Way, options: argparse.Namespace) -> dict[str, str]:
    """Digests of one way."""
    threads = {f"{library}_NUM_THREADS": str(way.n_threads) for library in ("OMP", "OPENBLAS", "MKL")}
    environment = {**os.environ, **threads, "PYTHONHASHSEED": str(way.hash_seed)}
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "digests.json"
        asked = json.dumps([way.engine, options.optimizers.split(","), options.trials, options.seeds])
        command = [sys.executable, __file__, "--fresh", asked, str(answer)]
        subprocess.run(command, env=environment, check=True)
        return json.loads(answer.read_text())


def main() -> int:
    if sys.argv[1:2] == ["--fresh"]:
        Path(sys.argv[3]).write_text(json.dumps(digests(*json.loads(sys.argv[2]))))
        return 0
    from baselines import optimizers

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--optimizers", default=",".join(optimizers()))
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--seeds", type=int, default=1)
    options = parser.parse_args()
    expected, n_differing = in_fresh_process(WAYS[0], options), 0
    broken = [f"{name}: {said}" for name, said in expected.items() if ": " in said]
    print(f"{WAYS[0]}: {len(expected)} runs, {len(broken)} broke", *broken, sep="\n  ", flush=True)
    for way in WAYS[1:]:
        found = in_fresh_process(way, options)
        differing = sorted(name for name in expected.keys() | found.keys() if expected.get(name) != found.get(name))
        n_differing += len(differing)
        print(f"{way}: {len(found)} runs, {len(differing)} differ", *differing, sep="\n  ", flush=True)
    return int(n_differing + len(broken) > 0)


if __name__ == "__main__":
    sys.exit(main())
