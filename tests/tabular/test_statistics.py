"""Table statistics against brute force, small tables worked out by hand, and tables 7.3 and D.1 of Klein (2020)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from hpo_core import Categorical, Ordinal, Space
from hpo_core.errors import InvalidOption, NotRecorded
from tabular import Table, open_table
from tabular.statistics import (
    all_statistics,
    budget_correlation,
    ecdf,
    metric_ecdfs,
    neighbourhood,
    noise,
    noise_ecdfs,
    quantiles,
    spearman,
    table_correlation,
)
from tabular.top import top_indices

VALUES = st.lists(st.sampled_from([0.0, 1e-5, 0.3, 1.0, 2.0, 8.7e7, float("nan")]), min_size=1, max_size=30)
SPACE = Space([Categorical("kind", ["a", "b", "c"]), Ordinal("size", [1, 2, 4, 8])])
TOPS = (100, 50, 20, 10, 1)


def made_table(loss, name="made", budgets=(1,), space=SPACE, **columns):
    columns = {"loss": np.asarray(loss, dtype=float), "cost": np.ones(np.shape(loss)[:2]), **columns}
    return Table(name, space, columns, dict.fromkeys(columns, "-"), budgets, "epochs", {})


def curve_table(n_budgets=4, seed=0, **columns):
    rng = np.random.default_rng(seed)
    space = Space([Ordinal("x", list(range(20))), Ordinal("y", list(range(30)))])
    loss = rng.random((600, 1, 1)) + rng.random((600, 2, n_budgets)) / np.arange(1, n_budgets + 1)
    return made_table(loss, budgets=tuple(range(1, n_budgets + 1)), space=space, **columns)


@given(VALUES)
def test_ecdf_is_the_fraction_not_above_each_value(values):
    frame = ecdf(np.array(values))
    assert frame["value"].tolist() == sorted({v for v in values if v == v})
    assert frame["fraction"].tolist() == [sum(v <= x for v in values) / len(values) for x in frame["value"]]


@given(VALUES.filter(lambda values: any(v == v for v in values)), st.integers(0, 100))
def test_quantiles_are_the_lowest_values_that_reach_a_fraction(values, percent):
    frame = ecdf(np.array(values))
    frame.insert(0, "metric", "loss")
    reached = [x for x in frame["value"] if sum(v <= x for v in values) * 100 >= percent * len(values)]
    found = quantiles(frame, [percent / 100]).loc[percent / 100, "loss"]
    assert found == min(reached) if reached else np.isnan(found)


def test_quantiles_bear_fractions_that_are_not_exact():
    frame = ecdf(np.arange(1.0, 1001.0))
    frame.insert(0, "metric", "loss")
    found = quantiles(frame, np.linspace(0, 1, 1001))["loss"]
    assert found.tolist() == [1.0, *np.arange(1.0, 1001.0)]


def test_metric_ecdfs_hold_every_column_known_at_the_budget():
    table = curve_table(test_loss=np.full((600, 2), 0.5), n_params=np.arange(600))
    full = metric_ecdfs(table)
    assert list(full["metric"].unique()) == ["loss", "test_loss", "cost", "n_params"]
    early = metric_ecdfs(table, 1)
    assert list(early["metric"].unique()) == ["loss", "cost", "n_params"]
    loss = early[early["metric"] == "loss"]
    assert loss["value"].tolist() == sorted(table.columns["loss"][:, :, 0].mean(axis=1))
    assert early.loc[early["metric"] == "cost", "value"].tolist() == [0.25]
    assert full.loc[full["metric"] == "n_params", "fraction"].tolist() == pytest.approx(np.arange(1, 601) / 600)


def test_noise_is_the_sample_deviation_of_what_was_recorded():
    nan, inf = np.nan, np.inf
    rows = [[1, 3, nan], [0.1, 0.1, 0.1], [0, 3, 6], [5, nan, nan], [nan, nan, nan], [inf, inf, nan]] * 2
    assert noise(made_table(rows)).tolist()[:3] == pytest.approx([2**0.5, 0, 3], abs=0)
    assert np.isnan(noise(made_table(rows))[3:5]).all()
    assert noise(made_table(rows))[5] == inf
    stds = noise_ecdfs(made_table(rows))
    assert stds["value"].tolist() == pytest.approx([0, 2**0.5, 3, inf])
    assert stds["fraction"].tolist() == [0.25, 0.5, 0.75, 1.0]


def test_noise_of_a_ragged_table_equals_numpy_on_each_configuration():
    table = open_table("nb201-cifar10")
    stds = noise(table)
    counts = (~np.isnan(table.columns["loss"])).sum(axis=1)
    assert set(counts) == {2, 3}
    assert not np.isnan(stds).any()
    for i in [*np.flatnonzero(counts == 2)[:50], *np.flatnonzero(counts == 3)[:50]]:
        row = table.columns["loss"][i]
        assert stds[i] == pytest.approx(np.std(row[~np.isnan(row)], ddof=1), abs=1e-15)
    frame = noise_ecdfs(table)
    assert frame["fraction"].iloc[-1] == 1
    assert frame["value"].iloc[-1] == stds.max()


def test_noise_is_shown_at_budgets_spread_over_the_scale():
    table = curve_table(n_budgets=100)
    assert noise_ecdfs(table)["budget"].unique().tolist() == [1, 3, 10, 32, 100]
    expected = sorted(table.columns["loss"][:, :, 6].std(axis=1, ddof=1))
    assert noise_ecdfs(table, [7])["value"].tolist() == pytest.approx(expected)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 5)), min_size=3, max_size=40))
def test_spearman_equals_scipy_with_ties(rows):
    a, b, reference = np.array(rows, dtype=float).T
    found = spearman(np.stack([a, b]), reference)
    for column, value in zip((a, b), found, strict=True):
        if np.ptp(column) == 0 or np.ptp(reference) == 0:
            assert np.isnan(value)
        else:
            assert value == pytest.approx(spearmanr(column, reference).statistic)


def test_budget_correlation_equals_scipy_on_each_top():
    table = curve_table()
    frame = budget_correlation(table)
    means = table.columns["loss"].mean(axis=1)
    order = np.argsort(means[:, -1])
    assert list(frame.columns) == ["all", "top 50 %", "top 20 %", "top 10 %", "top 1 %"]
    assert frame.index.tolist() == [1, 2, 3, 4]
    for percent, column in zip(TOPS, frame.columns, strict=True):
        top = order[: 6 * percent]
        expected = [spearmanr(means[top, k], means[top, -1]).statistic for k in range(4)]
        assert frame[column].tolist() == pytest.approx(expected)
    assert frame.iloc[-1].tolist() == pytest.approx([1] * 5)


def test_the_top_of_budgets_is_chosen_by_test_loss_where_recorded():
    rng = np.random.default_rng(1)
    test_loss = np.repeat(rng.random((600, 1)), 2, axis=1)
    table = curve_table(test_loss=test_loss)
    means = table.columns["loss"].mean(axis=1)[np.argsort(test_loss[:, 0])[:60]]
    found = budget_correlation(table, percents=[10]).loc[1, "top 10 %"]
    assert found == pytest.approx(spearmanr(means[:, 0], means[:, -1]).statistic)
    assert found != pytest.approx(budget_correlation(curve_table(), percents=[10]).loc[1, "top 10 %"])


def test_a_missing_curve_counts_as_worst_in_rank_correlations():
    loss = np.arange(12.0).reshape(12, 1, 1) * np.ones((1, 1, 2))
    loss[11] = np.nan
    frame = budget_correlation(made_table(loss, budgets=(1, 2), cost=np.ones((12, 1))), percents=[100])
    assert frame["all"].tolist() == pytest.approx([1, 1])


def test_one_budget_names_three_ways_out():
    with pytest.raises(NotRecorded) as caught:
        budget_correlation(open_table("protein"))
    for words in ("'protein'", "100 epochs only", "hpo table import", "mini-", "hpo table train"):
        assert words in str(caught.value)


@pytest.mark.parametrize("percent", [0, -1, 101])
def test_percents_outside_their_range_are_refused(percent):
    with pytest.raises(InvalidOption, match=rf"\(0, 100\], got {percent}"):
        budget_correlation(curve_table(), percents=[percent])


def test_top_is_rounded_holds_one_at_least_and_breaks_ties_by_index():
    assert top_indices(np.array([3.0, 1.0, 1.0, 2.0]), 50).tolist() == [1, 2]
    assert top_indices(np.array([3.0, 1.0, 1.0, 2.0]), 1).tolist() == [1]
    assert len(top_indices(np.arange(62208.0), 1)) == 622


def test_neighbourhood_keeps_ints_beside_floats():
    space = Space([Ordinal("width", [16, 32]), Ordinal("rate", [0.1, 0.25])])
    frame = neighbourhood(made_table(np.arange(8.0).reshape(4, 2), space=space))
    assert list(map(repr, frame["new"])) == ["0.25", "32"]


def test_neighbourhood_of_a_small_table_by_hand():
    losses = {(k, s): 10.0 for k in "abc" for s in (1, 2, 4, 8)}
    losses |= {("b", 2): 2.0, ("b", 1): 3.0, ("b", 4): 2.5, ("a", 2): 6.0, ("c", 2): 2.0}
    loss = [[v - 0.5, v + 0.5] for v in losses.values()]
    frame = neighbourhood(made_table(loss))
    assert list(frame.columns) == ["hyperparameter", "old", "new", "loss", "relative_change"]
    assert frame.to_numpy().tolist() == [
        ["kind", "b", "c", 2.0, 0.0],
        ["size", 2, 4, 2.5, 0.25],
        ["size", 2, 1, 3.0, 0.5],
        ["kind", "b", "a", 6.0, 2.0],
    ]
    assert [type(value) for value in frame["new"]] == [str, int, int, str]
    by_test = neighbourhood(made_table(loss, test_loss=np.arange(12.0)[:, None] * np.ones(2)))
    assert by_test.columns[3] == "test_loss"
    assert by_test["old"].tolist() == [1, "a", "a"]
    assert by_test["test_loss"].tolist() == [1, 4, 8]
    assert np.isinf(by_test["relative_change"]).all()


# Tables 7.3 and D.1 of Klein (2020): (hyperparameter, new value): relative change, of the test error.
TABLE_7_3 = {
    ("batch_size", 16): 0.0042,
    ("init_lr", 0.001): 0.0072,
    ("n_units_2", 256): 0.0231,
    ("n_units_1", 256): 0.0288,
    ("dropout_2", 0.6): 0.0478,
    ("lr_schedule", "const"): 0.0534,
    ("dropout_2", 0.0): 0.0587,
    ("dropout_1", 0.3): 0.0711,
    ("activation_fn_2", "tanh"): 0.3351,
    ("activation_fn_1", "tanh"): 0.3987,
}
TABLE_D_1 = {
    ("n_units_1", 256): 0.1331,
    ("init_lr", 0.001): 0.1751,
    ("n_units_1", 64): 0.2196,
    ("n_units_2", 256): 0.4929,
    ("batch_size", 16): 0.5048,
    ("activation_fn_1", "relu"): 0.6933,
    ("activation_fn_2", "tanh"): 4.9685,
    ("dropout_2", 0.3): 11.1872,
    ("dropout_1", 0.3): 34.3490,
    ("lr_schedule", "const"): 217.0092,
}


@pytest.mark.parametrize(("name", "printed", "tolerance"), [("protein", TABLE_7_3, 0.03), ("naval", TABLE_D_1, 0.1)])
def test_neighbourhoods_agree_with_klein_2020(name, printed, tolerance):
    """The table has the validation error, Klein (2020) the test error: losses, 1 + change, agree within a tolerance."""
    frame = neighbourhood(open_table(name))
    found = dict(zip(zip(frame["hyperparameter"], frame["new"], strict=True), frame["relative_change"], strict=True))
    assert found.keys() == printed.keys()
    for flip, change in printed.items():
        assert 1 + found[flip] == pytest.approx(1 + change, rel=tolerance)
    assert spearmanr(list(printed.values()), [found[flip] for flip in printed]).statistic > 0.9


def test_table_correlation_takes_the_top_of_the_row():
    n = np.arange(12.0)
    up = made_table(n[:, None] * np.ones(2), "up")
    down_in_its_half = made_table(np.where(n < 6, 5 - n, n)[:, None] * np.ones(2), "half")
    frame = table_correlation([up, down_in_its_half], percents=(100, 50, 25))
    assert frame.loc[("all", "up"), "half"] == pytest.approx(spearmanr(n, np.where(n < 6, 5 - n, n)).statistic)
    assert frame.loc[("all", "half"), "up"] == frame.loc[("all", "up"), "half"]
    assert frame.loc[("top 50 %", "up"), "half"] == pytest.approx(-1)
    assert frame.loc[("top 25 %", "up")].tolist() == pytest.approx([1, -1])
    shuffled = made_table((n * 5 % 12)[:, None] * np.ones(2), "shuffled")
    both = table_correlation([up, shuffled], percents=[25])
    assert both.loc[("top 25 %", "up"), "shuffled"] == pytest.approx(spearmanr([0, 1, 2], [0, 5, 10]).statistic)
    assert both.loc[("top 25 %", "shuffled"), "up"] == pytest.approx(spearmanr([0, 1, 2], [0, 5, 10]).statistic)


def test_table_correlation_is_not_symmetric_for_the_best():
    a = np.array([0, 1, 2, 9, 9, 9, 9, 9, 9, 9, 9, 9.0])
    b = np.array([2, 1, 0, 3, 4, 5, -1, -2, 8, 9, 10, 11.0])
    tables = [made_table(values[:, None] * np.ones(2), name) for name, values in (("a", a), ("b", b))]
    frame = table_correlation(tables, percents=[25])
    assert frame.loc[("top 25 %", "a"), "b"] == pytest.approx(-1)
    best_of_b = [7, 6, 2]
    assert frame.loc[("top 25 %", "b"), "a"] == pytest.approx(spearmanr(b[best_of_b], a[best_of_b]).statistic)


def test_table_correlation_uses_the_test_loss_only_where_all_have_it():
    n = np.arange(12.0)[:, None] * np.ones(2)
    plain, tested = made_table(n, "plain"), made_table(n, "tested", test_loss=-n)
    also = made_table(-n, "also", test_loss=-n)
    assert table_correlation([plain, tested], percents=[100]).loc[("all", "plain"), "tested"] == pytest.approx(1)
    assert table_correlation([tested, also], percents=[100]).loc[("all", "tested"), "also"] == pytest.approx(1)


def test_tables_over_different_spaces_or_twice_the_same_are_refused():
    table = made_table(np.ones((12, 2)))
    elsewhere = made_table(np.ones((12, 2)), "elsewhere", space=Space([Ordinal("z", list(range(12)))]))
    for tables in ([table, elsewhere], [table, table], [table]):
        with pytest.raises(InvalidOption, match="over one space"):
            table_correlation(tables)


def test_correlation_between_real_tables_falls_towards_the_best():
    """Section 7.3.3: high over all configurations, lower among the best."""
    frame = table_correlation([open_table(name) for name in ("protein", "naval")])
    across = [frame.loc[(share, "protein"), "naval"] for share in ("all", "top 10 %", "top 1 %")]
    assert across[0] > 0.8
    assert max(across[1:]) < 0.5


def test_all_statistics_leave_out_what_a_table_cannot_tell():
    one = all_statistics(made_table(np.arange(24.0).reshape(12, 2)))
    assert list(one) == ["metrics", "noise", "importance", "neighbourhood"]
    curves = curve_table()
    other = made_table(-curves.columns["loss"], "other", budgets=curves.budgets, space=curves.space)
    many = all_statistics(curves, [other], fractions=[0, 0.5])
    assert set(many) == {*one, "budget_correlation", "table_correlation"}
    assert many["metrics"].index.tolist() == [0, 0.5]
