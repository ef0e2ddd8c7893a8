"""Runs that the figures are made of: they are what the packages' own functions give."""

import numpy as np
import pytest

from fcnet_data.datasets import open_dataset
from fcnet_data.datasets.splits import subsample
from fcnet_data.trainers import cross_validate, trainer
from hpo_papers.makarova2021.runs.curves import incumbent_curves
from hpo_papers.makarova2021.runs.live import live_run, reshuffled


@pytest.mark.slow
def test_a_run_has_its_three_seeds_apart():
    run = live_run("lm", "wine", 4, 3, 1, 2)
    data = open_dataset("wine")
    for i, config in enumerate(run["config"]):
        found = cross_validate(trainer("linear-optimal"), config, data, seed=2, split_seed=3)
        assert (run["loss"][i], run["test"][i], tuple(run["folds"][i])) == (
            found.valid_loss,
            found.test_loss,
            found.folds,
        )
    assert live_run("lm", "wine", 4, 3, 1, 5)["config"][:4] == run["config"]  # the first ones are random
    assert live_run("lm", "wine", 4, 3, 2, 2)["config"][0] != run["config"][0]


def test_a_run_on_a_sample_without_cross_validation():
    run = live_run("lm", "wine", 2, 0, 0, 0, 1, 60)
    found = cross_validate(trainer("linear"), run["config"][1], subsample(open_dataset("wine"), 60), seed=0, n_folds=1)
    assert run["folds"][1] == [found.valid_loss] == [run["loss"][1]]


def test_configurations_on_another_split():
    configs = trainer("linear").space.sample(np.random.default_rng(0), 2)
    losses = reshuffled("lm", "wine", configs, 3, 8)
    expected = cross_validate(trainer("linear"), configs[1], open_dataset("wine"), seed=0, split_seed=8, n_folds=3)
    assert losses[1] == list(expected.folds)


def test_curves_of_the_incumbent():
    run = {"loss": [3.0, 2.0, 2.0, 2.5, 1.0], "test": [0.3, 0.1, 0.9, 0.9, 0.2]}
    curves = incumbent_curves(run)
    assert curves["validation"] == pytest.approx([3.0, 2.0, 2.0, 2.0, 1.0])
    assert curves["test"] == [0.3, 0.1, 0.1, 0.1, 0.2]
