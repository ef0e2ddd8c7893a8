"""Robustness, overhead and the leaderboard itself."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom
from score_tables import random_losses, runs_table, tasks_table, trials_table

from hpo_leaderboard.scores.incumbents import final_values, incumbents
from hpo_leaderboard.scores.leaderboard import leaderboard
from hpo_leaderboard.scores.overheads import overheads
from hpo_leaderboard.scores.robustness import robustness, robustness_at

# on a: rs ends with 3 and 5, tpe with 1 and 4; on b: rs with 2 and 2, tpe with 2 and 2
LOSSES = {
    ("a", "rs", 0): [4.0, 3.0],
    ("a", "rs", 1): [8.0, 5.0],
    ("a", "tpe", 0): [4.0, 1.0],
    ("a", "tpe", 1): [4.0, 4.0],
    ("b", "rs", 0): [4.0, 2.0],
    ("b", "rs", 1): [2.0, 2.0],
    ("b", "tpe", 0): [2.0, 3.0],
    ("b", "tpe", 1): [2.0, np.inf],
}


def tables(losses):
    trials = trials_table(losses)
    return incumbents(trials, tasks_table(trials)), runs_table(trials)


def test_the_leaderboard_by_hand():
    """On a tpe's runs win 3 of 4 pairs, so rank 1.25 against 1.75; on b all tie at 1.5."""
    table, runs = tables(LOSSES)
    goals = pd.DataFrame({"benchmark": ["a", "a", "b"], "target": [3.0, 1.0, 2.0]})
    board = leaderboard(table, runs, goals, n_samples=20000).set_index("optimizer")
    assert board.index.tolist() == ["tpe", "rs"]
    assert board["rank"].to_dict() == pytest.approx({"tpe": 1.375, "rs": 1.625}, abs=0.01)
    assert (board["rank_low"] < board["rank"]).all() and (board["rank"] < board["rank_high"]).all()
    assert board["regret"].to_dict() == {"tpe": (2.5 + 2) / 2, "rs": (4 + 2) / 2}
    assert board["relative"].to_dict() == {"tpe": (2.5 / 4 + 2 / 2) / 2, "rs": (4 / 4 + 2 / 2) / 2}
    assert board["reached"].to_dict() == {"tpe": ((1 + 0) / 2 + 1) / 2, "rs": ((0.5 + 0) / 2 + 1) / 2}
    assert board["wins"].to_dict() == {"tpe": 1.5, "rs": 0.5}
    assert board["overhead"].to_dict() == {"tpe": 0.25, "rs": 0.25}
    assert board["n_runs"].to_dict() == {"tpe": 4, "rs": 4} and set(board["n_tasks"]) == {2}


def test_only_benchmarks_that_all_ran_on_count_and_broken_runs_are_told():
    table, runs = tables({**LOSSES, ("c", "rs", 0): [0.0]})
    broken = pd.DataFrame([{**runs.iloc[0], "seed": 2, "n_trials": 0, "overhead": np.nan, "failure": "it raised"}])
    board = leaderboard(table, pd.concat([runs, broken]))
    assert set(board["n_tasks"]) == {2} and board["n_runs"].tolist() == [4, 4]
    assert board.set_index("optimizer").loc["rs", "reached"] == leaderboard(*tables(LOSSES)).iloc[1]["reached"]
    assert board.set_index("optimizer")["n_broken"].to_dict() == {"tpe": 0, "rs": 1}


def test_an_optimizer_that_never_succeeded_on_a_benchmark_is_last_there():
    losses = {("a", "rs", s): [1.0] for s in range(2)} | {("a", "gp", s): [np.inf] for s in range(2)}
    board = leaderboard(*tables(losses)).set_index("optimizer")
    assert board["rank"].to_dict() == {"rs": 1.0, "gp": 2.0}
    assert board["regret"].to_dict() == {"rs": 1.0, "gp": np.inf}
    assert board["wins"].to_dict() == {"rs": 1.0, "gp": 0.0} and board["reached"].to_dict() == {"rs": 1.0, "gp": 0.0}


def test_a_better_optimizer_leads():
    losses = random_losses(0, n_tasks=6, n_optimizers=4, n_runs=10, n_trials=20, decimals=6)
    board = leaderboard(*tables(losses), seed=3)
    assert board["optimizer"].tolist() == ["optimizer0", "optimizer1", "optimizer2", "optimizer3"]
    assert board["reached"].is_monotonic_decreasing and board["wins"].sum() == 6
    assert board.equals(leaderboard(*tables(losses), seed=3))


def test_robustness_by_hand():
    table, _ = tables({("a", "rs", s): [v] for s, v in enumerate([3.0, 1.0, 3.0, np.inf])})
    curve = robustness(final_values(table))
    assert curve["value"].tolist() == [1.0, 3.0]
    assert curve["share"].tolist() == [0.25, 0.75] and curve["n"].tolist() == [4, 4]


def test_robustness_at_stated_seconds_by_hand():
    """A trial takes a second: after 1.5 s each run has its first loss, and the run of "b" is measured at its end."""
    losses = {
        ("a", "rs", 0): [4.0, 1.0],
        ("a", "rs", 1): [2.0, 3.0],
        ("a", "rs", 2): [np.inf, 5.0],
        ("b", "rs", 0): [2.0],
    }
    curve = robustness_at(tables(losses)[0], {"a": [1.5, 2.0]})
    rows = curve[["benchmark", "seconds", "value", "share"]].round(3).to_numpy().tolist()
    assert rows[:2] == [["a", 1.5, 2.0, 0.333], ["a", 1.5, 4.0, 0.667]]
    assert rows[2:] == [["a", 2.0, 1.0, 0.333], ["a", 2.0, 2.0, 0.667], ["a", 2.0, 5.0, 1.0], ["b", np.inf, 2.0, 1.0]]


def test_robustness_on_test_regret_counts_the_recorded_runs_alone():
    losses = {("a", "rs", s): [1.0] for s in range(4)}
    trials = trials_table(losses, test={("a", "rs", s): [t] for s, t in enumerate([0.5, np.nan, 0.75, np.nan])})
    curve = robustness_at(incumbents(trials, tasks_table(trials, test_optimum=0.25)), {"a": [1.0]}, "test_regret")
    assert curve["value"].tolist() == [0.25, 0.5] and curve["share"].tolist() == [0.5, 1.0]
    assert curve["n"].tolist() == [2, 2]


def test_the_interval_of_a_share_is_the_bootstraps():
    values = np.random.default_rng(0).normal(size=30)
    table, _ = tables({("a", "rs", s): [10 + v] for s, v in enumerate(values)})
    curve = robustness(final_values(table))
    assert np.array_equal(curve["low"], binom.ppf(0.025, 30, curve["share"]) / 30)
    rng = np.random.default_rng(1)
    shares = np.sort([(rng.choice(30, 30) < 12).mean() for _ in range(4000)])  # the 12 lowest values, resampled
    assert curve["low"][11] == pytest.approx(shares[100], abs=0.034)
    assert curve["high"][11] == pytest.approx(shares[3900], abs=0.034)


def test_overheads_by_hand():
    runs = pd.DataFrame(
        {
            "optimizer": ["rs", "rs", "tpe", "tpe", "gp"],
            "n_trials": [10, 10, 10, 0, 5],
            "overhead": [1.0, 3.0, 5.0, 0.1, np.nan],
        }
    )
    table = overheads(runs).set_index("optimizer")
    assert table.index.tolist() == ["rs", "tpe"]
    assert table.loc["rs", ["median", "q25", "q75", "mean", "n"]].tolist() == pytest.approx([0.2, 0.15, 0.25, 0.2, 2])
    assert (table.loc["rs", "mean_low"], table.loc["rs", "mean_high"]) == pytest.approx((0.1, 0.3))
    assert table.loc["tpe", "mean"] == 0.5 and np.isnan(table.loc["tpe", "mean_low"])
