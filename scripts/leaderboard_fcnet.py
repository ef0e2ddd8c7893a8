"""The fast optimizers on the four real FC-Net tables, and the page of their comparison.

    python scripts/leaderboard_fcnet.py [--seeds 500] [--trials 500] [--processes N] [--out leaderboard]

The same as `hpo leaderboard fcnet`. Stored runs are not made again: it may be interrupted, and called with more seeds.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from hpo_leaderboard.engines import make_engine
from hpo_leaderboard.experiments.experiment import run_experiment
from hpo_leaderboard.experiments.suite import changed, open_suite
from hpo_leaderboard.report import write_report


def main() -> None:
    parser = argparse.ArgumentParser(description="The leaderboard of the FC-Net tables.")
    parser.add_argument("--seeds", type=int, help="runs per optimizer and table (500)")
    parser.add_argument("--trials", type=int, help="evaluations per run (500)")
    parser.add_argument("--processes", type=int, help="runs at the same time (one per core)")
    parser.add_argument("--out", type=Path, default=Path("leaderboard"), help="directory to write to")
    options = parser.parse_args()
    suite = changed(open_suite("fcnet"), n_seeds=options.seeds, n_trials=options.trials)
    store_path = options.out / "fcnet.sqlite"
    run_experiment(
        suite, store_path, make_engine("processes", processes=options.processes), announce=print, progress=None
    )
    print(f"page: {write_report(store_path, options.out)}")


if __name__ == "__main__":
    main()
