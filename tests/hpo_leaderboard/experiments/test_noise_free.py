"""Noise-free losses of stored runs: wherever they cost little, whether or not the optimum is known."""

import json

import numpy as np
import pytest

from hpo_core import Benchmark, Float, Result, SimpleProblem, Space
from hpo_leaderboard.engines.serial import SerialEngine
from hpo_leaderboard.experiments.experiment import run_experiment
from hpo_leaderboard.experiments.noise_free import noise_free_losses
from hpo_leaderboard.experiments.suite import make_suite
from hpo_leaderboard.store.store import reading


def test_a_generated_task_with_noise_is_stored_with_its_noise_free_losses(tmp_path):
    task = {"name": "profet-svm/3", "options": {"noise": True}}
    run_experiment(make_suite("noise", [task], ["rs"], n_seeds=1, n_trials=8), tmp_path / "s.sqlite", SerialEngine())
    with reading(tmp_path / "s.sqlite") as store:
        trials = store.frames().trials
    benchmark = Benchmark("profet-svm/3", noise=True)
    assert benchmark.optimum is None
    exact = [benchmark.objective(json.loads(config)).loss for config in trials.config]
    np.testing.assert_allclose(trials.exact, exact, rtol=1e-12)
    assert (trials.exact != trials.loss).all()


@pytest.mark.parametrize(("cheap", "optimum"), [(True, None), (True, 0.0), (False, None), (False, 0.0)])
def test_only_the_statement_that_they_are_cheap_counts(cheap, optimum):
    space = Space([Float("x", 0, 1)])

    def evaluate(config, budget, seed):
        assert seed is None and cheap, "a costly problem is not evaluated for a score"
        return Result(config["x"], 1.0, budget, {})

    problem = SimpleProblem("line", space, evaluate, optimum=optimum, noise_free_is_cheap=cheap)
    losses, tests = noise_free_losses(Benchmark(problem), [{"x": 0.25}, {"x": 0.5}])
    np.testing.assert_array_equal(losses, [0.25, 0.5] if cheap else [np.nan, np.nan])
    assert np.isnan(tests).all()


def test_test_losses_are_found_behind_a_configuration_without_one():
    benchmark = Benchmark("protein")
    means = benchmark.problem.table.mean("test_loss")
    indices = [int(np.flatnonzero(np.isnan(means))[0]), int(np.flatnonzero(~np.isnan(means))[0])]
    configs = [benchmark.space.grid.config(index) for index in indices]
    losses, tests = noise_free_losses(benchmark, configs)
    assert losses.tolist() == [benchmark.objective(config).loss for config in configs]
    np.testing.assert_array_equal(tests, means[indices])
