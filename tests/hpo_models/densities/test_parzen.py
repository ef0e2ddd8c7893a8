"""One-dimensional Parzen estimators, by hand and against hyperopt's."""

import itertools
import math

import numpy as np
import pytest
from scipy.stats import chisquare, norm

from hpo_models.densities.parzen import Lattice, adaptive_mixture, categorical_density, forgetting_weights


def test_forgetting_by_hand():
    assert forgetting_weights(25).tolist() == [1.0] * 25
    np.testing.assert_allclose(forgetting_weights(28), [1 / 28, (1 / 28 + 1) / 2, 1.0] + [1.0] * 25)
    np.testing.assert_allclose(forgetting_weights(26), [1 / 26] + [1.0] * 25)


def test_categories_by_hand():
    density = categorical_density(np.array([[2.0, 0.5, 0.0]]), np.array([[1.0, 1.0, 1.0]]))
    np.testing.assert_allclose(density, [[3 / 5.5, 1.5 / 5.5, 1 / 5.5]])


def counts_and_mass(codes, width):
    weights = forgetting_weights(len(codes))
    both = [np.bincount(codes, w, minlength=width) for w in (None, weights)]
    return both[0].astype(float)[None], both[1][None]


def test_a_lattice_by_hand():
    """Observations 0, 3, 3 of an ordinal of four values: kernels at 0, 1.5 (the prior), 3, 3."""
    density = Lattice(np.array([4]), 4).density(*counts_and_mass(np.array([0, 3, 3]), 4))[0]
    edges = np.array([0.0, 0.5, 1.5, 2.5, 3.0])
    kernels = [(0.0, 1.5), (1.5, 3.0), (3.0, 1.5), (3.0, 3 / 5)]  # means and stds; the last gap is 0, raised to 3/5
    mixture = sum(np.diff(norm.cdf(edges, mean, std)) for mean, std in kernels)
    np.testing.assert_allclose(density, mixture / mixture.sum())


@pytest.mark.parametrize("n", [0, 1, 2, 4, 25])
def test_lattices_are_hyperopts(n):
    theirs = pytest.importorskip("hyperopt.tpe", reason="hyperopt is not installed")
    sizes = np.array([4, 3, 6, 2])
    codes = np.random.default_rng(n).integers(sizes, size=(n, 4))
    counts, mass = (np.vstack(both) for both in zip(*(counts_and_mass(c, 6) for c in codes.T), strict=True))
    density = Lattice(sizes, 6).density(counts, mass)
    for row, column, size in zip(density, codes.T, sizes.tolist(), strict=True):
        mixture = theirs.adaptive_parzen_normal(column.astype(float), 1.0, (size - 1) / 2, float(size - 1))
        expected = np.exp(theirs.GMM1_lpdf(np.arange(size, dtype=float), *mixture, low=0, high=size - 1, q=1))
        np.testing.assert_allclose(row[:size], expected)
        assert row[size:].sum() == 0


@pytest.mark.parametrize("n", [1, 2, 30, 150])
def test_mixtures_are_hyperopts(n):
    theirs = pytest.importorskip("hyperopt.tpe", reason="hyperopt is not installed")
    observations = np.random.default_rng(n).random(n)
    ours = adaptive_mixture(observations, forgetting_weights(n))
    for a, b in zip(ours, theirs.adaptive_parzen_normal(observations, 1.0, 0.5, 1.0), strict=True):
        np.testing.assert_allclose(a, b)


def test_a_mixture_by_hand_and_its_draws():
    mixture = adaptive_mixture(np.array([0.1, 0.9, 0.7]), np.array([0.5, 1.0, 1.0]))
    np.testing.assert_allclose(mixture.means, [0.1, 0.5, 0.7, 0.9])
    np.testing.assert_allclose(mixture.stds, [0.4, 1.0, 0.2, 0.2])
    np.testing.assert_allclose(mixture.weights, np.array([0.5, 1, 1, 1]) / 3.5)
    edges = np.linspace(0, 1, 9)
    mass = mixture.mass(edges[:-1], edges[1:])
    density = [sum(w * norm.pdf(x, m, s) for w, m, s in zip(*mixture, strict=True)) for x in edges]
    np.testing.assert_allclose(mixture.mass(edges, edges) / math.sqrt(2 * math.pi), density)
    counts = np.histogram(mixture.sample(np.random.default_rng(0), 5000), edges)[0]
    assert counts.sum() == 5000
    assert chisquare(counts, 5000 * mass / mass.sum()).pvalue > 0.001


def test_a_lattice_of_one_value_is_certain():
    counts = np.array([[2.0, 0.0, 0.0], [0.0, 1.0, 1.0]])
    density = Lattice(np.array([1, 3]), 3).density(counts, counts)
    np.testing.assert_allclose(density[0], [1.0, 0.0, 0.0])
    assert density[1].sum() == pytest.approx(1.0)


def test_every_small_history_gives_probabilities():
    lattice = Lattice(np.array([3]), 3)
    for codes in itertools.product(range(3), repeat=4):
        density = lattice.density(*counts_and_mass(np.array(codes), 3))
        assert density.min() > 0
        assert density.sum() == pytest.approx(1.0)
