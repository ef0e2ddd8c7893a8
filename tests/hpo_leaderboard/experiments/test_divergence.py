"""Runs on a table with diverged trainings are stored, scored and compared."""

import json

import numpy as np
import pytest

from hpo_core import Benchmark
from hpo_leaderboard.engines.serial import SerialEngine
from hpo_leaderboard.experiments.experiment import run_experiment
from hpo_leaderboard.experiments.noise_free import noise_free_losses
from hpo_leaderboard.experiments.suite import make_suite
from hpo_leaderboard.scores.incumbents import final_values, incumbents
from hpo_leaderboard.scores.leaderboard import leaderboard
from hpo_leaderboard.store.store import reading

TASK = "taskset/6"  # a quarter of its configurations diverge


@pytest.fixture(scope="module")
def frames(tmp_path_factory):
    path = tmp_path_factory.mktemp("divergence") / "s.sqlite"
    twins = [{"name": "listed_search:ListedSearch", "label": label} for label in ("one", "two")]
    suite = make_suite("divergence", [TASK], twins, n_seeds=6, n_trials=30)
    run_experiment(suite, path, SerialEngine())
    with reading(path) as store:
        return store.frames()


def test_diverged_trainings_are_failed_trials_that_were_paid(frames):
    trials = frames.trials
    failed = trials[trials.failed]
    assert 0.05 < len(failed) / len(trials) < 0.5
    assert (trials.cost > 0).all()
    b = Benchmark(TASK)
    assert all(b.objective(json.loads(c), k).loss == np.inf for c, k in zip(failed.config, failed.budget, strict=True))


def test_noise_free_losses_are_infinite_where_the_full_training_diverged(frames):
    b = Benchmark(TASK)
    configs = [json.loads(config) for config in frames.trials.config]
    losses, tests = noise_free_losses(b, configs)
    np.testing.assert_array_equal(losses, frames.trials.exact)
    assert np.isinf(losses).any() and np.isinf(tests).any() and not np.isnan(losses).any()


def test_regret_is_from_the_optimum_and_infinite_only_while_the_incumbent_diverges(frames):
    table = incumbents(frames.trials, frames.tasks)
    assert (frames.tasks.optimum == Benchmark(TASK).optimum).all()
    assert not table.regret.isna().any() and (table.regret >= 0).all()
    infinite = np.isinf(table.regret)
    assert (np.isinf(table.loss) == infinite).all()
    last = final_values(table)
    assert len(last) == 12 and np.isfinite(last).all()


def test_a_leaderboard_ranks_runs_with_failures(frames):
    board = leaderboard(frames, n_samples=50)
    assert set(board.optimizer) == {"one", "two"}
    assert np.isfinite(board["rank"]).all() and np.isfinite(board.regret).all()
