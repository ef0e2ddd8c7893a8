"""When to stop on the real tables: the criteria of Makarova et al. (2022) on new runs, next to their Table 4.

Runs of random search, TPE and BORE on the four FC-Net tables are made or found in a store, then the criteria are
replayed on them (`hpo stop replay`). After an interruption the same command continues where it stopped. The runs take
minutes; the replay of the regret bounds takes 10 to 30 s per run of 500 evaluations, which is why `--replayed` is small
by default.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from hpo_cli.main import main as hpo
from hpo_leaderboard.engines import make_engine
from hpo_leaderboard.experiments.experiment import run_experiment
from hpo_leaderboard.experiments.suite import make_suite


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--benchmarks", default="naval,parkinsons,protein,slice", help="tables, joined by commas")
    parser.add_argument("--optimizers", default="rs,tpe,bore", help="names, joined by commas")
    parser.add_argument("--seeds", type=int, default=50, help="runs of each (default 50, as in the paper)")
    parser.add_argument("--trials", type=int, default=500, help="evaluations of a run (default 500, as in the paper)")
    parser.add_argument("--replayed", type=int, default=5, help="seeds on which the criteria are replayed (default 5)")
    parser.add_argument("--criteria", nargs="+", help="other criteria than those of the paper")
    parser.add_argument("--out", type=Path, default=Path("termination_fcnet"), help="directory for store and pictures")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    store = options.out / "runs.sqlite"
    names = (options.benchmarks.split(","), options.optimizers.split(","))
    suite = make_suite("termination", *names, n_seeds=options.seeds, n_trials=options.trials)
    run_experiment(suite, store, make_engine("processes"))
    arguments = ["stop", "replay", str(store), "--seeds", str(options.replayed), "--out", str(options.out)]
    return hpo(arguments + (["--criteria", *options.criteria] if options.criteria else []))


if __name__ == "__main__":
    raise SystemExit(main())
