"""Kernel densities where hyperparameters are switched off: closed forms, and what their draws should be."""

import math

import numpy as np
import pytest
from conditional_spaces import CHOICES, TREE, conditional_spaces, listed
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare, kstest, norm

from hpo_core import Categorical, Condition, Float, Space
from hpo_models.densities.kde import ProductKde, column_stds, normal_reference
from hpo_models.densities.listed_draws import ListedDraws
from hpo_models.densities.masked import column_counts, masked_stds
from hpo_models.features import Features

SEEDS = st.integers(0, 2**31)
BRANCH = Space(
    [Categorical("c", ["on", "off"]), Float("x", 0.0, 1.0), Float("y", 0.0, 1.0)], [Condition("y", "c", ("on",))]
)


def kde_of(space, n, seed=0, prior_weight=1.0):
    features = Features(space)
    stds = np.linspace(0.1, 0.3, features.n_numeric)
    switching = np.linspace(0.2, 0.4, len(features.sizes))
    return ProductKde(features, features.sample_prior(np.random.default_rng(seed), n), stds, switching, prior_weight)


def test_a_dimension_that_is_off_everywhere_leaves_the_marginal():
    features, marginal = Features(BRANCH), Features(Space(BRANCH.hyperparameters[:2]))
    rng = np.random.default_rng(0)
    numeric, codes = rng.random((12, 2)), np.ones((12, 1), dtype=int)
    rows, points = np.split(features.settle(features.join(numeric, codes)), 2)
    there = np.split(marginal.join(numeric[:, :1], codes), 2)
    ours = ProductKde(features, rows, np.array([0.1, 0.2]), 0.3, prior_weight=1.0)
    theirs = ProductKde(marginal, there[0], np.array([0.1]), 0.3, prior_weight=1.0)
    np.testing.assert_allclose(ours.log_density(points), theirs.log_density(there[1]), rtol=1e-12)


def test_a_dimension_that_is_on_everywhere_is_that_of_a_space_without_conditions():
    features, plain = Features(BRANCH), Features(Space(BRANCH.hyperparameters))
    rng = np.random.default_rng(0)
    rows, points = np.split(plain.join(rng.random((12, 2)), np.zeros((12, 1), dtype=int)), 2)
    ours, theirs = (ProductKde(f, rows, np.array([0.1, 0.2]), 0.3, 1.0) for f in (features, plain))
    np.testing.assert_allclose(ours.log_density(points), theirs.log_density(points), rtol=1e-12)


def test_a_dimension_that_is_off_in_an_observation_has_the_density_of_the_prior_there():
    """By hand: one observation has y, the other has not."""
    features = Features(BRANCH)
    rows = features.settle(features.join(np.array([[0.2, 0.6], [0.7, 0.0]]), np.array([[0], [1]])))
    kde = ProductKde(features, rows, np.array([0.1, 0.2]), np.array([0.4]))
    on, off = features.settle(features.join(np.array([[0.3, 0.5], [0.3, 0.9]]), np.array([[0], [1]])))
    x = norm.pdf(0.3, [0.2, 0.7], 0.1)
    expected = (0.6 * x[0] * norm.pdf(0.5, 0.6, 0.2) + 0.4 * x[1]) / 2, (0.4 * x[0] + 0.6 * x[1]) / 2
    np.testing.assert_allclose(np.exp(kde.log_density(np.array([on, off]))), expected, rtol=1e-10)


def direct_density(kde, point):
    """The definition, term by term."""
    features, total = kde.features, 0.0
    k, starts = features.n_numeric, features.first_columns
    here = features.present(point[None])[0]
    for row in kde.rows:
        there, term = features.present(row[None])[0], 1.0
        for i in range(k):
            term *= (norm.pdf(point[i], row[i], kde.stds[i]) if there[i] else 1.0) if here[i] else 1.0
        for i, size in enumerate(features.sizes):
            own = slice(starts[k + i], starts[k + i] + size)
            same = kde.switching[i] / (size - 1) if (point[own] != row[own]).any() else 1 - kde.switching[i]
            if here[own].all():
                term *= same if there[own].all() else math.exp(point[own] @ features.log_prior[own])
        total += term
    prior = math.exp((here * point) @ features.log_prior)
    return (total + kde.prior_weight * prior) / (len(kde.rows) + kde.prior_weight)


@settings(max_examples=20)
@given(conditional_spaces(), SEEDS)
def test_log_density_is_that_of_the_definition(space, seed):
    kde = kde_of(space, 5, seed)
    points = kde.features.sample_prior(np.random.default_rng(seed + 1), 4)
    expected = [math.log(direct_density(kde, point)) for point in points]
    np.testing.assert_allclose(kde.log_density(points), expected, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("prior_weight", [0.0, 2.0])
def test_the_probabilities_of_a_finite_tree_sum_to_one(prior_weight):
    kde = kde_of(CHOICES, 7, prior_weight=prior_weight)
    rows = kde.features.from_unit(CHOICES.to_unit(CHOICES.encode(list(CHOICES.configs()))))
    assert len(rows) == 1 + 2 * (1 + 3)
    assert np.exp(kde.log_density(rows)).sum() == pytest.approx(1.0)


@settings(max_examples=20)
@given(conditional_spaces(), SEEDS)
def test_a_value_that_is_switched_off_never_matters(space, seed):
    features = Features(space)
    others = Features(Space(space.hyperparameters)).sample_prior(np.random.default_rng(seed), 8)
    kde = kde_of(space, 4, seed + 1)
    points = features.sample_prior(np.random.default_rng(seed + 2), 4)
    marked = [np.where(features.present(r), r, o) for r, o in ((kde.rows, others[:4]), (points, others[4:]))]
    again = ProductKde(features, marked[0], kde.stds, kde.switching, kde.prior_weight)
    np.testing.assert_allclose(again.log_density(marked[1]), kde.log_density(points), rtol=1e-12)
    np.testing.assert_allclose(normal_reference(features, marked[0]), normal_reference(features, kde.rows), rtol=1e-12)


def test_a_row_that_is_added_counts_like_the_others():
    whole = kde_of(TREE, 9)
    grown = ProductKde(whole.features, whole.rows[:2], whole.stds, whole.switching, 1.0)
    for row in whole.rows[2:]:
        grown.add(row)
    points = whole.features.sample_prior(np.random.default_rng(5), 6)
    np.testing.assert_allclose(grown.log_density(points), whole.log_density(points))


def test_draws_of_a_finite_tree_have_their_probabilities():
    kde = kde_of(CHOICES, 5)
    rows = kde.features.from_unit(CHOICES.to_unit(CHOICES.encode(list(CHOICES.configs()))))
    drawn = kde.sample(np.random.default_rng(0), 6000)
    counts = [(drawn == row).all(axis=1).sum() for row in rows]
    assert sum(counts) == 6000
    assert chisquare(counts, 6000 * np.exp(kde.log_density(rows))).pvalue > 0.001


def test_what_a_draw_switches_on_comes_from_the_prior():
    features = Features(BRANCH)
    row = features.settle(features.join(np.array([[0.5, 0.0]]), np.array([[1]])))  # c is off
    kde = ProductKde(features, row, np.array([0.1, 1e-3]), np.array([0.5]))
    drawn = kde.sample(np.random.default_rng(0), 4000)
    on = drawn[:, 2] == 1.0
    assert 1850 < on.sum() < 2150
    assert kstest(drawn[on, 1], "uniform").pvalue > 0.001
    assert (drawn[~on, 1] == 0.5).all()
    assert drawn[:, 0].std() == pytest.approx(0.1, abs=0.01)


def test_spreads_are_those_of_the_rows_that_have_a_hyperparameter():
    features = Features(BRANCH)
    numeric, codes = np.array([[0.1, 0.4], [0.3, 0.8], [0.9, 0.0]]), np.array([[0], [0], [1]])
    rows = features.settle(features.join(numeric, codes))
    counts, stds = column_counts(features, rows), masked_stds(features, rows)
    assert counts.tolist() == [3, 2, 3]
    moments = np.array([(0.4 + 0.8 + 0.5) / 3, (0.4**2 + 0.8**2 + 1 / 3) / 3])  # the prior is one row more of y
    expected = [np.std([0.1, 0.3, 0.9]), math.sqrt(moments[1] - moments[0] ** 2), math.sqrt((1 - 5 / 9) / 2)]
    np.testing.assert_allclose(stds, expected)
    rates = np.array([3, 2, 3]) ** (-1 / 7)
    np.testing.assert_allclose(normal_reference(features, rows), 1.06 * np.array(expected) * rates)


def test_without_anything_switched_off_spreads_are_those_of_a_plain_space():
    space = Space(TREE.hyperparameters)
    features = Features(space)
    rows = features.sample_prior(np.random.default_rng(0), 9)
    np.testing.assert_allclose(masked_stds(features, rows), column_stds(features, rows))


def test_draws_from_a_list_follow_the_density_relative_to_the_prior():
    space = listed(CHOICES, 9)
    features = Features(space)
    kde = ProductKde(features, features.listed.rows[:3], np.empty(0), np.array([0.3, 0.3, 0.3]), prior_weight=1.0)
    draws = ListedDraws(features.listed)
    drawn = draws.draw(np.random.default_rng(0), 4500)
    assert chisquare(_counts(features, drawn)).pvalue > 0.001
    draws.weigh(kde)
    draws.note(features.listed.rows[0])
    drawn = draws.draw(np.random.default_rng(1), 6000)
    prior = {"a": 0.5, "b": 0.25, "c": 0.25}, {None: 1.0, "p": 0.5, "q": 0.5}, {None: 1.0, "s": 0.6, "t": 0.2, "u": 0.2}
    priors = [math.prod(p[c.get(n)] for p, n in zip(prior, CHOICES.names, strict=True)) for c in space.configs()]
    weights = np.exp(kde.log_density(features.listed.rows)) / priors
    expected = weights[1:] / weights[1:].sum()
    counts = _counts(features, drawn)
    assert counts[0] == 0
    assert chisquare(counts[1:], 6000 * expected).pvalue > 0.001


def test_a_list_is_drawn_once_and_then_again():
    features = Features(listed(CHOICES, 9))
    draws, seen = ListedDraws(features.listed), []
    for _ in range(9):
        row = draws.draw(np.random.default_rng(0), 1)[0]
        draws.note(row)
        seen.append(features.listed.index(row))
    assert sorted(seen) == list(range(9))
    assert len(draws.draw(np.random.default_rng(0), 5)) == 5


def _counts(features, rows):
    return np.bincount([features.listed.index(row) for row in rows], minlength=len(features.listed))
