"""The random forest: its predictions against leaves taken apart by hand, and against scikit-learn's trees."""

import sys

import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor

from hpo_core import Benchmark
from hpo_models import forest as forests
from hpo_models.features import Features
from hpo_models.forest import Forest, fit_forest
from hpo_models.trees import by_level
from hpo_models.trees.samples import Trees


def test_variance_is_that_of_the_mixture_of_leaves():
    # two trees that are split at 0.5; nodes 2 and 3 are the leaves of the first, 4 and 5 of the second
    left = np.array([2, 4, 2, 3, 4, 5])
    threshold = np.where(left == np.arange(6), np.inf, 0.5)
    mean, variance = np.array([0, 0, 1.0, 5.0, 3.0, 5.0]), np.array([0, 0, 0.5, 0.0, 1.5, 0.0])
    trees = Trees(np.zeros(6, np.intp), threshold, left, np.zeros((2, 1), np.intp))
    forest = Forest(trees, np.stack([mean, variance + mean**2], axis=1))
    mean, variance = forest.predict(np.array([[0.5], [1.0]]))
    # half N(1, 0.5), half N(3, 1.5): mean 2, variance = (0.5 + 1 + 1.5 + 9) / 2 - 4 = 2
    np.testing.assert_allclose(mean, [2.0, 5.0])
    np.testing.assert_allclose(variance, [2.0, 0.0])


def test_leaves_hold_the_moments_of_their_bootstrap_observations():
    rng = np.random.default_rng(0)
    rows = rng.random((60, 3))
    values = rows[:, 0] + rng.normal(0, 0.1, 60)
    forest = fit_forest(rows, values, np.random.default_rng(5), n_trees=1, min_leaf=3)
    counts = np.bincount(np.random.default_rng(5).integers(60, size=60), minlength=60)
    leaves = forest.trees.leaves[0]
    inside = counts > 0
    for leaf in np.unique(leaves[inside]):
        own = inside & (leaves == leaf)
        members = np.repeat(values[own], counts[own])
        assert own.sum() >= 3
        mean, variance = forest.predict(rows[own])
        np.testing.assert_allclose(mean, members.mean())
        np.testing.assert_allclose(variance, members.var(), atol=1e-12)


def test_a_forest_is_a_function_of_its_generator():
    rows, values = np.random.default_rng(1).random((40, 2)), np.arange(40.0)
    first, again, other = (fit_forest(rows, values, np.random.default_rng(s)).predict(rows)[0] for s in (3, 3, 4))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_a_forest_follows_a_step_and_is_less_sure_where_it_knows_less():
    rng = np.random.default_rng(2)
    x = np.concatenate([rng.random(200) * 0.5, 0.5 + rng.random(10) * 0.5])[:, None]
    values = np.where(x[:, 0] < 0.5, 0.0, 1.0) + np.where(x[:, 0] < 0.5, 0.01, 0.3) * rng.normal(size=210)
    mean, variance = fit_forest(x, values, rng).predict(np.array([[0.2], [0.8]]))
    assert mean[0] == pytest.approx(0, abs=0.05) and mean[1] > 0.6
    assert variance[1] > 10 * variance[0]


@pytest.mark.parametrize("n", [1, 2, 5])
def test_few_or_equal_observations_are_no_problem(n):
    rows = np.zeros((n, 2))
    mean, variance = fit_forest(rows, np.full(n, 0.7), np.random.default_rng(0)).predict(rows)
    np.testing.assert_allclose(mean, 0.7)
    np.testing.assert_allclose(variance, 0, atol=1e-15)


@pytest.mark.parametrize("missing", ["numba", "directory"])
def test_without_numba_predictions_are_the_same(monkeypatch, missing):
    rng = np.random.default_rng(0)
    rows, values = rng.random((50, 3)), rng.normal(size=50)
    rows.setflags(write=False)
    monkeypatch.setattr(forests, "LOADING", -1)
    usual = fit_forest(rows, values, np.random.default_rng(1)).predict(rows)
    monkeypatch.setitem(sys.modules, "hpo_models.trees.compiled", None)
    if missing == "directory":
        monkeypatch.delitem(sys.modules, "hpo_models.trees.compiled")
        monkeypatch.delattr("hpo_models.trees.compiled", raising=False)
        numba = pytest.importorskip("numba")
        monkeypatch.setattr(numba, "njit", _refuse)
    else:
        monkeypatch.delattr("hpo_models.trees.compiled", raising=False)
    forests._compiled.cache_clear()
    assert forests._grower(0) is by_level
    without = fit_forest(rows, values, np.random.default_rng(1)).predict(rows)
    forests._compiled.cache_clear()
    np.testing.assert_array_equal(usual, without)


def _refuse(*arguments, **options):
    raise RuntimeError("cannot cache function: no locator available")


@pytest.mark.slow
def test_errors_and_likelihoods_on_new_rows_are_those_of_scikit_learn():
    """Over 40 samples of a table the mean difference to scikit-learn is below 4 standard errors.

    Of two equal forests 1 in 16,000 would fail; half of those would whose error is 4 standard errors higher, and these
    are 10 % of the error or less.
    """
    table = Benchmark("protein")
    features = Features(table.space)
    differences = np.array([_against_scikit_learn(table, features, seed) for seed in range(40)])
    standard_errors = differences.std(axis=0, ddof=1) / np.sqrt(40)
    assert (np.abs(differences.mean(axis=0)) < 4 * standard_errors).all()
    assert (4 * standard_errors < 0.1).all()


def _against_scikit_learn(table, features, seed):
    """Difference of the squared errors, as a share, and of the mean log-likelihoods on 500 new rows."""
    rng = np.random.default_rng(seed)
    configs = table.space.sample(rng, 650)
    codes = table.space.encode(configs)
    rows, values = features.from_unit(table.space.to_unit(codes)), np.log(table.objective_batch(codes)[0])
    own_mean, own_variance = fit_forest(rows[:150], values[:150], rng).predict(rows[150:])
    peer = RandomForestRegressor(10, min_samples_leaf=3, min_samples_split=6, max_features=5 / 6, random_state=seed)
    peer.fit(rows[:150], values[:150])
    leaves = [(tree.tree_, tree.apply(rows[150:])) for tree in peer.estimators_]
    means = np.stack([tree.value[leaf, 0, 0] for tree, leaf in leaves])
    variance = np.mean(np.stack([tree.impurity[leaf] for tree, leaf in leaves]) + means**2, axis=0)
    variance, mean = variance - means.mean(axis=0) ** 2, means.mean(axis=0)
    errors = [np.mean((m - values[150:]) ** 2) for m in (own_mean, mean)]
    floor = 1e-4 * values[:150].var()
    own, other = (_log_likelihood(values[150:], *pair, floor) for pair in ((own_mean, own_variance), (mean, variance)))
    return (errors[0] - errors[1]) / errors[1], own - other


def _log_likelihood(values, mean, variance, floor):
    variance = variance + floor
    return np.median(-0.5 * np.log(2 * np.pi * variance) - 0.5 * (values - mean) ** 2 / variance)
