"""Seeds of runs: own ones on every benchmark, the same for every optimizer and in every process."""

import hashlib
import subprocess
import sys

import pytest

from hpo_core import Benchmark, run
from hpo_leaderboard.engines.serial import SerialEngine
from hpo_leaderboard.experiments.experiment import run_experiment
from hpo_leaderboard.experiments.run_seeds import run_seed
from hpo_leaderboard.experiments.suite import make_suite, open_suite
from hpo_leaderboard.store.store import reading


@pytest.fixture(scope="module")
def trials(tmp_path_factory):
    """Random search on two tables with one space, and the same once more under another label."""
    twin = {"name": "rs", "label": "twin"}
    suite = make_suite("seeds", ["protein", "slice"], ["rs", twin], n_seeds=2, n_trials=5)
    path = tmp_path_factory.mktemp("seeds") / "s.sqlite"
    run_experiment(suite, path, SerialEngine())
    with reading(path) as store:
        return store.frames().trials


def first_configs(trials, optimizer="rs"):
    chosen = trials[(trials.step == 0) & (trials.optimizer == optimizer)]
    return {(row.benchmark, row.seed): row.config for row in chosen.itertuples()}


def test_benchmarks_with_the_same_space_get_different_configurations(trials):
    assert Benchmark("protein").space == Benchmark("slice").space
    first = first_configs(trials)
    assert sorted(first) == [("protein", 0), ("protein", 1), ("slice", 0), ("slice", 1)]
    assert len(set(first.values())) == 4


def test_optimizers_share_the_seed_on_a_benchmark(trials):
    assert first_configs(trials) == first_configs(trials, "twin")


def test_a_run_of_a_leaderboard_can_be_made_by_hand(trials):
    by_hand = run("slice", "rs", n_trials=5, seed=run_seed(1, "slice"))
    stored = trials[(trials.benchmark == "slice") & (trials.optimizer == "rs") & (trials.seed == 1)]
    assert [trial.loss for trial in by_hand.trials] == stored.loss.tolist()


def test_a_seed_is_a_function_of_name_and_options():
    digest = hashlib.sha256(b'[3,"forrester",{"a":1.0,"b":2}]').digest()
    assert run_seed(3, "forrester", {"b": 2, "a": 1.0}) == int.from_bytes(digest[4:8], "big") % 2**31
    code = "from hpo_leaderboard.experiments.run_seeds import run_seed; print(run_seed(3, 'protein'))"
    elsewhere = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert int(elsewhere) == run_seed(3, "protein") != run_seed(3, "slice")


def test_no_two_runs_of_an_optimizer_share_a_seed():
    for name, n_seeds in (("fcnet", 500), ("profet-svm", 20)):
        members = open_suite(name).benchmarks
        seeds = {run_seed(seed, each.name, each.options) for each in members for seed in range(n_seeds)}
        assert len(seeds) == len(members) * n_seeds
