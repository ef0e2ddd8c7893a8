"""An optimizer of your own, from ten lines to the figure and the LaTeX table of a paper.

    python own_optimizer.py                            as in the tutorial: 20 seeds, 100 evaluations
    python own_optimizer.py --seeds 3 --trials 20      a few seconds

The optimizer is in `my_search.py`. Everything is written to the current directory.
"""

from __future__ import annotations

import argparse

from command_line import hpo


def main() -> None:
    """Run the whole tutorial."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--trials", type=int, default=100)
    options = parser.parse_args()
    suite = (
        "fcnet --optimizers rs,re,tpe,my_search:MySearch"
        f" --seeds {options.seeds} --trials {options.trials} --processes 2"
    )

    hpo(f"run protein my_search:MySearch --trials {options.trials} --seeds 3")
    hpo(f"leaderboard {suite} --dry-run")
    hpo(f"leaderboard {suite} --shard 1/2 --store mine.sqlite")  # on your machine
    hpo(f"leaderboard {suite} --shard 2/2 --store theirs.sqlite")  # on your co-author's
    hpo("store merge paper.sqlite mine.sqlite theirs.sqlite")
    hpo("store verify paper.sqlite")
    hpo(f"leaderboard {suite} --store paper.sqlite --out paper")
    hpo("compare paper.sqlite MySearch tpe")
    hpo("report paper.sqlite --figures --width 3.3in --labels my_search:MySearch=Ours,rs=Random,tpe=TPE --out figures")


if __name__ == "__main__":
    main()
