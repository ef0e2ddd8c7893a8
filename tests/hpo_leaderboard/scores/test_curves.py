"""Curves on a grid, their statistics, areas under them, and bootstrap intervals."""

import numpy as np
import pytest
from score_tables import random_losses, tasks_table, trials_table

from hpo_core.errors import InvalidOption
from hpo_leaderboard.scores import intervals
from hpo_leaderboard.scores.area_under_curve import areas
from hpo_leaderboard.scores.curves import curve_summary, curves, default_grid
from hpo_leaderboard.scores.incumbents import incumbents
from hpo_leaderboard.scores.intervals import (
    counts_of_all,
    expanded_level,
    mean_interval,
    mean_table,
    percentile_interval,
    quantiles,
    resampled_means,
    resampling_counts,
    stratified_interval,
)

A, B, C = ("task", "rs", 0), ("task", "rs", 1), ("task", "rs", 5)


def table_of(losses, **columns):
    trials = trials_table(losses, **columns)
    return incumbents(trials, tasks_table(trials))


def test_a_curve_steps_at_the_end_of_a_trial():
    table = table_of({A: [4.0, 5.0, 2.0]}, cost={A: [10.0, 5.0, 5.0]})
    grid = [9.9, 10.0, 19.9, 20.0, 1000.0]
    assert curves(table, "seconds", grid).loc[A].tolist() == [np.inf, 4, 4, 2, 2]
    assert curves(table, "share", [0.4, 0.5, 0.99, 1.0]).loc[A].tolist() == [np.inf, 4, 4, 2]
    assert curves(table).loc[A].to_dict() == {1.0: 4, 2.0: 4, 3.0: 2}


def test_shares_are_of_the_longest_run_on_the_benchmark():
    table = table_of({A: [3.0, 1.0], B: [2.0], ("slow", "rs", 0): [5.0]}, cost={("slow", "rs", 0): [600.0]})
    shares = curves(table, "share", [0.5, 1.0])
    assert shares.loc[[A, B, ("slow", "rs", 0)]].to_numpy().tolist() == [[3, 1], [2, 2], [np.inf, 5]]


def test_a_short_run_is_carried_forward_and_no_longer_counted_as_running():
    summary = curve_summary(table_of({A: [8.0, 4.0, 2.0], B: [6.0], C: [7.0, 1.0]})).set_index("at")
    assert summary["median"].to_dict() == {1: 7, 2: 4, 3: 2}
    assert summary["mean"].tolist() == [7.0, 11 / 3, 3.0]
    assert summary["n"].tolist() == [3, 3, 3]
    assert summary["n_running"].tolist() == [2, 1, 0]


def test_statistics_by_hand():
    seeds = {("task", "rs", s): [value] for s, value in enumerate([1.0, 2.0, 4.0, 9.0])}
    row = curve_summary(table_of(seeds)).iloc[0]
    assert (row["q25"], row["median"], row["q75"], row["mean"]) == (1.75, 3.0, 5.25, 4.0)
    assert row["sem"] == pytest.approx(np.sqrt((9 + 4 + 0 + 25) / 3) / 2)
    assert 1.0 <= row["mean_low"] < 4.0 < row["mean_high"] <= 9.0


def test_a_run_without_a_success_counts_as_infinite():
    row = curve_summary(table_of({A: [np.inf], B: [1.0], C: [2.0]})).iloc[0]
    assert (row["n"], row["median"], row["q75"], row["mean"]) == (3, 2.0, np.inf, np.inf)
    assert np.isnan(row["sem"]) and row["mean_high"] == np.inf


def test_benchmarks_can_be_pooled_on_a_relative_scale():
    table = table_of({("a", "rs", 0): [4.0, 1.0], ("b", "rs", 0): [400.0, 300.0]})
    pooled = curve_summary(table, value="relative", pooled=True)
    assert pooled["benchmark"].tolist() == ["all", "all"]
    assert pooled["median"].tolist() == [1.0, 0.5]
    assert pooled["n"].tolist() == [2, 2]


@pytest.mark.parametrize("over", ["evaluations", "seconds", "share"])
def test_the_default_grid_ends_with_the_longest_run(over):
    table = table_of(random_losses(0), cost={("task0", "optimizer0", 0): np.geomspace(0.1, 7.7, 6)})
    last = curves(table, over).iloc[:, -1]
    assert np.array_equal(last, table.groupby(["benchmark", "optimizer", "seed"])["regret"].last())
    assert len(default_grid(table, over)) == (6 if over == "evaluations" else 100)


def test_an_unknown_axis_is_refused():
    with pytest.raises(InvalidOption, match="over must be one of evaluations, seconds, share"):
        curves(table_of({A: [1.0]}), "minutes")


def test_quantiles_are_numpys_and_defined_at_infinity():
    values = np.random.default_rng(0).normal(size=(7, 5))
    assert np.allclose(quantiles(values, (0.25, 0.5, 0.9)), np.quantile(values, (0.25, 0.5, 0.9), axis=0))
    assert quantiles(np.array([1.0, 2.0, np.inf]), (0.5, 0.6, 1.0)).tolist() == [2.0, np.inf, np.inf]
    assert quantiles(np.array([1.0, np.inf, np.inf]), (0.75,)).tolist() == [np.inf]


def test_the_bootstrap_of_two_values_by_hand():
    """Means of two draws from {0, 1} are 0, 1/2, 1 with probability 1/4, 1/2, 1/4.

    The level .2 becomes .35: t of one degree of freedom is tan(pi / 10) = .325, and 2 Phi(.325 sqrt(2)) - 1 = .35.
    """
    values = np.array([[0.0], [1.0]])
    assert [end[0] for end in mean_interval(values, seed=0, level=0.95)] == [0.0, 1.0]
    assert [end[0] for end in mean_interval(values, seed=0, level=0.2)] == [0.5, 0.5]
    assert expanded_level(0.2, 2, 1) == pytest.approx(0.354, abs=0.001)
    assert np.isnan(mean_interval(values[:1], seed=0)).all()


def test_intervals_of_few_runs_hold_the_mean_as_often_as_they_say():
    """1,000 experiments with 5 normal values: 95 % +- 3.6 standard errors; plain percentiles hold it in 83 %."""
    rng = np.random.default_rng(0)
    ends = mean_interval(rng.normal(size=(5, 1000)), seed=0)
    assert 0.925 < np.mean((ends[0] <= 0) & (ends[1] >= 0)) < 0.975


def test_an_interval_leaves_out_as_many_samples_on_either_side():
    samples = np.random.default_rng(0).permutation(np.arange(1001.0))[:, None]
    assert [end.item() for end in percentile_interval(samples, 0.9)] == [50.0, 950.0]


def test_the_interval_over_tasks_is_of_the_mean_of_their_means():
    tasks = [np.full((4, 1), 1.0), np.full((2, 1), 3.0)]
    assert [end.item() for end in stratified_interval(tasks, seed=0)] == [2.0, 2.0]


def test_an_infinite_run_makes_only_the_samples_that_hold_it_infinite():
    values, counts = np.array([[1.0], [3.0], [np.inf]]), np.array([[2.0, 1.0, 0.0], [1.0, 1.0, 1.0]])
    assert resampled_means(values, counts)[:, 0].tolist() == [5 / 3, np.inf]


def test_intervals_cover_the_mean_about_as_often_as_they_say():
    values = np.random.default_rng(1).normal(size=(20, 4000))
    low, high = mean_interval(values, seed=0)
    assert 0.90 < ((low <= 0) & (high >= 0)).mean() < 0.96
    tasks = [values[:10], values[10:]]
    low, high = stratified_interval(tasks, seed=0)
    assert 0.88 < ((low <= 0) & (high >= 0)).mean() < 0.96
    assert np.isnan(stratified_interval([values, values[:1]], seed=0)).all()


def test_intervals_are_a_function_of_the_seed_and_of_their_own_runs_only():
    losses = random_losses(3, n_runs=9, decimals=6)
    whole = curve_summary(table_of(losses), seed=1)
    part = curve_summary(table_of({run: v for run, v in losses.items() if run[1] == "optimizer1"}), seed=1)
    same = whole[whole["optimizer"] == "optimizer1"].reset_index(drop=True)
    assert same.equals(part)
    assert not curve_summary(table_of(losses), seed=2)["mean_low"].equals(whole["mean_low"])


def test_a_level_outside_its_range_is_refused():
    with pytest.raises(InvalidOption, match="level must lie between 0 and 1, got 95"):
        percentile_interval(np.zeros((10, 1)), 95)


def test_the_area_is_the_mean_of_the_logarithm_above_a_floor():
    table = curves(table_of({A: [1.0, 0.1, 0.0], B: [10.0, 10.0, 10.0]}))
    assert areas(table).to_dict() == pytest.approx({A: -2 / 3, B: 1.0})
    assert areas(table, floor=0.001).to_dict() == pytest.approx({A: -4 / 3, B: 1.0})


def test_areas_are_over_the_stretch_where_all_runs_have_an_incumbent():
    table = curves(table_of({A: [100.0, 1.0, 1.0], B: [np.inf, 10.0, 0.1], C: [np.inf, np.inf, np.inf]}))
    assert areas(table).to_dict() == pytest.approx({A: 0.0, B: 0.0, C: np.inf})


def test_means_of_runs_come_with_their_number_and_interval():
    series = areas(curves(table_of({A: [1.0], B: [100.0], ("task", "tpe", 0): [10.0]})))
    means = mean_table(series).set_index("optimizer")
    assert means["mean"].to_dict() == {"rs": 1.0, "tpe": 1.0}
    assert means["n"].to_dict() == {"rs": 2, "tpe": 1}
    assert (means.loc["rs", "low"], means.loc["rs", "high"]) == (0.0, 2.0)
    assert np.isnan(means.loc["tpe", "low"])


@pytest.mark.parametrize("most", [0, 4_000_000])
def test_counts_that_are_kept_are_those_drawn_one_after_the_other(monkeypatch, most):
    monkeypatch.setattr(intervals, "MOST_KEPT", most)
    for _ in range(2):
        rng = np.random.default_rng(7)
        for n, counts in zip((5, 3, 5), counts_of_all(7, [5, 3, 5], 11), strict=True):
            assert (counts == resampling_counts(rng, n, 11)).all()


def test_finite_values_are_resampled_like_the_others():
    """A column of infinite values beside them takes the other way through the code."""
    rng = np.random.default_rng(1)
    values, counts = rng.normal(size=(6, 3)), resampling_counts(rng, 6, 50)
    beside = np.column_stack([values, np.full(6, np.inf)])
    np.testing.assert_allclose(resampled_means(values, counts), resampled_means(beside, counts)[:, :3], rtol=1e-12)
