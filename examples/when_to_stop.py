"""When to stop: a criterion in a run, then several criteria replayed on recorded runs.

    python when_to_stop.py                            as in the tutorial: five runs of 200 evaluations
    python when_to_stop.py --seeds 2 --trials 60      seconds

Everything is written to the current directory.
"""

from __future__ import annotations

import argparse

from command_line import hpo

from hpo_foundry import Benchmark, criterion, run


def stopped_run(n_trials: int) -> None:
    """Stop one run by the bound on its regret, and print what that saved and what it cost."""
    b = Benchmark("protein")
    stop = criterion("regret-bound", b.space, threshold=0.01) | criterion("limit", b.space, n_trials=n_trials)
    stopped = run(b, "tpe", n_trials=None, stop=stop, seed=0)
    whole = run(b, "tpe", n_trials=n_trials, seed=0)
    print(f"stopped: {stopped.reason}")
    for name, each in (("stopped", stopped), ("whole", whole)):
        regret = b.objective(each.best_config).loss - b.optimum
        print(f"{name:8} {len(each.trials):4} trials, regret {regret:.4f}")


def main() -> None:
    """Run the whole tutorial."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--trials", type=int, default=200)
    options = parser.parse_args()

    stopped_run(options.trials)
    hpo(f'run protein tpe --trials {options.trials} --stop "conv:30 | regret-bound:0.01"')
    hpo(f"run protein tpe --trials {options.trials} --seeds {options.seeds} --out runs")
    hpo("stop replay runs --criteria conv:20 conv:50 regret-bound:0.01 --out pictures")


if __name__ == "__main__":
    main()
