"""Targets that a suite asks for."""

import numpy as np
import pandas as pd
import pytest
from score_tables import tasks_table, trials_table

from hpo_core import Benchmark
from hpo_core.errors import InvalidOption
from hpo_leaderboard.experiments.scoring import Targets
from hpo_leaderboard.scores.fixed_target.targets import random_targets, targets_of
from hpo_leaderboard.scores.incumbents import incumbents


def test_random_search_reaches_one_in_k_targets_after_k_evaluations():
    """Of 4,000 other random configurations a share 1 / k reaches a target at the level 1 / k."""
    targets = random_targets(["protein"], n=4)["target"].to_numpy()  # k = 2, 16, 128, 1024
    b = Benchmark("protein")
    losses, _ = b.objective_batch(b.space.sample(np.random.default_rng(0), 4000))
    shares = [(losses <= target).mean() for target in targets]
    assert shares[:3] == pytest.approx([1 / 2, 1 / 16, 1 / 128], rel=0.35)
    assert (np.diff(targets) < 0).all()


@pytest.mark.parametrize("kind", ["quantiles", "sobol"])
def test_the_targets_of_a_suite_do_not_depend_on_who_takes_part(kind):
    trials = trials_table({("branin", "rs", 0): [3.0, 2.0], ("branin", "tpe", 0): [1.0, 0.5], ("mine", "rs", 0): [1.0]})
    tasks = tasks_table(trials)
    wanted = Targets(kind=kind, n=5, seed=3)
    together, depending = targets_of(wanted, incumbents(trials, tasks))
    alone, _ = targets_of(wanted, incumbents(trials[trials["optimizer"] == "rs"], tasks))
    pd.testing.assert_frame_equal(together, alone)
    other_seed, _ = targets_of(Targets(kind=kind, n=5, seed=4), incumbents(trials, tasks))
    assert depending == ["mine"] and not together.equals(other_seed)


def test_fixed_targets_are_the_given_ones():
    trials = trials_table({("branin", "rs", 0): [3.0], ("mine", "rs", 0): [1.0]})
    table = incumbents(trials, tasks_table(trials))
    targets, without = targets_of(Targets(kind="fixed", values={"mine": [0.5, 0.25]}), table)
    assert targets.to_numpy().tolist() == [["mine", 0.5], ["mine", 0.25]] and without == ["branin"]
    with pytest.raises(InvalidOption, match="for a benchmark that was run"):
        targets_of(Targets(kind="fixed", values={"other": [0.5]}), table)
