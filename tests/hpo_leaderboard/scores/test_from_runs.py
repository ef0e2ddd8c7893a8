"""Scores of runs in memory: those of a store with the same runs."""

import json
from dataclasses import replace
from itertools import product
from types import MappingProxyType

import numpy as np
import pandas as pd
import pytest

from hpo_core import Benchmark, Float, Result, Space, run
from hpo_core.errors import InvalidOption
from hpo_leaderboard.engines import make_engine
from hpo_leaderboard.experiments.experiment import run_experiment
from hpo_leaderboard.experiments.run_seeds import run_seed
from hpo_leaderboard.experiments.suite import make_suite
from hpo_leaderboard.scores.area_under_curve import areas
from hpo_leaderboard.scores.comparisons import mann_whitney, stratified_mann_whitney, task_means
from hpo_leaderboard.scores.critical_difference import critical_difference
from hpo_leaderboard.scores.curves import curve_summary, curves, default_grid
from hpo_leaderboard.scores.fixed_target.expected_running_times import expected_running_times
from hpo_leaderboard.scores.fixed_target.performance_profiles import performance_profiles
from hpo_leaderboard.scores.fixed_target.runtimes import runtimes
from hpo_leaderboard.scores.fixed_target.speedups import speedups
from hpo_leaderboard.scores.fixed_target.targets import final_targets, quantile_targets
from hpo_leaderboard.scores.from_runs import tables_of
from hpo_leaderboard.scores.incumbents import final_values, incumbents
from hpo_leaderboard.scores.intervals import mean_table
from hpo_leaderboard.scores.leaderboard import leaderboard
from hpo_leaderboard.scores.ranks import average_ranks
from hpo_leaderboard.scores.references import references
from hpo_leaderboard.scores.robustness import robustness
from hpo_leaderboard.store.export import export_trials
from hpo_leaderboard.store.store import reading

BENCHMARKS, OPTIMIZERS, N_SEEDS, N_TRIALS = ("branin", "protein"), ("de", "re", "rs"), 3, 12
NOT_RECORDED = ["key", "overhead", "version", "n_trials_limit", "n_random", "stored", "description"]


@pytest.fixture(scope="module")
def runs():
    order = product(BENCHMARKS, reversed(OPTIMIZERS), range(N_SEEDS))  # that of the list does not matter
    return [as_in_a_suite(*named) for named in order]


def as_in_a_suite(benchmark, optimizer, seed):
    """A run under the seed that a suite derives from the benchmark, labelled by the suite's seed."""
    return replace(run(benchmark, optimizer, n_trials=N_TRIALS, seed=run_seed(seed, benchmark)), seed=seed)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = tmp_path_factory.mktemp("store") / "s.sqlite"
    suite = make_suite("s", BENCHMARKS, OPTIMIZERS, n_seeds=N_SEEDS, n_trials=N_TRIALS)
    run_experiment(suite, path, make_engine("serial"))
    return path


@pytest.fixture(scope="module")
def frames(store):
    with reading(store) as opened:
        return opened.frames()


def test_tables_are_those_of_a_store(runs, frames):
    ours = tables_of(runs)
    pd.testing.assert_frame_equal(ours.trials, frames.trials)
    pd.testing.assert_frame_equal(ours.tasks, frames.tasks)
    known = frames.runs.columns.drop(NOT_RECORDED)
    pd.testing.assert_frame_equal(ours.runs[known], frames.runs[known])
    assert list(ours.runs.columns) == list(frames.runs.columns)
    assert tables_of(frames) is frames


def test_a_leaderboard_of_runs_is_that_of_the_store(runs, frames):
    from_store = leaderboard(incumbents(frames.trials, frames.tasks), frames.runs)
    pd.testing.assert_frame_equal(leaderboard(frames), from_store)
    pd.testing.assert_frame_equal(leaderboard(runs).drop(columns="overhead"), from_store.drop(columns="overhead"))
    assert leaderboard(runs)["overhead"].isna().all()


SCORES = {
    "incumbents": incumbents,
    "final_values": final_values,
    "curves": curves,
    "curve_summary": curve_summary,
    "areas": areas,
    "average_ranks": average_ranks,
    "mann_whitney": mann_whitney,
    "stratified_mann_whitney": stratified_mann_whitney,
    "task_means": task_means,
    "robustness": robustness,
    "mean_table": mean_table,
    "quantile_targets": quantile_targets,
    "final_targets": lambda source: final_targets(source, "rs"),
    "runtimes": lambda source: runtimes(source, quantile_targets(source)),
    "expected_running_times": lambda source: expected_running_times(source, quantile_targets(source)),
    "performance_profiles": lambda source: performance_profiles(source, quantile_targets(source)),
    "speedups": lambda source: speedups(source, final_targets(source, "rs"), "rs"),
}


@pytest.mark.parametrize("name", SCORES)
def test_a_score_of_runs_is_that_of_the_table(runs, frames, name):
    score = SCORES[name]
    expected = incumbents(frames.trials, frames.tasks) if name == "incumbents" else score(incumbents(frames))
    same = pd.testing.assert_series_equal if isinstance(expected, pd.Series) else pd.testing.assert_frame_equal
    same(score(runs), expected)
    same(score(frames), expected)


def test_grid_and_critical_difference_of_runs(runs, frames):
    np.testing.assert_array_equal(default_grid(runs, "seconds"), default_grid(incumbents(frames), "seconds"))
    assert critical_difference(runs).difference == critical_difference(final_values(frames)).difference


def test_an_exported_table_of_trials_is_enough(store, frames, tmp_path):
    export_trials(store, tmp_path / "trials.csv")
    trials = pd.read_csv(tmp_path / "trials.csv")
    left, right = leaderboard(trials), leaderboard(frames)
    pd.testing.assert_frame_equal(left.drop(columns="overhead"), right.drop(columns="overhead"))


class Bowl:
    """A problem that is known under no name."""

    name, budgets, optimum = "bowl", (1,), 0.0
    space = Space([Float("x", -1.0, 1.0)])
    provenance = MappingProxyType({})

    def evaluate(self, config, budget, seed):
        return Result(1.0 + config["x"] ** 2, 1.0, budget, {})


def test_a_problem_of_your_own_is_scored_by_its_observed_losses():
    own = [run(Benchmark(Bowl()), name, n_trials=8, seed=seed) for name in ("rs", "de") for seed in range(2)]
    final = final_values(own)
    assert final.min() == 0.0  # the lowest loss that any run saw
    lowest = min(trial.loss for each in own for trial in each.trials)
    assert final["bowl", "rs", 1] == pytest.approx(min(t.loss for t in own[1].trials) - lowest)


def test_mistakes_are_explained(runs, frames):
    with pytest.raises(InvalidOption, match=r"dataclasses\.replace"):
        leaderboard([*runs, runs[0]])
    with pytest.raises(InvalidOption, match="an empty list"):
        incumbents([])
    with pytest.raises(InvalidOption, match="list of runs"):
        incumbents(["branin"])
    with pytest.raises(InvalidOption, match="frame `runs`"):
        leaderboard(incumbents(frames))


def test_noisy_generated_tasks_are_scored_by_their_noise_free_losses(tmp_path):
    """A generated task has no known optimum; the lowest noisy loss would be the luckiest."""
    noisy = {"name": "profet-svm/0", "options": {"noise": True}}
    run_experiment(
        make_suite("s", [noisy], ["rs"], n_seeds=4, n_trials=30), tmp_path / "s.sqlite", make_engine("serial")
    )
    with reading(tmp_path / "s.sqlite") as opened:
        frames = opened.frames()
    assert references(frames.trials, frames.tasks)["basis"].tolist() == ["noise-free"]
    final = incumbents(frames).groupby("seed").last()
    for seed, trials in frames.trials.groupby("seed"):
        config = json.loads(trials["config"].iloc[trials["loss"].argmin()])
        noise_free = Benchmark("profet-svm/0").objective(config).loss
        assert final["loss"][seed] == pytest.approx(noise_free, rel=1e-9)
        assert final["observed"][seed] != pytest.approx(noise_free, rel=1e-3)
    assert final["regret"].min() >= 0


@pytest.mark.parametrize(
    ("name", "options"),
    [("profet-svm/0", {"noise": True}), ("forrester", {"a": 3.0}), ("mini-concrete", {"metric": "test_loss"})],
)
def test_runs_on_a_benchmark_with_options_are_scored_without_noise(name, options):
    benchmark = Benchmark(name, **options)
    made = run(benchmark, "rs", n_trials=5, seed=0)
    exact = [benchmark.objective(trial.config).loss for trial in made.trials]
    np.testing.assert_allclose(tables_of([made]).trials["exact"], exact, rtol=1e-12)
