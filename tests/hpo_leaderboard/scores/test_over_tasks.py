"""Comparisons over benchmarks and their power: hand-worked cases, another package's values, simulations."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import mannwhitneyu

from hpo_core.errors import InvalidOption
from hpo_leaderboard.scores.comparisons import task_means, task_p_matrix, van_elteren
from hpo_leaderboard.scores.over_tasks import (
    bayesian_signed_rank,
    hierarchical_bootstrap,
    signed_rank_posterior,
    task_differences,
    wilcoxon_over_tasks,
)
from hpo_leaderboard.scores.power import power


def values_of(cells):
    """Final values from a mapping of (benchmark, optimizer) to those of its runs."""
    rows = {(*cell, seed): value for cell, own in cells.items() for seed, value in enumerate(own)}
    index = pd.MultiIndex.from_tuples(rows, names=["benchmark", "optimizer", "seed"])
    return pd.Series(list(rows.values()), index=index, dtype=float, name="regret")


def with_differences(differences):
    return values_of({(f"t{t}", name): [0.0 if name == "b" else d] for t, d in enumerate(differences) for name in "ab"})


def test_differences_are_those_of_medians_on_common_benchmarks():
    cells = {("t", "a"): [1, 2, 9], ("t", "b"): [4, 6], ("u", "a"): [np.inf], ("u", "b"): [np.inf], ("v", "a"): [1]}
    assert task_differences(values_of(cells), "a", "b").tolist() == [-3.0, 0.0]
    with pytest.raises(InvalidOption, match="must be among a, b, got c"):
        task_differences(values_of(cells), "a", "c")


def test_wilcoxon_by_hand():
    """Six differences of one sign: of the 2^6 equally likely sign vectors two are as extreme."""
    row = wilcoxon_over_tasks(with_differences([-1, -2, -3, -4, -5, -6])).iloc[0]
    assert (row["a"], row["b"], row["n_tasks"], row["p"]) == ("a", "b", 6, pytest.approx(2 / 64))
    assert wilcoxon_over_tasks(with_differences([0, 0, 0])).iloc[0]["p"] == 1.0


@pytest.mark.parametrize(
    ("rope", "expected"),
    [(0.0, (0.9659, 0.0, 0.0341)), (0.01, (0.8953, 0.0790, 0.0257)), (0.1, (0.1164, 0.8837, 0.0))],
)
def test_the_bayesian_signed_rank_test_is_that_of_baycomp(rope, expected):
    """Values of baycomp 1.0.3, SignedRankTest.probs with 400,000 samples: uncertain by .0008 at most."""
    d = np.array([-0.30, -0.05, -0.02, -0.008, 0.004, 0.012, 0.05, -0.11, -0.2, -0.006])
    found = signed_rank_posterior(d, rope, np.random.default_rng(0), 40000)
    assert found == pytest.approx(expected, abs=0.006)
    row = bayesian_signed_rank(with_differences(d), rope).iloc[0]
    assert [row["a_better"], row["equivalent"], row["b_better"]] == pytest.approx(expected, abs=0.02)


def test_equal_optimizers_are_practically_equivalent():
    row = bayesian_signed_rank(with_differences(np.random.default_rng(0).normal(0, 0.003, 20)), rope=0.01).iloc[0]
    assert row["equivalent"] > 0.99
    with pytest.raises(InvalidOption, match="rope must be 0 or more"):
        bayesian_signed_rank(with_differences([1.0]), rope=-1)


def test_the_hierarchical_interval_by_hand():
    """Without noise between runs, a sample of 2 benchmarks with effects 1 and 1/2 is 1, 3/4, 3/4 or 1/2.

    Its std is sqrt(1/32), so se = 1/4, and t of one degree of freedom is 12.7: the interval is cut off at 0 and 1.
    At the level 1/2 t is 1, and the interval is 3/4 +- 1/4.
    """
    values = values_of({("t", "a"): [1, 1], ("t", "b"): [2, 2], ("u", "a"): [1, 1], ("u", "b"): [1, 1]})
    wide = hierarchical_bootstrap(values).iloc[0]
    assert (wide["effect"], wide["low"], wide["high"], wide["n_tasks"]) == (0.75, 0.0, 1.0, 2)
    narrow = hierarchical_bootstrap(values, level=0.5, n_samples=20000).iloc[0]
    assert (narrow["low"], narrow["high"]) == pytest.approx((0.5, 1.0), abs=0.01)
    assert np.isnan(hierarchical_bootstrap(values[["t"]]).iloc[0]["low"])


def test_power_by_hand():
    """Effects 1 and 3/4 on two benchmarks: q = 3/8, s^2 = 1/32, (1.96 + .842)^2 = 7.85.

    n = 7.85 / (12 (3/8)^2) = 4.65 seeds, N = 7.85 / 32 / (3/8)^2 = 1.74 benchmarks.
    """
    found = power(values_of({("t", "a"): [1, 1], ("t", "b"): [2, 2], ("u", "a"): [1, 1], ("u", "b"): [1, 2]}), "a", "b")
    assert (found.effect, found.n_tasks, found.n_seeds, found.seeds, found.benchmarks) == (0.875, 2, 2, 5.0, 2.0)
    assert str(found) == (
        "On these benchmarks: about 3 more seeds would tell them apart. "
        "On others like them: the benchmarks there are suffice."
    )
    equal = power(values_of({("t", "a"): [1, 2], ("t", "b"): [1, 2]}), "a", "b")
    assert str(equal) == "On this benchmark: no number of seeds up to 1,000 would tell them apart."


def test_the_seeds_that_power_asks_for_find_the_difference_four_times_in_five():
    """200 simulated experiments: 80 % +- 2.6 standard errors, and the normal approximation may be off by 5 %."""
    rng = np.random.default_rng(0)
    large = {(f"t{t}", name): rng.normal(0.5 * (name == "b"), size=400) for t in range(4) for name in "ab"}
    n = int(power(values_of(large), "a", "b").seeds)
    found = [
        van_elteren([(rng.normal(0, size=n), rng.normal(0.5, size=n)) for _ in range(4)]) < 0.05 for _ in range(200)
    ]
    assert 10 < n < 25 and 0.68 < np.mean(found) < 0.92


def test_the_heat_map_over_tasks_compares_means_of_the_first_repetitions():
    rng = np.random.default_rng(0)
    cells = {(f"t{t}", name): [*rng.normal(i, size=2), 99.0] for t in range(12) for i, name in enumerate("ab")}
    matrix = task_p_matrix(values_of(cells), repetitions=2)
    a, b = ([np.mean(cells[f"t{t}", name][:2]) for t in range(12)] for name in "ab")
    assert matrix.loc["b", "a"] == pytest.approx(mannwhitneyu(a, b, alternative="less").pvalue)
    assert matrix.loc["a", "b"] == pytest.approx(mannwhitneyu(b, a, alternative="less").pvalue)
    assert task_means(values_of(cells))["all", "a", "t3"] == pytest.approx(np.mean(cells["t3", "a"]))
