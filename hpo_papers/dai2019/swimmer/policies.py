"""Linear policies of the swimmer as a problem with learning curves: discounted rewards that add up over epochs.

An episode has 1,000 steps, an epoch is 1,000 / N of them. Of a policy five episodes are averaged; the reward of an
epoch is clipped to [0, `HIGHEST`] and scaled to [0, 1], so that

    loss after epoch n = 1 - (sum over k = 1..n of gamma^k r_k) / (sum over k = 1..N of gamma^k)

is in [0, 1] and never rises (Dai et al., 2019, section 5.3.1 and appendix D.3). `info["minus_return"]` is minus the sum
of the rewards as they are. The cost is in thousands of steps of one episode.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from hpo_core import Benchmark, Float, Result, SimpleProblem, Space
from hpo_core.space import Config
from hpo_papers.dai2019.swimmer.motion import N_ACTIONS, N_OBSERVED, STEPS, rewards

N_EPISODES = 5
FIRST = 0.1  # largest angle at the beginning of an episode
HIGHEST = 12.0 / STEPS  # reward of a step that counts as 1, a fast swimmer's
SPACE = Space([Float(f"w{i}", -1.0, 1.0) for i in range(N_OBSERVED * N_ACTIONS)], name="linear-policy")


@lru_cache(maxsize=512)
def episode_rewards(weights: tuple[float, ...], seed: int) -> np.ndarray:
    """(steps,) rewards of a policy, averaged over the episodes that a seed begins."""
    first = np.random.default_rng(seed).uniform(-FIRST, FIRST, (N_EPISODES, 3))
    return rewards(np.array(weights).reshape(N_OBSERVED, N_ACTIONS), first).mean(axis=0)


def by_epoch(steps: np.ndarray, n_epochs: int, gamma: float) -> tuple[np.ndarray, np.ndarray]:
    """(N,) losses, and (N,) returns so far as they are, after each epoch of an episode's rewards."""
    sums = steps.reshape(n_epochs, -1).sum(axis=1)
    scaled = np.clip(sums / (HIGHEST * STEPS / n_epochs), 0.0, 1.0)
    discounts = gamma ** np.arange(1, n_epochs + 1)
    return 1.0 - np.cumsum(discounts * scaled) / discounts.sum(), np.cumsum(sums)


def swimmer(n_epochs: int, gamma: float) -> Benchmark:
    """The problem with N epochs and a discount."""

    def evaluate(config: Config, budget: float, seed: int | None) -> Result:
        weights = tuple(float(config[name]) for name in SPACE.names)
        losses, returns = by_epoch(episode_rewards(weights, 0 if seed is None else seed), n_epochs, gamma)
        n = int(budget)
        cost = n * STEPS / n_epochs / 1000.0
        return Result(float(losses[n - 1]), cost, budget, {"minus_return": -float(returns[n - 1])})

    return Benchmark(SimpleProblem(f"swimmer-{n_epochs}-{gamma:g}", SPACE, evaluate, budgets=range(1, n_epochs + 1)))
