"""One leaderboard on a cluster: in shards, each job with a store of its own, or on a Dask cluster.

    python cluster.py                            as in the tutorial, with a Dask cluster of two workers on this machine
    python cluster.py --seeds 2 --trials 10      seconds

Needs `pip install "hpo-foundry[dask]"`. `cluster.sbatch` is the same in shards as a job array of SLURM.
"""

from __future__ import annotations

import argparse

from command_line import hpo
from distributed import LocalCluster

from hpo_leaderboard.engines import make_engine
from hpo_leaderboard.experiments.experiment import run_experiment
from hpo_leaderboard.experiments.suite import changed, open_suite
from hpo_leaderboard.store.store import reading

OPTIMIZERS = ["rs", "re", "tpe"]


def digest(path: str) -> str:
    """Digest of a store, which is equal for equal runs."""
    with reading(path) as store:
        return store.digest()


def on_dask(n_seeds: int, n_trials: int) -> None:
    """Run the suite on a Dask cluster; `SLURMCluster` of dask-jobqueue takes the place of `LocalCluster`."""
    suite = changed(open_suite("fcnet"), optimizers=OPTIMIZERS, n_seeds=n_seeds, n_trials=n_trials)
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=False, protocol="tcp://") as cluster:
        engine = make_engine("dask", address=cluster.scheduler_address)
        outcome = run_experiment(suite, "dask.sqlite", engine)
    print(f"\n{outcome.n_asked} runs on a Dask cluster")


def main() -> None:
    """Run the same suite in two shards and on a Dask cluster, and compare the stores."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--trials", type=int, default=100)
    options = parser.parse_args()
    suite = f"fcnet --optimizers {','.join(OPTIMIZERS)} --seeds {options.seeds} --trials {options.trials}"

    for shard in (1, 2):  # on a cluster these are jobs that run at the same time
        hpo(f"leaderboard {suite} --shard {shard}/2 --store shard-{shard}.sqlite --walltime 55m")
    hpo("store merge shards.sqlite shard-1.sqlite shard-2.sqlite")
    hpo(f"store missing {suite} shards.sqlite")
    on_dask(options.seeds, options.trials)
    print(f"equal runs: {digest('shards.sqlite') == digest('dask.sqlite')}")


if __name__ == "__main__":
    main()
