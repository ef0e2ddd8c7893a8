"""The random forest: its predictions against the trees taken apart by hand."""

import numpy as np
import pytest

from hpo_models.forest import Forest, fit_forest


class Stub:
    """A tree that sends a row to the leaf named in its first column."""

    def apply(self, rows):
        return rows[:, 0].astype(int)


def test_variance_is_that_of_the_mixture_of_leaves():
    means = [np.array([1.0, 5.0]), np.array([3.0, 5.0])]
    variances = [np.array([0.5, 0.0]), np.array([1.5, 0.0])]
    mean, variance = Forest([Stub(), Stub()], means, variances).predict(np.array([[0.0], [1.0]]))
    # half N(1, 0.5), half N(3, 1.5): mean 2, variance = (0.5 + 1 + 1.5 + 9) / 2 - 4 = 2
    np.testing.assert_allclose(mean, [2.0, 5.0])
    np.testing.assert_allclose(variance, [2.0, 0.0])


def test_leaves_hold_the_moments_of_their_bootstrap_observations():
    rng = np.random.default_rng(0)
    rows = rng.random((60, 3))
    values = rows[:, 0] + rng.normal(0, 0.1, 60)
    forest = fit_forest(rows, values, np.random.default_rng(5), n_trees=1, min_leaf=3)
    replay = np.random.default_rng(5)
    replay.integers(2**32)
    counts = np.bincount(replay.integers(60, size=60), minlength=60)
    leaves = forest.trees[0].apply(rows.astype(np.float32))
    for leaf in np.unique(leaves):
        members = np.repeat(values[leaves == leaf], counts[leaves == leaf])
        if len(members):
            assert (counts[leaves == leaf] > 0).sum() >= 3
            assert forest.means[0][leaf] == pytest.approx(members.mean())
            assert forest.variances[0][leaf] == pytest.approx(members.var(), abs=1e-12)


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
