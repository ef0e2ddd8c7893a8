"""Targets that do not depend on who takes part."""

import numpy as np
import pytest

from hpo_core import Benchmark, Condition, Float, Forbidden, ForbiddenRelation, Int, Result, SimpleProblem, Space
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


def test_targets_of_listed_configurations_are_losses_of_the_list_and_count_diverged_ones():
    """A quarter of this table's configurations diverge, so the median of all lies above that of the others."""
    targets = random_targets(["taskset/6"], n=3)["target"].to_numpy()  # k = 2, 45, 1024
    losses = Benchmark("taskset/6").problem.table.values("loss")[:, 0]
    assert np.isin(targets, losses).all()
    assert [(losses <= target).mean() for target in targets[:2]] == pytest.approx([1 / 2, 1 / 45], rel=0.1)
    assert targets[0] > np.median(losses[np.isfinite(losses)])


def of(space):
    """Targets of a problem whose loss is x, or 2 where it is switched off."""

    def evaluate(config, budget, seed):
        return Result(config.get("x", 2.0), 1.0, budget, {})

    return random_targets([Benchmark(SimpleProblem("x", space, evaluate))], n=4)["target"].to_numpy()


def test_targets_are_those_of_configurations_of_the_space():
    """Medians of x where it is uniform over what is left, and the least of a list."""
    box = [Int("k", 0, 1), Float("x", 0.0, 1.0)]
    assert of(Space(box))[0] == pytest.approx(0.5, abs=0.01)
    assert of(Space(box, [Condition("x", "k", (1,))]))[:2] == pytest.approx([1.0, 1 / 8], abs=0.02)
    assert of(Space(box, forbidden=[ForbiddenRelation("x", "<", "k")]))[0] == pytest.approx(0.5, abs=0.01)
    listed = Space(box, listed=[{"k": 0, "x": x} for x in (0.25, 0.5, 0.75)])
    assert of(listed).tolist() == [0.5, 0.25, 0.25, 0.25]
    rare = Space([Int("k", 0, 99), Float("x", 0.0, 1.0)], forbidden=[Forbidden({"k": range(1, 100)})])
    assert of(rare)[0] == pytest.approx(0.5, abs=0.05)
