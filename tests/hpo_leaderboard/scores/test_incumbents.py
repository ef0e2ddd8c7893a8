"""Incumbents and what regret is measured from."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from score_tables import NAN, random_losses, tasks_table, trials_table

from hpo_core import Proposal, Result, Trial
from hpo_core.errors import InvalidOption, NotRecorded
from hpo_core.running.incumbent import trajectory
from hpo_leaderboard.scores.curves import curve_summary, curves
from hpo_leaderboard.scores.incumbents import final_values, incumbents
from hpo_leaderboard.scores.ranks import average_ranks
from hpo_leaderboard.scores.references import references

RUN = ("task", "rs", 0)


def one_run(losses, optimum=0.0, **columns):
    trials = trials_table({RUN: losses}, **{name: {RUN: values} for name, values in columns.items()})
    return incumbents(trials, tasks_table(trials, optimum))


def test_the_incumbent_is_the_lowest_loss_so_far_and_failures_only_count():
    table = one_run([np.inf, 3.0, NAN, 2.0, 2.5, 1.0], optimum=0.5)
    assert table["evaluation"].tolist() == [1, 2, 3, 4, 5, 6]
    assert table["observed"].tolist() == [np.inf, 3, 3, 2, 2, 1]
    assert table["regret"].tolist() == [np.inf, 2.5, 2.5, 1.5, 1.5, 0.5]
    assert table["relative"].tolist() == [np.inf, 1, 1, 0.6, 0.6, 0.2]
    assert np.isnan(table["budget"][0]) and table["seconds"].tolist() == [1, 2, 3, 4, 5, 6]


def test_a_higher_budget_takes_over_even_with_a_higher_loss():
    table = one_run([1.0, 3.0, 0.5, 2.0], budget=[1, 9, 3, 9], exact=[7.0, 6.0, 5.0, 4.0])
    assert table["budget"].tolist() == [1, 9, 9, 9]
    assert table["observed"].tolist() == [1, 3, 3, 2]
    assert table["loss"].tolist() == [7, 6, 6, 4]


def test_a_tie_keeps_the_earlier_trial():
    assert one_run([2.0, 2.0], exact=[1.0, 5.0])["loss"].tolist() == [1, 1]


def test_noise_can_make_the_regret_rise():
    assert one_run([2.0, 1.0], exact=[1.5, 1.75], optimum=1.0)["regret"].tolist() == [0.5, 0.75]


def test_it_agrees_with_the_incumbent_of_the_run_loop():
    rng = np.random.default_rng(0)
    losses, budgets = {}, {}
    for seed in range(200):
        n = int(rng.integers(1, 12))
        values = rng.integers(0, 4, n).astype(float)
        values[rng.random(n) < 0.3] = np.inf
        losses["task", "rs", seed], budgets["task", "rs", seed] = values, rng.choice([1.0, 3.0, 9.0], n)
    trials = trials_table(losses, budget=budgets)
    table = incumbents(trials, tasks_table(trials)).set_index("seed")
    for seed, rows in trials.groupby("seed"):
        results = [Result(row.loss, 1.0, row.budget, {}) for row in rows.itertuples()]
        failures = ["failed" if failed else None for failed in rows["failed"]]
        each = zip(results, rows["start"], failures, strict=True)
        run = [Trial(Proposal({}), result, start=start, failure=failure) for result, start, failure in each]
        assert np.array_equal(table.loc[[seed], "observed"], trajectory(run).losses)


def test_the_order_of_runs_in_the_table_does_not_matter():
    trials = trials_table(random_losses(0))
    shuffled = trials.sample(frac=1, random_state=0).sort_values("end", kind="stable")
    tasks = tasks_table(trials)
    pd.testing.assert_frame_equal(incumbents(trials, tasks), incumbents(shuffled, tasks))


def test_trials_out_of_their_order_of_completion_are_refused():
    trials = trials_table({RUN: [1.0, 2.0]})
    with pytest.raises(InvalidOption, match="order of completion"):
        incumbents(trials.iloc[::-1], tasks_table(trials))


def test_an_empty_table_is_refused():
    trials = trials_table({RUN: [1.0]})
    with pytest.raises(InvalidOption, match="at least one trial"):
        incumbents(trials.iloc[:0], tasks_table(trials))


def test_a_benchmark_without_a_row_in_tasks_is_named():
    trials = trials_table({RUN: [1.0], ("other", "rs", 0): [1.0]})
    with pytest.raises(InvalidOption, match="got none for other"):
        incumbents(trials, tasks_table(trials).iloc[1:])


@pytest.mark.parametrize(
    ("optimum", "exact", "basis", "reference"),
    [
        (0.5, [0.6, 0.7, NAN], "exact", 0.5),
        (0.5, [0.6, 0.4, NAN], "exact", 0.4),  # better than the best of the search that is called the optimum
        (NAN, [0.6, 0.7, NAN], "noise-free", 0.6),
        (0.5, [0.6, NAN, NAN], "observed", 1.0),
    ],
)
def test_a_noisy_value_is_scored_only_where_a_noise_free_loss_is_missing(optimum, exact, basis, reference):
    trials = trials_table({RUN: [2.0, 1.0, np.inf]}, exact={RUN: exact})
    row = references(trials, tasks_table(trials, optimum)).iloc[0]
    assert (row["basis"], row["reference"], row["test_basis"]) == (basis, reference, "unknown")


def test_luck_is_not_scored_where_the_optimum_is_unknown():
    """The lucky run saw the lower loss, and its incumbent is the worse one."""
    lucky, solid = ("task", "lucky", 0), ("task", "solid", 0)
    trials = trials_table({lucky: [2.0, 0.1], solid: [2.0, 0.5]}, exact={lucky: [1.0, 0.75], solid: [1.0, 0.5]})
    final = final_values(incumbents(trials, tasks_table(trials, NAN)))
    assert final[lucky] == 0.25 and final[solid] == 0.0


def test_the_incumbent_of_lowest_loss_keeps_a_small_budget():
    trials = trials_table({RUN: [1.0, 3.0, 0.5, 2.0]}, budget={RUN: [1, 9, 3, 9]}, exact={RUN: [7.0, 6.0, 5.0, 4.0]})
    table = incumbents(trials, tasks_table(trials), "lowest-loss")
    assert table["budget"].tolist() == [1, 1, 3, 3] and table["loss"].tolist() == [7, 7, 5, 5]
    with pytest.raises(InvalidOption, match="highest-budget, lowest-loss, got 'best'"):
        incumbents(trials, tasks_table(trials), "best")


def test_the_observed_reference_is_the_lowest_of_all_optimizers():
    trials = trials_table({RUN: [2.0, 3.0], ("task", "tpe", 0): [4.0, 0.5]}, exact={RUN: [NAN, NAN]})
    table = incumbents(trials, tasks_table(trials, NAN))
    assert table["regret"].tolist() == [1.5, 1.5, 3.5, 0.0]


@pytest.mark.parametrize(("test_optimum", "basis", "regret"), [(0.25, "exact", 0.5), (NAN, "observed", 0.25)])
def test_test_regret_is_that_of_the_incumbent_by_validation(test_optimum, basis, regret):
    trials = trials_table({RUN: [2.0, 1.0]}, test={RUN: [0.5, 0.75]})
    tasks = tasks_table(trials, test_optimum=test_optimum)
    assert references(trials, tasks)["test_basis"].tolist() == [basis]
    assert incumbents(trials, tasks)["test_regret"].iloc[-1] == regret


def test_test_regret_is_missing_where_the_incumbents_test_loss_is_not_recorded():
    other = ("task", "rs", 1)
    trials = trials_table(
        {RUN: [3.0, 2.0, 1.0], other: [3.0, 2.5, 2.25]}, test={RUN: [0.9, NAN, 0.5], other: [0.8, NAN, NAN]}
    )
    tasks = tasks_table(trials, test_optimum=0.25)
    assert references(trials, tasks)["test_share"].tolist() == [0.5]
    table = incumbents(trials, tasks)
    np.testing.assert_allclose(table["test_regret"], [0.65, NAN, 0.25, 0.55, NAN, NAN])
    assert final_values(table, "test_regret").to_dict() == {RUN: 0.25}
    summary = curve_summary(table, value="test_regret")
    assert summary["n"].tolist() == [2, 0, 1] and summary["n_running"].tolist() == [2, 0, 0]
    np.testing.assert_allclose(summary["mean"], [0.6, NAN, 0.25])
    np.testing.assert_allclose(summary["median"], [0.6, NAN, 0.25])
    with pytest.raises(InvalidOption, match="ranks need a value of every run"):
        average_ranks(curves(table, value="test_regret"))


def test_final_values_are_those_of_the_last_incumbents_and_missing_runs_stay_missing():
    trials = trials_table({("a", "rs", 0): [3.0, 1.0], ("a", "rs", 7): [2.0], ("b", "tpe", 0): [np.inf]})
    final = final_values(incumbents(trials, tasks_table(trials)))
    assert final.to_dict() == {("a", "rs", 0): 1.0, ("a", "rs", 7): 2.0, ("b", "tpe", 0): np.inf}


def test_benchmarks_without_test_losses_are_left_out_of_test_scores():
    trials = trials_table({("a", "rs", 0): [3.0], ("b", "rs", 0): [np.inf, 2.0]}, test={("a", "rs", 0): [0.5]})
    table = incumbents(trials, tasks_table(trials))
    assert final_values(table, "test").to_dict() == {("a", "rs", 0): 0.5}
    with pytest.raises(NotRecorded, match="'test' is known on none"):
        final_values(table[table["benchmark"] == "b"], "test")


def test_importing_the_scores_loads_nothing_heavy():
    modules = (
        "area_under_curve",
        "comparisons",
        "critical_difference",
        "leaderboard",
        "over_tasks",
        "power",
        "robustness",
        "fixed_target.performance_profiles",
        "fixed_target.speedups",
    )
    code = (
        f"import sys, importlib; [importlib.import_module('hpo_leaderboard.scores.' + m) for m in {modules!r}];"
        "print([m for m in ('pandas', 'scipy') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
