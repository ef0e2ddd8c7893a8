"""Pairwise tests, effect sizes and critical differences."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import mannwhitneyu, norm

from hpo_core.errors import InvalidOption
from hpo_leaderboard.scores.comparisons import (
    drawn_counts,
    holm,
    mann_whitney,
    p_matrix,
    pair_effects,
    stratified_mann_whitney,
    task_means,
    van_elteren,
)
from hpo_leaderboard.scores.critical_difference import critical_difference


def values_of(cells):
    """Final values from a mapping of (benchmark, optimizer) to those of its runs."""
    rows = {(*cell, seed): value for cell, own in cells.items() for seed, value in enumerate(own)}
    index = pd.MultiIndex.from_tuples(rows, names=["benchmark", "optimizer", "seed"])
    return pd.Series(list(rows.values()), index=index, dtype=float, name="regret")


def random_values(seed, n_tasks=3, n_optimizers=3, n_runs=10, shift=0.3):
    rng = np.random.default_rng(seed)
    names = [f"o{i}" for i in range(n_optimizers)]
    return {(f"t{t}", name): rng.normal(i * shift, size=n_runs) for t in range(n_tasks) for i, name in enumerate(names)}


def test_the_effect_by_hand():
    """Of the six pairs a wins (1, 2), (1, 4), (1, 4), (3, 4), (3, 4) and loses (3, 2)."""
    row = mann_whitney(values_of({("t", "a"): [1, 3], ("t", "b"): [2, 4, 4]})).iloc[0]
    assert (row["a"], row["b"], row["n_a"], row["n_b"], row["effect"]) == ("a", "b", 2, 3, pytest.approx(5 / 6))


@pytest.mark.parametrize("compare", [mann_whitney, stratified_mann_whitney])
def test_equal_runs_do_not_differ(compare):
    tied = compare(values_of({("t", "a"): [1, 1], ("t", "b"): [1, 1]})).iloc[0]
    assert (tied["effect"], tied["effect_low"], tied["effect_high"], tied["p"]) == (0.5, 0.5, 0.5, 1.0)


@pytest.mark.parametrize("alternative", ["two-sided", "less"])
def test_tests_in_one_call_are_those_of_each_pair(alternative):
    """Few runs with exact p-values, many runs, ties, infinite values and unequal numbers of runs."""
    rng = np.random.default_rng(3)
    sizes = {"a": 12, "b": 12, "c": 12, "d": 9, "e": 8, "f": 8, "g": 5}
    runs = {("t", name): rng.normal(size=n) for name, n in sizes.items()}
    runs["t", "b"] = np.round(runs["t", "b"])
    runs["t", "c"][:3] = np.inf
    runs["t", "f"][1] = runs["t", "f"][0]
    for row in mann_whitney(values_of(runs), alternative, n_samples=1).itertuples():
        test = mannwhitneyu(runs["t", row.a], runs["t", row.b], alternative=alternative)
        assert row.p == test.pvalue


@pytest.mark.parametrize("alternative", ["two-sided", "less"])
def test_effects_of_samples_are_those_of_the_drawn_runs(alternative):
    rng = np.random.default_rng(5)
    runs = {"a": rng.integers(6, size=7).astype(float), "b": rng.integers(6, size=5).astype(float)}
    counts = drawn_counts(runs, rng, 20)
    for (a, b), effects in pair_effects(runs, alternative, counts).items():
        for sample in range(20):
            x, y = (np.repeat(runs[name], counts[name][sample].astype(int)) for name in (a, b))
            assert effects[1 + sample] == np.mean((x[:, None] < y) + 0.5 * (x[:, None] == y))


def test_a_run_that_never_succeeded_loses_to_all_and_ties_with_its_like():
    row = mann_whitney(values_of({("t", "a"): [1, np.inf], ("t", "b"): [2, np.inf]})).iloc[0]
    assert row["effect"] == (1 + 1 + 0 + 0.5) / 4


@pytest.mark.parametrize("alternative", ["two-sided", "less"])
def test_p_values_are_scipys_and_the_effect_belongs_to_its_u(alternative):
    cells = random_values(0)
    for row in mann_whitney(values_of(cells), alternative).itertuples():
        theirs = mannwhitneyu(cells[row.benchmark, row.a], cells[row.benchmark, row.b], alternative=alternative)
        assert row.p == pytest.approx(theirs.pvalue)
        assert row.effect == pytest.approx(1 - theirs.statistic / (row.n_a * row.n_b))
        assert row.effect_low <= row.effect <= row.effect_high


def test_each_benchmark_is_corrected_by_itself():
    table = mann_whitney(values_of(random_values(1)))
    for _, rows in table.groupby("benchmark"):
        assert np.array_equal(rows["p_holm"], holm(rows["p"].to_numpy()))
    assert len(table) == 3 * 3


def test_holms_correction_by_hand():
    """Sorted .005 .01 .03 .04 times 4, 3, 2, 1 gives .02 .03 .06 .04; the last may not be below the one before."""
    assert holm(np.array([0.01, 0.04, 0.03, 0.005])).tolist() == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm(np.array([0.5, 0.6])).tolist() == [1.0, 1.0]


def test_on_one_benchmark_the_stratified_test_is_mann_whitneys():
    rng = np.random.default_rng(2)
    for _ in range(20):
        a, b = rng.integers(0, 6, 9).astype(float), rng.integers(1, 7, 12).astype(float)
        for alternative in ("two-sided", "less"):
            theirs = mannwhitneyu(a, b, alternative=alternative, method="asymptotic", use_continuity=False)
            assert van_elteren([(a, b)], alternative) == pytest.approx(theirs.pvalue)


def test_the_stratified_variance_is_that_of_all_permutations():
    """z from its definition: the weighted rank sums of every way to choose which values of a stratum are a's."""
    strata = [(np.array([1.0, 2, 5]), np.array([2.0, 7, 8])), (np.array([3.0, 3]), np.array([1.0, 3, 9, 4, 6]))]
    mean, variance, observed = 0.0, 0.0, 0.0
    for a, b in strata:
        ranks = pd.Series(np.concatenate([a, b])).rank().to_numpy()
        sums = np.array([ranks[list(own)].sum() for own in combinations(range(len(ranks)), len(a))]) / (len(ranks) + 1)
        mean, variance = mean + sums.mean(), variance + sums.var()
        observed += ranks[: len(a)].sum() / (len(ranks) + 1)
    assert van_elteren(strata, "less") == pytest.approx(norm.cdf((observed - mean) / np.sqrt(variance)))


def test_benchmarks_on_different_scales_are_compared_within_themselves():
    cells = random_values(3)
    scaled = {cell: values * (1000.0 if cell[0] == "t1" else 1.0) for cell, values in cells.items()}
    plain, other = (stratified_mann_whitney(values_of(each)) for each in (cells, scaled))
    assert plain.equals(other)
    assert (plain["n_tasks"] == 3).all()
    each = mann_whitney(values_of(cells)).groupby(["a", "b"])["effect"].mean()
    assert plain["effect"].tolist() == pytest.approx(each.tolist())


def test_pairs_are_compared_on_the_benchmarks_that_both_ran_on():
    cells = {("t", "a"): [1, 2], ("t", "b"): [3, 4], ("u", "a"): [9, 9], ("v", "b"): [0, 0], ("v", "c"): [1, 1]}
    table = stratified_mann_whitney(values_of(cells))
    assert table[["a", "b", "n_tasks", "effect"]].to_numpy().tolist() == [["a", "b", 1, 1.0], ["b", "c", 1, 1.0]]
    with pytest.raises(InvalidOption, match="two optimizers that ran on the same benchmark"):
        mann_whitney(values_of({("t", "a"): [1], ("u", "b"): [1]}))


def test_a_single_run_has_an_effect_but_no_interval():
    row = stratified_mann_whitney(values_of({("t", "a"): [1], ("t", "b"): [2, 3]})).iloc[0]
    assert row["effect"] == 1.0 and np.isnan(row["effect_low"])


def test_an_unknown_alternative_is_refused():
    with pytest.raises(InvalidOption, match="alternative must be one of two-sided, less, got 'greater'"):
        mann_whitney(values_of(random_values(0)), "greater")


def test_a_small_entry_of_the_matrix_says_that_the_column_is_better():
    cells = {("t", "good"): np.arange(10), ("t", "bad"): np.arange(10) + 50}
    one_sided = p_matrix(stratified_mann_whitney(values_of(cells), "less"), "p")
    assert one_sided.loc["bad", "good"] < 0.001 and one_sided.loc["good", "bad"] > 0.999
    two_sided = p_matrix(stratified_mann_whitney(values_of(cells)), "p")
    assert two_sided.loc["bad", "good"] == two_sided.loc["good", "bad"] < 0.001
    assert np.isnan(np.diag(one_sided)).all()


def test_task_means_are_tested_as_in_klein_2020():
    cells = {("t", "a"): [1, 1, 4], ("t", "b"): [5, 5], ("u", "a"): [4, 4], ("u", "b"): [3, 9]}
    means = task_means(values_of(cells))
    assert means.to_dict() == {("all", "a", "t"): 2, ("all", "a", "u"): 4, ("all", "b", "t"): 5, ("all", "b", "u"): 6}
    assert mann_whitney(means)["effect"].tolist() == [1.0]


def blocks_of(ranks_by_task):
    return values_of({(f"t{i}", name): [rank] for i, row in enumerate(ranks_by_task) for name, rank in row.items()})


def test_critical_differences_by_hand():
    """K = 4, N = 14, alpha = .05: q = 2.569 and CD = 1.25 (Demsar, 2006, section 3.2.2)."""
    order = [{"a": 1, "b": 2, "c": 3, "d": 4}] * 10 + [{"a": 2, "b": 1, "c": 4, "d": 3}] * 4
    result = critical_difference(blocks_of(order))
    assert result.difference == pytest.approx(2.569 * np.sqrt(4 * 5 / (6 * 14)), abs=1e-3)
    assert result.ranks.to_dict() == pytest.approx({"a": 18 / 14, "b": 24 / 14, "c": 46 / 14, "d": 52 / 14})
    assert result.groups == (("a", "b"), ("c", "d"))
    squares = sum((r - 2.5) ** 2 for r in result.ranks)
    assert result.statistic == pytest.approx(12 * 14 / (4 * 5) * squares)
    assert (result.n_tasks, result.alpha) == (14, 0.05)


@pytest.mark.parametrize("seed", range(5))
def test_critical_differences_agree_with_scikit_posthocs(seed):
    posthocs = pytest.importorskip("scikit_posthocs", reason="scikit-posthocs is not installed")
    values = values_of(random_values(seed, n_tasks=12, n_optimizers=5, n_runs=5, shift=0.4))
    result = critical_difference(values)
    medians = values.groupby(level=["benchmark", "optimizer"]).median().rename("y").reset_index()
    theirs = posthocs.posthoc_nemenyi_friedman(
        medians, melted=True, y_col="y", block_col="benchmark", group_col="optimizer", block_id_col="benchmark"
    )
    assert np.allclose(result.p_values, theirs.loc[result.p_values.index, result.p_values.columns])
    gaps = np.abs(result.ranks.to_numpy()[:, None] - result.ranks.to_numpy())
    assert np.array_equal(result.p_values.to_numpy() < 0.05, gaps > result.difference)
    for a, b in combinations(result.ranks.index, 2):
        together = any(a in group and b in group for group in result.groups)
        assert together == (abs(result.ranks[a] - result.ranks[b]) <= result.difference)
    assert not any(set(a) < set(b) for a in result.groups for b in result.groups)


def test_critical_differences_rank_medians_and_skip_incomplete_benchmarks():
    cells = {(t, name): [i, i, 99.0 - i] for t in "tu" for i, name in enumerate("abc")} | {("v", "a"): [0.0]}
    result = critical_difference(values_of(cells))
    assert result.ranks.to_dict() == {"a": 1, "b": 2, "c": 3} and result.n_tasks == 2
    equal = critical_difference(values_of({cell: [1.0] for cell in cells}))
    assert (equal.statistic, equal.p_value, equal.groups) == (0.0, 1.0, (("a", "b", "c"),))


def test_too_few_optimizers_or_benchmarks_are_refused():
    with pytest.raises(InvalidOption, match="got 2 optimizers on 3 common benchmarks"):
        critical_difference(values_of(random_values(0, n_optimizers=2)))
    with pytest.raises(InvalidOption, match="got 3 optimizers on 1 common benchmarks"):
        critical_difference(values_of(random_values(0, n_tasks=1)))
