"""An optimizer of your own: random configurations first, then neighbours of the best one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import hpo_foundry as hpo


class MySearch:
    """Draws `n_start` configurations, then changes one hyperparameter of the best configuration at a time."""

    def __init__(self, space: hpo.Space, *, budgets: tuple[float, ...] = (1,), seed: int = 0, n_start: int = 15):
        self.space, self.rng, self.n_start = space, np.random.default_rng(seed), n_start
        self.n_random, self.best_loss, self.best_config = 0, math.inf, {}

    def ask(self) -> hpo.Proposal:
        if self.n_random < self.n_start or not self.best_config:
            self.n_random += 1
            return hpo.Proposal(self.space.sample(self.rng))
        neighbours = self.space.neighbours(self.best_config, self.rng)
        return hpo.Proposal(neighbours[self.rng.integers(len(neighbours))])

    def tell(self, proposal: hpo.Proposal, loss: float, cost: float) -> None:
        if loss < self.best_loss:
            self.best_loss, self.best_config = loss, proposal.config


def main() -> None:
    """Print the regret of one run."""
    benchmark: Any = hpo.Benchmark("protein")
    run = hpo.run(benchmark, MySearch, n_trials=100, seed=0)
    print(f"regret {benchmark.objective(run.best_config).loss - benchmark.optimum:.4f} after {len(run.trials)} trials")


if __name__ == "__main__":
    main()
