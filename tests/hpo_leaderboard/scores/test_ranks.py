"""Average ranks by bootstrap samples, against loops and enumerations."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import rankdata
from score_tables import random_losses, tasks_table, trials_table

from hpo_core.errors import InvalidOption
from hpo_leaderboard.scores.curves import curves
from hpo_leaderboard.scores.incumbents import incumbents
from hpo_leaderboard.scores.ranks import Block, average_ranks, blocks


def values_of(values):
    """Curves with one column, from a mapping of (benchmark, optimizer) to the values of its runs."""
    rows = {(*cell, seed): value for cell, own in values.items() for seed, value in enumerate(own)}
    index = pd.MultiIndex.from_tuples(rows, names=["benchmark", "optimizer", "seed"])
    return pd.DataFrame({1.0: list(rows.values())}, index=index, dtype=float)


def loop_of_ranks(table, seed, n_samples):
    """(optimizer, column) mean rank by a plain loop that draws the same runs."""
    rng = np.random.default_rng(seed)
    tasks, optimizers = (sorted(set(table.index.get_level_values(i))) for i in (0, 1))
    total = np.zeros((len(optimizers), table.shape[1]))
    for task in tasks:
        runs = [table.loc[(task, name)].to_numpy() for name in optimizers]
        draws = np.array([len(own) - rng.integers(1, len(own) + 1, n_samples) for own in runs])
        for sample in range(n_samples):
            drawn = [own[index] for own, index in zip(runs, draws[:, sample], strict=True)]
            total += rankdata(drawn, axis=0)
    return total / n_samples / len(tasks)


@pytest.mark.parametrize("seed", range(3))
def test_ranks_equal_a_plain_loop(seed):
    trials = trials_table(random_losses(seed, n_tasks=3, n_optimizers=4, n_runs=5))
    table = curves(incumbents(trials, tasks_table(trials)))
    ranks = average_ranks(table, seed, n_samples=200)
    mine = ranks.pivot(index="optimizer", columns="at", values="rank").to_numpy()
    assert np.allclose(mine, loop_of_ranks(table, seed, 200), rtol=0, atol=1e-12)


def test_ranks_approach_the_mean_over_all_combinations_of_runs():
    """The samples estimate the mean over all combinations of one run each: here 27 on one task and 12 on the other."""
    cells = {("t", "a"): [1, 4, 4], ("t", "b"): [2, 3, 4], ("t", "c"): [5, 0, 4]}
    cells |= {("u", "a"): [1, 2], ("u", "b"): [2, 2, 0], ("u", "c"): [1, np.inf]}
    exact = [
        np.mean([rankdata(drawn) for drawn in product(*(cells[task, name] for name in "abc"))], axis=0) for task in "tu"
    ]
    ranks = average_ranks(values_of(cells), n_samples=40000)["rank"]
    assert np.allclose(ranks, np.mean(exact, axis=0), atol=0.015)


def test_ties_share_the_mean_of_their_ranks():
    table = values_of({("t", name): [value] for name, value in zip("abcde", [1, 0, 1, np.inf, np.inf], strict=True)})
    assert average_ranks(table)["rank"].tolist() == [2.5, 1.0, 2.5, 4.5, 4.5]


@pytest.mark.slow
@settings(max_examples=25)
@given(st.integers(0, 10**6), st.integers(2, 5), st.integers(1, 4))
def test_ranks_add_up(seed, n_optimizers, n_tasks):
    trials = trials_table(random_losses(seed, n_tasks, n_optimizers, n_runs=2, n_trials=3))
    ranks = average_ranks(curves(incumbents(trials, tasks_table(trials))), n_samples=10)
    assert np.allclose(ranks.groupby("at")["rank"].sum(), n_optimizers * (n_optimizers + 1) / 2)
    assert ranks["low"].ge(1).all() and ranks["high"].le(n_optimizers).all()


def test_a_single_run_has_a_rank_but_no_interval():
    ranks = average_ranks(values_of({("t", "a"): [1.0], ("t", "b"): [0.0, 2.0]}))
    assert ranks["low"].isna().all() and ranks["high"].isna().all() and ranks["n"].tolist() == [1, 1]


def test_the_standard_error_is_that_of_repeated_experiments_or_a_little_more():
    shifts = {"a": 0.0, "b": 0.3, "c": 3.0}
    rng, found, claimed = np.random.default_rng(0), [], []
    for repetition in range(150):
        cells = {(task, name): rng.normal(shift, size=8) for task in "tuv" for name, shift in shifts.items()}
        ranks = average_ranks(values_of(cells), seed=repetition, n_samples=300)
        found.append(ranks["rank"])
        claimed.append((ranks["high"] - ranks["rank"]) / 1.96)
    ratio = np.mean(claimed, axis=0)[:2] / np.std(found, axis=0)[:2]  # that of c is cut off at 3
    assert (ratio > 0.9).all() and (ratio < 1.5).all()


def test_tasks_that_an_optimizer_lacks_are_left_out_and_missing_seeds_are_not():
    cells = {("t", "a"): [0.0, 0.0], ("t", "b"): [1.0], ("u", "a"): [5.0], ("v", "b"): [5.0]}
    ranks = average_ranks(values_of(cells))
    assert ranks["rank"].tolist() == [1.0, 2.0] and ranks["n_tasks"].tolist() == [1, 1]
    with pytest.raises(InvalidOption, match="a benchmark that all 2 optimizers ran on"):
        average_ranks(values_of({("t", "a"): [0.0], ("u", "b"): [1.0]}))


def test_blocks_are_benchmarks_with_the_same_optimizers():
    cells = [("t", "rs"), ("u", "rs"), ("u", "hyperband"), ("v", "rs"), ("v", "hyperband"), ("v", "rs")]
    table = pd.DataFrame(cells, columns=["benchmark", "optimizer"])
    assert blocks(table) == [Block(("u", "v"), ("hyperband", "rs")), Block(("t",), ("rs",))]


def test_numbers_in_names_of_benchmarks_are_in_their_order():
    names = ["a/10", "a/2", "b", "2", "a/2b"]
    table = pd.DataFrame({"benchmark": names, "optimizer": "rs"})
    assert blocks(table)[0].benchmarks == ("2", "a/2", "a/2b", "a/10", "b")


def test_ranks_are_a_function_of_the_seed():
    trials = trials_table(random_losses(1, decimals=5))
    table = curves(incumbents(trials, tasks_table(trials)))
    assert average_ranks(table, 4).equals(average_ranks(table, 4))
    assert not average_ranks(table, 4).equals(average_ranks(table, 5))
