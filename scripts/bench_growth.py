"""How the time of a run grows with its number of trials: CPU seconds, and the exponent between the last two lengths.

    python scripts/bench_growth.py                  all optimizers of the table in docs/speed.md
    python scripts/bench_growth.py tpe bohb --scale 0.1

A run is `ask` and `tell` on a space of six numbers and three choices with four budgets; losses are computed from the
configuration, which takes a few microseconds. An exponent of 1 is linear growth.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import math
import time

from baselines import optimizer
from hpo_core import Categorical, Float, Int, Ordinal, Space

BUDGETS = (3, 9, 27, 81)
LENGTHS = {
    "tpe": 10_000,
    "tpe-univariate": 2_000,
    "bohb": 25_000,
    "rs": 25_000,
    "re": 25_000,
    "de": 25_000,
    "cmaes": 25_000,
    "hyperband": 25_000,
    "asha": 25_000,
}
SPACE = Space(
    [
        *(Float(f"x{i}", 0.0, 1.0) for i in range(3)),
        Float("lr", 1e-5, 1.0, log=True),
        Int("units", 4, 512, log=True),
        Int("depth", 1, 9),
        Ordinal("batch", [8, 16, 32, 64]),
        Categorical("activation", ["relu", "tanh", "sigmoid"]),
        Categorical("schedule", ["cosine", "fixed"]),
    ]
)


def loss(config: dict, budget: float) -> float:
    """A bowl that is deeper at larger budgets."""
    distance = sum((config[f"x{i}"] - 0.3) ** 2 for i in range(3)) + 0.1 * (math.log10(config["lr"]) + 2.0) ** 2
    distance += 0.1 * abs(math.log2(config["units"]) - 6.0) + 0.01 * abs(config["depth"] - 3)
    return distance + 0.1 * (config["activation"] != "relu") + 0.001 * config["batch"] + 1.0 / budget


def seconds(name: str, n_trials: int) -> float:
    """CPU seconds of a run."""
    made = optimizer(name, SPACE, budgets=BUDGETS, seed=0)
    start = time.process_time()
    for _ in range(n_trials):
        proposal = made.ask()
        if proposal is None:
            raise SystemExit(f"{name} has nothing left to propose")
        made.tell(proposal, loss(proposal.config, proposal.budget or BUDGETS[-1]), 1.0)
    return time.process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser(description="How the time of a run grows with its number of trials.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(LENGTHS)} (all)")
    parser.add_argument("--scale", type=float, default=1.0, help="factor of the numbers of trials (1)")
    options = parser.parse_args()
    print("| optimizer | trials | CPU seconds | grows as |\n|---|---|---|---|")
    for name in options.names or LENGTHS:
        lengths = [max(int(LENGTHS[name] * options.scale * factor), 10) for factor in (1, 2, 4)]
        taken = [seconds(name, n) for n in lengths]
        exponent = math.log(taken[2] / taken[1]) / math.log(lengths[2] / lengths[1])
        shown = " / ".join(f"{n:,}" for n in lengths), " / ".join(f"{t:.3g}" for t in taken)
        print(f"| `{name}` | {shown[0]} | {shown[1]} | n^{exponent:.1f} |", flush=True)


if __name__ == "__main__":
    main()
