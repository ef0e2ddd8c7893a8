"""Priors of a known quality, and suites that give them to their optimizers."""

import json

import numpy as np
import pytest

from hpo_core import Benchmark
from hpo_core.errors import InvalidOption
from hpo_leaderboard.engines.serial import SerialEngine
from hpo_leaderboard.experiments.experiment import run_experiment
from hpo_leaderboard.experiments.identity import open_benchmark
from hpo_leaderboard.experiments.plan import make_plan
from hpo_leaderboard.experiments.study_priors import study_prior
from hpo_leaderboard.experiments.suite import changed, make_suite, open_suite


def test_centres_are_the_best_and_the_worst_of_the_draws():
    b = Benchmark("branin")
    modes = {kind: b.with_prior(study_prior(b, kind)).space.prior.mode for kind in ("near", "good", "bad")}
    few = b.objective_batch(b.space.sample(np.random.default_rng(0), 25))[0]
    many = b.objective_batch(b.space.sample(np.random.default_rng(0), 50_000))[0]
    assert b.objective(modes["good"]).loss == few.min()
    assert b.objective(modes["bad"]).loss == many.max()
    assert many.min() <= b.objective(modes["near"]).loss < np.quantile(many, 0.01)
    assert study_prior(b, "near") == study_prior(b, "near") != study_prior(b, "near", seed=1)


def test_a_suite_states_its_prior():
    suite = make_suite("mine", ["branin", {"name": "forrester", "label": "f"}], ["rs"], n_seeds=1, prior="good")
    assert [m.label for m in suite.benchmarks] == ['branin(prior="good")', "f"]
    assert all(m.options["prior"] == "good" for m in suite.benchmarks)
    bad = changed(suite, prior="bad", benchmarks=["branin"])
    assert [m.label for m in bad.benchmarks] == ['branin(prior="bad")']
    with pytest.raises(InvalidOption, match="near, good, bad, got 'god'; did you mean good"):
        make_suite("mine", ["branin"], ["rs"], prior="god")


def test_a_file_states_it_too(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('prior = "near"\nbenchmarks = ["branin"]\noptimizers = ["rs"]\n')
    assert open_suite(path).benchmarks[0].options == {"prior": "near"}


def test_a_prior_is_part_of_the_key_and_no_prior_is_not():
    plans = {
        prior: make_plan(make_suite("mine", ["branin"], ["rs"], n_seeds=1, n_trials=5, prior=prior)).jobs[0]
        for prior in (None, "good", "bad")
    }
    assert len({job.key for job in plans.values()}) == 3
    assert len({job.checksum for job in plans.values()}) == 3
    assert "prior" not in plans[None].description
    opened = open_benchmark("branin", {"prior": "good"})
    assert opened.benchmark.space.prior is None and opened.space.prior is not None


def test_runs_with_a_prior_are_stored_and_say_so(tmp_path):
    options = {"name": "rs", "options": {"default_first": True}}
    suite = make_suite("mine", ["branin"], [options, "tpe"], n_seeds=2, n_trials=6, prior="near")
    outcome = run_experiment(suite, tmp_path / "a.sqlite", SerialEngine())
    assert not outcome.failures
    assert run_experiment(suite, tmp_path / "b.sqlite", SerialEngine()).digest == outcome.digest
    said = json.loads(make_plan(suite).tasks[0].provenance)["prior"]
    assert said["kind"] == "near" and said["entries"].keys() == {"x1", "x2"}


def test_what_takes_long_is_refused():
    class Slow:
        name, noise_free_is_cheap = "slow", False

    with pytest.raises(InvalidOption, match=r"50,000 evaluations.*with_prior"):
        study_prior(Slow(), "good")
