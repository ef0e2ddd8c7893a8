"""Candidates for acquisition functions: where they lie, and that local search climbs."""

import numpy as np
import pytest

from baselines.parts.search.maximum import local_search, random_points, refine
from baselines.parts.search.neighbours import neighbours
from hpo_core import Benchmark
from hpo_core.space import Space
from hpo_core.space.hyperparameters import Categorical, Constant, Float, Int, Ordinal
from hpo_models.features import Features

SPACE = Space([Float("x", 0, 1), Int("n", 1, 5), Ordinal("o", [1, 2, 4]), Categorical("c", list("abc"))])


def configs_of(space, features, rows):
    return space.decode(space.from_unit(np.array([features.to_unit(row) for row in rows])))


def test_neighbours_on_a_finite_space_are_those_of_the_space():
    space = Benchmark("protein").space
    features = Features(space)
    rng = np.random.default_rng(0)
    for config in space.sample(rng, 20):
        row = features.from_unit(space.to_unit(space.encode([config])))[0]
        found = configs_of(space, features, neighbours(features, row[None], rng)[0])
        assert sorted(map(str, found)) == sorted(map(str, space.neighbours(config)))


def test_neighbours_change_one_hyperparameter():
    features = Features(SPACE)
    rng = np.random.default_rng(1)
    row = features.sample_prior(rng, 1)
    (config,) = configs_of(SPACE, features, row)
    found = configs_of(SPACE, features, neighbours(features, row, rng)[0])
    assert all(sum(other[k] != config[k] for k in config) == 1 for other in found)
    assert {k for other in found for k in config if other[k] != config[k]} == set(config)


def test_a_space_of_one_point_has_itself_as_neighbour():
    features = Features(Space([Constant("c", 3)]))
    row = features.sample_prior(np.random.default_rng(0), 1)[0]
    assert neighbours(features, row[None], np.random.default_rng(0))[0].shape == (1, features.width)


def test_seventy_percent_of_the_points_are_uniform_and_the_others_near_the_best():
    features = Features(SPACE)
    rng = np.random.default_rng(2)
    best = features.sample_prior(rng, 1)[0]
    points = random_points(features, rng, best, 1000, std=0.01)
    assert points.shape == (1000, features.width)
    assert np.abs(points[700:, 0] - best[0]).max() < 0.06
    assert np.mean(np.abs(points[:700, 0] - best[0]) < 0.06) < 0.3
    kept = (features.codes(points[700:]) == features.codes(best[None])).mean()
    assert kept == pytest.approx(0.8 + 0.2 / 3, abs=0.08)  # standard deviation 0.02
    assert len(np.unique(random_points(features, rng, None, 50)[:, 0])) == 50


def test_local_search_reaches_the_only_maximum_of_a_separable_score():
    space = Benchmark("protein").space
    features = Features(space)
    rng = np.random.default_rng(3)
    weights = rng.normal(size=features.width)
    starts = features.sample_prior(rng, 4)
    rows, scores = local_search(features, starts, lambda r: r @ weights, rng, max_steps=100)
    everything = features.from_unit(space.to_unit(space.grid.codes(np.arange(space.grid.size))))
    assert scores.max() == pytest.approx((everything @ weights).max())
    np.testing.assert_allclose(rows @ weights, scores)
    np.testing.assert_array_equal(rows[:4], starts)


def test_refinement_closes_in_on_a_peak_and_leaves_discrete_spaces_alone():
    features = Features(Space([Float("x", 0, 1), Float("y", 0, 1), Categorical("c", [1, 2])]))
    rng = np.random.default_rng(4)
    peak = np.array([0.3, 0.8])
    start = features.join(np.array([[0.45, 0.65]]), np.array([[1]]))[0]
    rows, scores = refine(features, start, lambda r: -np.linalg.norm(r[:, :2] - peak, axis=1), rng)
    assert scores.max() > -2e-3
    np.testing.assert_array_equal(rows[:, 2:], np.tile([0.0, 1.0], (len(rows), 1)))
    discrete = Features(Benchmark("protein").space)
    assert len(refine(discrete, discrete.sample_prior(rng, 1)[0], lambda r: r[:, 0], rng)[0]) == 0


def test_a_wide_space_has_two_hundred_random_neighbours_each_one_step_away():
    for space in (
        Space([Float(f"x{i}", 0.0, 1.0) for i in range(150)]),
        Space([Categorical("c", range(1000)), Float("x", 0.0, 1.0)]),
    ):
        features, rng = Features(space), np.random.default_rng(0)
        row = features.sample_prior(rng, 1)[0]
        found = neighbours(features, row[None], rng)[0]
        assert len(found) == len(np.unique(found, axis=0)) == 200
        differ = np.array([features.to_unit(other) for other in found]) != features.to_unit(row)
        assert (differ.sum(axis=1) == 1).all()
        assert not np.array_equal(found, neighbours(features, row[None], rng)[0])
