"""Product kernel densities, against the definition, statsmodels and what their draws should be."""

import math

import numpy as np
import pytest
from scipy.stats import chisquare, kstest, norm, truncnorm

from hpo_core import Categorical, Constant, Float, Int, Ordinal, Space
from hpo_models.densities.kde import ProductKde, column_stds, normal_reference
from hpo_models.features import Features

MIXED = Space(
    [
        Categorical("c", ["x", "y", "z"]),
        Float("f", 0.0, 1.0),
        Constant("k", 1),
        Int("i", 1, 100, log=True),
        Categorical("b", [True, False], weights=[3, 1]),
        Ordinal("o", [1, 2, 5, 9]),
    ]
)


def rows_of(space, n, seed=0):
    return Features(space).sample_prior(np.random.default_rng(seed), n)


def direct_density(rows, point, stds, switching, prior_weight):
    """The definition, term by term, for MIXED."""
    total = 0.0
    for row in rows:
        term = np.prod(norm.pdf(point[:3], row[:3], stds))
        for h, size, (start, stop) in zip(switching, (3, 2), ((3, 6), (6, 8)), strict=True):
            h = min(h, 1 - 1 / size)
            term *= 1 - h if np.array_equal(row[start:stop], point[start:stop]) else h / (size - 1)
        total += term
    prior = 1 / 3 * (0.75 if point[6] else 0.25)
    return (total + prior_weight * prior) / (len(rows) + prior_weight)


@pytest.mark.parametrize("prior_weight", [0.0, 1.0, 2.5])
@pytest.mark.parametrize("switching", [(0.2, 0.4), (0.9, 0.9)])
def test_log_density_is_that_of_the_definition(prior_weight, switching):
    rows, points, stds = rows_of(MIXED, 13), rows_of(MIXED, 9, seed=1), np.array([0.05, 0.3, 0.2])
    kde = ProductKde(Features(MIXED), rows, stds, np.array(switching), prior_weight)
    expected = [math.log(direct_density(rows, point, stds, switching, prior_weight)) for point in points]
    np.testing.assert_allclose(kde.log_density(points), expected, rtol=1e-10)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::FutureWarning")  # of statsmodels
def test_log_density_is_that_of_statsmodels():
    statsmodels = pytest.importorskip(
        "statsmodels.api", reason="statsmodels, whose KDE Klein (2020) uses, is not installed"
    )
    space = Space([Float("f", 0.0, 1.0), Float("g", 0.0, 1.0), Categorical("c", ["x", "y", "z"])])
    features, rows, points = Features(space), rows_of(space, 20), rows_of(space, 6, seed=1)

    def plain(rows):
        return np.column_stack([rows[:, :2], features.codes(rows)])

    theirs = statsmodels.nonparametric.KDEMultivariate(plain(rows), "ccu", bw="normal_reference")
    np.testing.assert_allclose(normal_reference(features, rows)[:2], theirs.bw[:2])
    ours = ProductKde(features, rows, theirs.bw[:2], theirs.bw[2:])
    np.testing.assert_allclose(ours.log_density(points), np.log(theirs.pdf(plain(points))), rtol=1e-8)


def test_the_probabilities_of_a_finite_space_sum_to_one():
    space = Space([Categorical("a", range(3)), Categorical("b", range(4), weights=[4, 3, 2, 1])])
    features = Features(space)
    units = space.to_unit(space.grid.codes(np.arange(12)))
    kde = ProductKde(features, rows_of(space, 7), np.empty(0), np.array([0.3, 0.1]), prior_weight=2.0)
    assert np.exp(kde.log_density(features.from_unit(units))).sum() == pytest.approx(1.0)


def test_a_density_of_nothing_but_far_rows_is_low_and_not_zero():
    space = Space([Float("f", 0.0, 1.0)])
    kde = ProductKde(Features(space), np.zeros((3, 1)), np.array([1e-3]), np.empty(0))
    assert kde.log_density(np.ones((1, 1))) == pytest.approx(math.log(1e-32))


def test_a_row_that_is_added_counts_like_the_others():
    rows, points, stds = rows_of(MIXED, 9), rows_of(MIXED, 5, seed=1), np.array([0.1, 0.2, 0.3])
    whole = ProductKde(Features(MIXED), rows, stds, 0.3, prior_weight=1.0)
    grown = ProductKde(Features(MIXED), rows[:2], stds, 0.3, prior_weight=1.0)
    for row in rows[2:]:
        grown.add(row)
    np.testing.assert_allclose(grown.log_density(points), whole.log_density(points))


def test_draws_follow_the_kernels():
    features = Features(MIXED)
    row = features.from_unit(np.array([[0.5, 0.2, 0.5, 0.5, 0.1, 0.3]]))  # c = y, f = .2, b = True, o = 2
    kde = ProductKde(features, row, np.array([0.15, 0.1, 0.25]), np.array([0.4, 0.2]))
    drawn = kde.sample(np.random.default_rng(0), 4000, widening=2.0)
    wide = 0.3
    assert kstest(drawn[:, 0], truncnorm(-0.2 / wide, 0.8 / wide, 0.2, wide).cdf).pvalue > 0.001
    edges = np.linspace(0, 1, 5)
    cells = np.diff(truncnorm(-0.375 / 0.5, 0.625 / 0.5, 0.375, 0.5).cdf(edges))
    assert chisquare(np.unique(drawn[:, 2], return_counts=True)[1], 4000 * cells).pvalue > 0.001
    assert chisquare(drawn[:, 3:6].sum(axis=0), [800, 2400, 800]).pvalue > 0.001
    assert chisquare(drawn[:, 6:].sum(axis=0), [3200, 800]).pvalue > 0.001


def test_a_share_of_the_draws_comes_from_the_prior():
    features = Features(MIXED)
    row = features.from_unit(np.array([[0.5, 0.2, 0.5, 0.5, 0.9, 0.3]]))  # b = False, of weight 1/4
    kde = ProductKde(features, row, np.full(3, 1e-6), np.full(2, 1e-6), prior_weight=1.0)
    drawn = kde.sample(np.random.default_rng(0), 4000)
    elsewhere = drawn[np.abs(drawn[:, 0] - 0.2) > 1e-5]
    assert 1850 < len(elsewhere) < 2150  # half of them, within 4.7 standard deviations
    assert kstest(elsewhere[:, 0], "uniform").pvalue > 0.001
    assert chisquare(elsewhere[:, 6:].sum(axis=0), len(elsewhere) * np.array([0.75, 0.25])).pvalue > 0.001


def test_spreads_do_not_depend_on_the_order_of_the_values():
    space = Space([Float("f", 0.0, 1.0), Categorical("two", [0, 1]), Categorical("four", range(4))])
    features = Features(space)
    codes = np.array([[0, 0], [1, 2], [1, 2], [0, 3]])
    rows = features.join(np.array([[0.1], [0.2], [0.3], [0.8]]), codes)
    expected = [np.std([0.1, 0.2, 0.3, 0.8]), 0.5, math.sqrt((1 - (0.25**2 + 0.5**2 + 0.25**2)) / 2)]
    np.testing.assert_allclose(column_stds(features, rows), expected)
    relabelled = features.join(rows[:, :1], (codes + 1) % [2, 4])
    np.testing.assert_allclose(column_stds(features, relabelled), expected)
    np.testing.assert_allclose(normal_reference(features, rows), 1.06 * np.array(expected) * 4 ** (-1 / 7))
