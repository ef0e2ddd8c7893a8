"""Targets that do not depend on who takes part."""

import numpy as np
import pytest

from hpo_core import Benchmark
from hpo_leaderboard.scores.fixed_target.targets import random_targets


def test_random_search_reaches_one_in_k_targets_after_k_evaluations():
    """Of 4,000 other random configurations a share 1 / k reaches a target at the level 1 / k."""
    targets = random_targets(["protein"], n=4)["target"].to_numpy()  # k = 2, 16, 128, 1024
    b = Benchmark("protein")
    losses, _ = b.objective_batch(b.space.sample(np.random.default_rng(0), 4000))
    shares = [(losses <= target).mean() for target in targets]
    assert shares[:3] == pytest.approx([1 / 2, 1 / 16, 1 / 128], rel=0.35)
    assert (np.diff(targets) < 0).all()


def test_the_grid_of_random_targets_belongs_to_the_seed():
    first, again, other = (random_targets(["branin"], n=5, seed=seed) for seed in (3, 3, 4))
    assert first.equals(again) and not first.equals(other)
