"""Functional ANOVA against brute force, against closed forms and against the text of Klein (2020) on the real table."""

from itertools import combinations, product
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpo_core import Categorical, Ordinal, Space
from hpo_core.errors import InvalidOption
from tabular import Table, open_table
from tabular.fanova import cap_at_top, importance, variance_shares

SHAPES = st.lists(st.integers(1, 4), min_size=1, max_size=4).map(tuple)


def brute_force_shares(values):
    """Shares by the recursive definition: the marginal of S minus the components of all sets within S, by points."""
    axes = range(values.ndim)
    points = list(product(*map(range, values.shape)))
    mean = sum(values[p] for p in points) / len(points)
    variance = sum((values[p] - mean) ** 2 for p in points) / len(points)
    components = {(): {(): mean}}
    for order in range(1, values.ndim + 1):
        for subset in combinations(axes, order):
            component = {}
            for corner in product(*(range(values.shape[a]) for a in subset)):
                matching = [values[p] for p in points if tuple(p[a] for a in subset) == corner]
                lower = (s for k in range(order) for s in combinations(subset, k))
                explained = sum(components[s][tuple(corner[subset.index(a)] for a in s)] for s in lower)
                component[corner] = sum(matching) / len(matching) - explained
            components[subset] = component
    return {s: sum(v**2 for v in c.values()) / len(c) / variance for s, c in components.items() if s}


@pytest.mark.slow
@given(SHAPES, st.integers(0, 2**32 - 1))
def test_shares_equal_brute_force_and_add_up_to_one(shape, seed):
    values = np.random.default_rng(seed).lognormal(sigma=2, size=shape)
    shares = variance_shares(values, len(shape))
    if values.size == 1:
        assert set(shares.values()) == {0.0}
        return
    expected = brute_force_shares(values)
    assert shares.keys() == expected.keys()
    assert list(shares.values()) == pytest.approx([expected[s] for s in shares], abs=1e-9)
    assert sum(shares.values()) == pytest.approx(1)


@given(SHAPES, st.integers(0, 2**32 - 1))
def test_an_additive_function_has_no_interactions(shape, seed):
    terms = [np.random.default_rng([seed, i]).normal(size=n) for i, n in enumerate((*shape, 3))]
    values = sum(np.meshgrid(*terms, indexing="ij"))
    shares = variance_shares(values, 2)
    total = sum(term.var() for term in terms)
    for i, term in enumerate(terms):
        assert shares[i,] == pytest.approx(term.var() / total, abs=1e-12)
    assert max(share for subset, share in shares.items() if len(subset) == 2) < 1e-20


@given(SHAPES, st.integers(0, 2**32 - 1))
def test_a_product_has_the_shares_of_its_closed_form(shape, seed):
    """Var f_S of a product of g_i is the product over S of Var g_i times that of (mean g_i)^2 over the others."""
    terms = [np.random.default_rng([seed, i]).uniform(0.5, 3, size=n) for i, n in enumerate((*shape, 3))]
    ratios = [term.var() / term.mean() ** 2 for term in terms]
    values = prod(np.meshgrid(*terms, indexing="ij"))
    for subset, share in variance_shares(values, len(terms)).items():
        expected = prod(ratios[i] for i in subset) / (prod(1 + r for r in ratios) - 1)
        assert share == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("scale", [1e-300, 1.0, 1e300])
def test_shares_do_not_depend_on_scale_and_level(scale):
    values = np.random.default_rng(0).random((3, 4, 2))
    expected = variance_shares(values, 3)
    assert variance_shares(scale * (values + 1), 3) == pytest.approx(expected, abs=1e-9)


def test_an_outlier_takes_the_variance_and_breaks_nothing():
    values = np.zeros((4, 4, 4))
    values[1, 2, 3] = 8.7e7
    shares = variance_shares(values, 3)
    for subset, share in shares.items():  # an indicator is a product of indicators, each with variance / mean^2 = 3
        assert share == pytest.approx(3 ** len(subset) / 63)


def test_a_constant_function_has_nothing_to_share():
    assert variance_shares(np.full((2, 3), 0.1), 2) == {(0,): 0.0, (1,): 0.0, (0, 1): 0.0}


@pytest.mark.parametrize("bad", [np.inf, np.nan])
def test_values_that_are_not_finite_are_refused(bad):
    with pytest.raises(InvalidOption, match="finite"):
        variance_shares(np.array([[1.0, bad], [2.0, 3.0]]), 2)


def test_capping_keeps_the_best_and_levels_the_rest():
    losses = np.array([5.0, 1.0, 4.0, 2.0, 3.0])
    assert cap_at_top(losses, 40).tolist() == [3.0, 1.0, 3.0, 2.0, 3.0]
    assert cap_at_top(losses, 1).tolist() == [2.0, 1.0, 2.0, 2.0, 2.0]
    assert cap_at_top(losses, 100).tolist() == losses.tolist()
    assert cap_at_top(np.array([np.inf, 1.0, 7.0]), 100).tolist() == [7.0, 1.0, 7.0]
    with pytest.raises(InvalidOption, match="finite"):
        cap_at_top(np.array([np.inf]), 100)


def small_table(**columns):
    space = Space([Ordinal("x", [1, 2, 3, 4]), Categorical("y", ["a", "b"]), Ordinal("z", [0, 1, 2])])
    columns = {name: np.stack([values, values], axis=1) for name, values in columns.items()}
    columns.setdefault("loss", np.ones((24, 2)))
    columns["cost"] = np.ones((24, 2))
    return Table("small", space, columns, dict.fromkeys(columns, "-"), (1,), "epochs", {})


def test_importance_names_effects_by_hyperparameter_and_accounts_for_all_variance():
    x, y, z = np.meshgrid(np.arange(4), np.arange(2), np.arange(3), indexing="ij")
    frame = importance(small_table(loss=(10.0 * x + y * z).ravel()), percents=(100, 50))
    assert list(frame.index) == ["x", "y", "z", "x x y", "x x z", "y x z", "three and more"]
    assert frame["order"].tolist() == [1, 1, 1, 2, 2, 2, 3]
    assert frame["all"].idxmax() == "x"
    assert frame.to_numpy().min() >= 0
    assert frame.loc["x", "all"] == pytest.approx(125 / (125 + np.var([0, 0, 0, 0, 1, 2])))
    assert frame.loc[["x x y", "x x z", "three and more"], "all"].abs().max() < 1e-12
    assert frame.loc["y x z", "all"] > 0
    assert frame.loc["three and more", "top 50 %"] > 1e-6  # the cap makes the three interact
    assert frame[["all", "top 50 %"]].sum().tolist() == pytest.approx([1, 1])


def test_importance_is_that_of_the_test_loss_where_recorded():
    x, y, z = (axis.ravel().astype(float) for axis in np.meshgrid(range(4), range(2), range(3), indexing="ij"))
    both = small_table(loss=x, test_loss=z)
    assert importance(both).loc["z", "all"] == pytest.approx(1)
    assert importance(both, metric="loss").loc["x", "all"] == pytest.approx(1)
    assert importance(small_table(loss=y)).loc["y", "all"] == pytest.approx(1)


def test_a_configuration_without_a_record_counts_as_the_worst():
    x = np.repeat(np.arange(4.0), 6)
    missing = np.where(np.arange(24) == 20, np.nan, x)  # x = 3 there, the largest of the finite ones
    assert importance(small_table(loss=missing)).equals(importance(small_table(loss=x)))


def test_a_table_without_variance_has_zeros():
    assert not importance(small_table()).drop(columns="order").to_numpy().any()


def test_protein_shows_what_the_thesis_says():
    """Section 7.3.1: the learning rate leads, single shares are very small, pairs explain slightly more."""
    frame = importance(open_table("protein"))
    single, pairs = frame[frame["order"] == 1], frame[frame["order"] == 2]
    assert (single["all"].idxmax(), len(single), len(pairs)) == ("init_lr", 9, 36)
    assert single["all"].max() < 0.02
    assert single["all"].sum() < pairs["all"].sum() < 0.1
    assert (single["top 10 %"] > 0.02).sum() >= 5
    assert frame[["all", "top 10 %", "top 1 %"]].sum().tolist() == pytest.approx([1, 1, 1])


def test_outliers_of_slice_leave_shares_between_zero_and_one():
    table = open_table("slice")
    assert table.mean("loss").max() > 1e7
    shares = importance(table).drop(columns="order").to_numpy()
    assert shares.min() >= 0
    assert shares.max() <= 1
