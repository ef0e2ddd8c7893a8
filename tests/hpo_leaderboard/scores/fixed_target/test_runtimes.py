"""Targets, fixed-target runtimes, their ECDF, expected running times, profiles and speed-ups."""

import warnings
from unittest.mock import Mock
from urllib.error import URLError

import numpy as np
import pandas as pd
import pytest
from score_tables import random_losses, tasks_table, trials_table

from hpo_core import Benchmark, Categorical, Condition, Float, Result, SimpleProblem, Space
from hpo_core.errors import InvalidOption
from hpo_leaderboard.scores.curves import curves
from hpo_leaderboard.scores.fixed_target.expected_running_times import expected_running_times
from hpo_leaderboard.scores.fixed_target.performance_profiles import performance_profiles
from hpo_leaderboard.scores.fixed_target.runtimes import ecdf, runtimes
from hpo_leaderboard.scores.fixed_target.speedups import speedups
from hpo_leaderboard.scores.fixed_target.targets import final_targets, quantile_targets, regret_targets, sobol_targets
from hpo_leaderboard.scores.incumbents import incumbents
from hpo_leaderboard.scores.references import references


def table_of(losses, **columns):
    trials = trials_table(losses, **columns)
    return incumbents(trials, tasks_table(trials))


def targets_of(*rows):
    return pd.DataFrame(rows, columns=["benchmark", "target"])


TWO_RUNS = {("a", "rs", 0): [5.0, 3.0, 4.0, 1.0], ("a", "rs", 1): [np.inf, 4.0, 2.0]}
GOALS = targets_of(("a", 4.0), ("a", 2.0), ("a", 0.5))


@pytest.mark.parametrize("seed", range(5))
def test_runtimes_are_those_of_a_plain_loop(seed):
    rng = np.random.default_rng(seed)
    losses = {
        (task, name, run): [np.inf] * rng.integers(3) + rng.integers(0, 9, rng.integers(1, 9)).astype(float).tolist()
        for task in "ab"
        for name in ("rs", "re")
        for run in range(4)
    }
    table = table_of(losses)
    goals = {"a": [4.0, 0.0, 4.0, 8.5], "b": [3.0, np.inf, -1.0], "c": [1.0]}
    times = runtimes(table, targets_of(*((task, goal) for task, own in goals.items() for goal in own)))
    for (task, name, run), row in times.iterrows():
        own = table[(table["benchmark"] == task) & (table["optimizer"] == name) & (table["seed"] == run)]
        reached = [own["evaluation"][own["loss"] <= goal] for goal in goals[task]]
        assert row.tolist()[: len(reached)] == [min(each, default=np.inf) for each in reached]
        assert np.isnan(row.tolist()[len(reached) :]).all()


def test_runtimes_by_hand():
    times = runtimes(table_of(TWO_RUNS), GOALS)
    assert times.to_numpy().tolist() == [[2, 4, np.inf], [2, 3, np.inf]]
    seconds = runtimes(table_of(TWO_RUNS, cost={("a", "rs", 1): [10.0, 20.0, 30.0]}), GOALS, "seconds")
    assert seconds.to_numpy().tolist() == [[2, 4, np.inf], [30, 60, np.inf]]


def test_a_target_once_reached_stays_reached_though_noise_may_lose_it():
    table = table_of({("a", "rs", 0): [2.0, 1.0]}, exact={("a", "rs", 0): [0.5, 3.0]})
    assert runtimes(table, targets_of(("a", 0.5))).iloc[0, 0] == 1


def test_only_the_incumbent_reaches_a_target():
    table = table_of({("a", "rs", 0): [1.0, 2.0]}, exact={("a", "rs", 0): [3.0, 0.5]})
    assert runtimes(table, targets_of(("a", 0.5))).iloc[0, 0] == np.inf


def test_benchmarks_may_have_different_numbers_of_targets_or_none():
    losses = {("a", "rs", 0): [1.0], ("b", "rs", 0): [1.0], ("c", "rs", 0): [1.0]}
    times = runtimes(table_of(losses), targets_of(("a", 1.0), ("a", 0.0), ("b", 1.0)))
    assert times.index.get_level_values("benchmark").tolist() == ["a", "b"]
    assert np.array_equal(times, [[1, np.inf], [1, np.nan]], equal_nan=True)
    assert ecdf(times, [1.0])["share"].tolist() == [0.75]
    with pytest.raises(InvalidOption, match="targets of a benchmark that was run"):
        runtimes(table_of(losses), targets_of(("z", 1.0)))


def test_the_ecdf_by_hand():
    curve = ecdf(runtimes(table_of(TWO_RUNS), GOALS), [1, 2, 3, 4, 99])
    assert curve["share"].tolist() == pytest.approx([0, 2 / 6, 3 / 6, 4 / 6, 4 / 6])
    assert curve["n"].tolist() == [2] * 5 and curve["n_tasks"].tolist() == [1] * 5


def test_the_ecdf_is_the_share_of_all_triples_when_balanced():
    table = table_of(random_losses(5))
    goals = quantile_targets(table, 7)
    times = runtimes(table, goals)
    curve = ecdf(times, np.arange(7.0))
    for row in curve.itertuples():
        own = times.xs(row.optimizer, level="optimizer").to_numpy()
        assert row.share == pytest.approx((own <= row.at).mean())
        assert row.low <= row.share <= row.high


def test_tasks_count_alike_whatever_their_number_of_runs():
    losses = {("a", "rs", s): [1.0] for s in range(9)} | {("b", "rs", 0): [2.0]}
    curve = ecdf(runtimes(table_of(losses), targets_of(("a", 1.0), ("b", 1.0))), [1.0])
    assert curve["share"].tolist() == [0.5] and curve["n"].tolist() == [10]


def test_runtimes_equal_a_plain_loop():
    table = table_of(random_losses(7))
    goals = quantile_targets(table, 5)
    times = runtimes(table, goals)
    losses = curves(table, value="loss")
    for (benchmark, optimizer, seed), row in times.iterrows():
        for k, target in enumerate(goals.loc[goals["benchmark"] == benchmark, "target"]):
            course = losses.loc[(benchmark, optimizer, seed)]
            hit = [at for at, loss in course.items() if loss <= target]
            assert row[k] == (hit[0] if hit else np.inf)


def test_expected_running_time_by_hand():
    """Targets met after 2 and 2 trials; after 4 and 3; never. Then with a third run, of 3 trials in vain."""
    assert expected_running_times(table_of(TWO_RUNS), GOALS)["ert"].tolist() == [2.0, 3.5, np.inf]
    times = expected_running_times(table_of({**TWO_RUNS, ("a", "rs", 2): [9.0] * 3}), GOALS)
    assert times["ert"].tolist() == [(2 + 2 + 3) / 2, (4 + 3 + 3) / 2, np.inf]
    assert times["n_success"].tolist() == [2, 2, 0] and times["n"].tolist() == [3, 3, 3]
    assert (times["low"].iloc[:2] <= times["ert"].iloc[:2]).all()
    assert times["high"].tolist() == [np.inf, np.inf, np.inf]  # 1 sample in 27 holds the third run only


def test_expected_running_time_equals_cocopp(monkeypatch):
    offline = Mock(side_effect=URLError("no network in tests"))
    monkeypatch.setattr("urllib.request.urlopen", offline)  # cocopp looks for its archive when it is imported
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cocopp = pytest.importorskip("cocopp.toolsstats", reason="not installed: pip install cocopp six")
    table = table_of(random_losses(11, n_runs=8))
    goals = quantile_targets(table, 9)
    times = runtimes(table, goals)
    mine = expected_running_times(table, goals)
    columns = np.tile(np.arange(9), len(mine) // 9)
    for row, column in zip(mine.itertuples(), columns, strict=True):
        own = times.loc[(row.benchmark, row.optimizer), column].to_numpy()
        reached = np.isfinite(own)
        theirs, _, n_success = cocopp.sp(np.where(reached, own, 6.0), issuccessful=reached)
        assert (row.ert, row.n_success) == (pytest.approx(theirs), n_success)


def test_ecdf_and_expected_running_time_equal_iohinspector():
    """It reads logs of improvements, and its ECDF is over infinitely many targets, evenly spaced between two bounds."""
    metrics = pytest.importorskip("iohinspector.metrics", reason="not installed: pip install iohinspector")
    polars = pytest.importorskip("polars")
    losses = random_losses(13, n_tasks=1, n_trials=20, decimals=3)
    table = table_of({run: np.where(np.isinf(values), 1.0, values) for run, values in losses.items()})
    names = {"optimizer": "algorithm_name", "evaluation": "evaluations", "loss": "raw_y"}
    data = table.rename(columns=names).assign(data_id=table.groupby(["optimizer", "seed"]).ngroup())
    data = data.drop_duplicates(["data_id", "raw_y"])
    data = polars.from_dict(data[["data_id", *names.values()]].to_dict("list"))
    bounds = {"f_min": 0.0, "f_max": 1.0, "scale_f_log": False, "return_as_pandas": False}

    theirs = metrics.aggregate_running_time(data, eval_max=20, **bounds).sort("algorithm_name", "raw_y")
    goals = targets_of(*(("task0", target) for target in np.sort(theirs["raw_y"].unique().to_numpy())))
    mine = expected_running_times(table, goals)
    reached = mine["n_success"].to_numpy() > 0
    assert mine["n_success"].tolist() == theirs["success_count"].to_list() and reached.sum() > 100
    assert np.allclose(mine["ert"][reached], theirs["ERT"].to_numpy()[reached])

    shares = metrics.get_data_ecdf(data, eval_values=range(1, 21), **bounds).sort("algorithm_name", "evaluations")
    goals = targets_of(*(("task0", target) for target in (np.arange(5000) + 0.5) / 5000))
    mine = ecdf(runtimes(table, goals), np.arange(1, 21))
    assert np.allclose(mine["share"], shares["eaf"].to_numpy(), atol=2e-4)


def test_profiles_by_hand():
    """Fastest: rs at target 2 (1 against 2 evaluations), tpe at 1 (2 against 3); nobody reaches 0."""
    losses = {("a", "rs", 0): [2.0, 2.0, 1.0], ("a", "tpe", 0): [3.0, 1.0, 1.0]}
    goals = targets_of(("a", 2.0), ("a", 1.0), ("a", 0.0))
    profile = performance_profiles(table_of(losses), goals, factors=[1.0, 1.5, 2.0, 100.0])
    shares = profile.pivot(index="factor", columns="optimizer", values="share")
    assert shares["rs"].tolist() == pytest.approx([1 / 3, 2 / 3, 2 / 3, 2 / 3])
    assert shares["tpe"].tolist() == pytest.approx([1 / 3, 1 / 3, 2 / 3, 2 / 3])
    assert profile["low"].isna().all()


def test_profile_intervals_hold_the_shares():
    table = table_of(random_losses(2, n_tasks=6))
    profile = performance_profiles(table, quantile_targets(table, 5))
    assert ((profile["low"] <= profile["share"]) & (profile["share"] <= profile["high"])).all()
    assert (profile["n_tasks"] == 6).all()


def test_speedups_by_hand():
    losses = {("a", "rs", 0): [4.0, 4.0, 4.0, 1.0], ("a", "tpe", 0): [4.0, 1.0, 0.0, 0.0], ("b", "tpe", 0): [1.0]}
    goals = targets_of(("a", 1.0), ("a", 0.0), ("a", -1.0), ("b", 1.0))
    table = speedups(table_of(losses), goals, "rs")
    assert np.array_equal(table["speedup"], [1.0, np.nan, np.nan, 2.0, np.inf, np.nan], equal_nan=True)
    assert set(table["benchmark"]) == {"a"}  # the reference did not run on b
    assert speedups(table_of(losses), goals, "tpe")["speedup"].iloc[1] == 0.0
    with pytest.raises(InvalidOption, match="the reference must be one of rs, tpe, got 'gp'"):
        speedups(table_of(losses), goals, "gp")


def test_the_interval_of_a_speedup_holds_it():
    table = table_of(random_losses(4, n_runs=12, n_trials=12))
    goals = final_targets(table, "optimizer2")
    rows = speedups(table, goals, "optimizer2").query("optimizer == 'optimizer0'")
    assert (rows["low"] < rows["speedup"]).all() and (rows["speedup"] < rows["high"]).all()


def test_final_targets_are_reached_by_half_of_the_reference():
    table = table_of({("a", "rs", 0): [3.0, 1.0], ("a", "rs", 1): [2.0], ("a", "rs", 2): [7.0]})
    assert final_targets(table, "rs").to_dict("list") == {"benchmark": ["a"], "target": [2.0]}
    with pytest.raises(InvalidOption, match="must be one of rs, got 'tpe'"):
        final_targets(table, "tpe")


def test_quantile_targets_are_losses_that_incumbents_had():
    table = table_of({("a", "rs", 0): [np.inf, 8.0, 9.0, 4.0], ("b", "rs", 0): [1.0]})
    goals = quantile_targets(table, 3)  # incumbents of a: 8, 8, 4; levels 1/6, 1/2, 5/6
    assert goals["target"].tolist() == [4.0, 8.0, 8.0, 1.0, 1.0, 1.0]
    with pytest.raises(InvalidOption, match="at least one successful trial"):
        quantile_targets(table_of({("a", "rs", 0): [np.inf]}))
    with pytest.raises(InvalidOption, match="at least one target"):
        quantile_targets(table, 0)


def test_regret_targets_lie_above_the_reference():
    trials = trials_table({("a", "rs", 0): [3.0]})
    goals = regret_targets(references(trials, tasks_table(trials, optimum=2.0)), [1.0, 0.1])
    assert goals.to_dict("list") == {"benchmark": ["a", "a"], "target": [3.0, 2.1]}


def test_sobol_targets_are_losses_all_over_the_space():
    goals = sobol_targets(["branin", "forrester"])
    assert goals.groupby("benchmark").size().to_dict() == {"branin": 200, "forrester": 100}
    b = Benchmark("forrester")
    exact = np.sort([b.objective({"x": x}).loss for x in np.linspace(0, 1, 2001)])
    mine = np.sort(goals.loc[goals["benchmark"] == "forrester", "target"])
    distance = np.abs(np.searchsorted(exact, mine) / len(exact) - np.arange(100) / 100).max()
    assert distance < 0.05  # 100 independent configurations are further off nine times in ten
    assert sobol_targets(["branin"], 5, seed=1).equals(sobol_targets([Benchmark("branin")], 5, seed=1))
    assert not sobol_targets(["branin"], 5, seed=1).equals(sobol_targets(["branin"], 5, seed=2))


def test_sobol_targets_of_a_space_with_conditions():
    kernel, gamma = Categorical("kernel", ["linear", "rbf"]), Float("gamma", 0, 1)
    space = Space([kernel, gamma], [Condition("gamma", "kernel", ("rbf",))])
    problem = SimpleProblem("conditional", space, lambda c, budget, _: Result(c.get("gamma", -1.0), 1.0, budget, {}))
    goals = sobol_targets([Benchmark(problem)], 64)["target"]
    assert (goals == -1.0).sum() == 32
    assert goals[goals >= 0].mean() == pytest.approx(0.5, abs=0.05)
