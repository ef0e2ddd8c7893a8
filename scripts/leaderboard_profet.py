"""The comparison of Klein (2020, section 8.4.3, figure 8.5, table E.4) on generated tasks, and its page.

    python scripts/leaderboard_profet.py svm [--noise] [--tasks 100] [--seeds 2] [--optimizers rs,de,tpe,cmaes,smac,gp]

Stored runs are not made again: the script may be interrupted, and called with more tasks, seeds or optimizers. The
paper has 20 runs of each method on each of 1,000 tasks.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from hpo_leaderboard.engines import make_engine
from hpo_leaderboard.experiments.experiment import run_experiment
from hpo_leaderboard.experiments.members import Member
from hpo_leaderboard.experiments.suite import make_suite
from hpo_leaderboard.report import write_report


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("family", help="svm, fcnet, xgboost, or your own model")
    parser.add_argument("--noise", action="store_true", help="evaluations with noise")
    parser.add_argument("--tasks", type=int, default=100, help="how many, from number 0 on (100)")
    parser.add_argument("--optimizers", default="rs,de,tpe,cmaes", help="names, joined by commas (rs,de,tpe,cmaes)")
    parser.add_argument("--seeds", type=int, default=2, help="runs per optimizer and task (2)")
    parser.add_argument("--trials", type=int, default=100, help="evaluations per run (100)")
    parser.add_argument("--out", type=Path, default=Path("leaderboard"), help="directory to write to")
    options = parser.parse_args()
    tasks = Member(f"profet-{options.family}/0..{options.tasks - 1}", {"noise": True} if options.noise else {})
    name = f"profet-{options.family}{'-noise' if options.noise else ''}"
    limits = {"n_seeds": options.seeds, "n_trials": options.trials}
    suite = make_suite(name, [tasks], options.optimizers.split(","), **limits)
    store_path = options.out / f"{name}.sqlite"
    run_experiment(suite, store_path, make_engine("processes"), announce=print, progress=None)
    print(f"page: {write_report(store_path, options.out)}")


if __name__ == "__main__":
    main()
