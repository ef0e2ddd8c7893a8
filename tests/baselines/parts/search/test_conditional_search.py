"""Candidates for acquisition functions in spaces with conditions, forbidden clauses and lists."""

import numpy as np
import pytest
from conditional_spaces import CLAUSES, TREE, listed

from baselines.parts.history import History
from baselines.parts.representers import representers
from baselines.parts.sampling import unit_decoder
from baselines.parts.search.maximum import local_search, maximise, random_new_row, random_points, refine
from baselines.parts.search.neighbours import neighbours
from hpo_core import Categorical, Condition, Float, Int, Ordinal, Space
from hpo_models.features import Features

DISCRETE = Space(
    [Categorical("c", "abc"), Int("n", 1, 5), Ordinal("o", [1, 2, 4]), Categorical("d", "xy")],
    [Condition("n", "c", ("a", "b")), Condition("o", "n", (2, 3, 4)), Condition("d", "c", ("b", "c"))],
)
MIXED = Space([Float("x", 0, 1), Int("n", 1, 5), Ordinal("o", [1, 2, 4]), Categorical("c", list("abc"))])
SHAPED = {"tree": TREE, "clauses": CLAUSES, "list": listed(MIXED, 60), "tree-list": listed(TREE, 60)}
shaped = pytest.mark.parametrize("space", SHAPED.values(), ids=SHAPED)


def configs_of(space, rows):
    features, decode = Features(space), unit_decoder(space)
    return [decode(features.to_unit(row)) for row in rows]


def assert_settled(space, rows):
    """Rows are those of configurations of the space, and say nothing of what is switched off."""
    features = Features(space)
    for config in configs_of(space, rows):
        assert space.check(config) == config
    np.testing.assert_array_equal(features.settle(rows), rows)


def score_of(features, seed=0):
    """A score that prefers what is switched off to be anything but the default."""
    weights = np.random.default_rng(seed).normal(size=features.width)
    return lambda rows: rows @ weights


def test_neighbours_on_a_conditional_space_are_those_of_the_space():
    features = Features(DISCRETE)
    for config in DISCRETE.configs():
        row = features.from_unit(DISCRETE.to_unit(DISCRETE.encode(config)))[0]
        found = configs_of(DISCRETE, neighbours(features, row[None], np.random.default_rng(0))[0])
        assert sorted(map(str, found)) == sorted(map(str, DISCRETE.neighbours(config)))


def test_neighbours_of_a_forbidden_space_and_of_a_list_are_those_of_the_space():
    discrete = Space([h for h in CLAUSES if h.name != "x"], forbidden=CLAUSES.forbidden)
    for space in (discrete, SHAPED["list"]):
        features, rng = Features(space), np.random.default_rng(0)
        for config in space.sample(rng, 15):
            row = features.from_unit(space.to_unit(space.encode(config)))[0]
            found = configs_of(space, neighbours(features, row[None], rng)[0])
            assert sorted(map(str, found)) == sorted(map(str, space.neighbours(config)))


@shaped
def test_every_row_that_a_search_looks_at_is_in_the_space(space):
    features, rng, score = Features(space), np.random.default_rng(0), score_of(Features(space))
    best = features.sample_prior(rng, 1)[0]
    for points in (random_points(features, rng, best, 40), random_points(features, rng, None, 40)):
        assert len(points) >= 28
        assert_settled(space, points)
    assert_settled(space, local_search(features, points[:3], score, rng)[0])
    assert_settled(space, refine(features, best, score, rng)[0])
    assert_settled(space, representers(features, score, rng, best))


@shaped
def test_local_search_ends_where_no_neighbour_is_better(space):
    features, rng = Features(space), np.random.default_rng(1)
    score = score_of(features)
    rows, scores = local_search(features, features.sample_prior(rng, 4), score, rng, max_steps=100)
    last = rows[int(np.argmax(scores))]
    if space.finite:
        assert score(neighbours(features, last[None], rng)[0]).max() <= scores.max()
    np.testing.assert_allclose(score(rows), scores)


def test_a_row_whose_every_neighbour_is_forbidden_is_its_own():
    space = Space([Categorical("c", "ab"), Categorical("d", "xy")], forbidden=_all_but_two())
    features = Features(space)
    row = features.sample_prior(np.random.default_rng(0), 1)[0]
    np.testing.assert_array_equal(neighbours(features, row[None], np.random.default_rng(0))[0], row[None])


def _all_but_two():
    from hpo_core import Forbidden

    return [Forbidden({"c": ["a"], "d": ["y"]}), Forbidden({"c": ["b"], "d": ["x"]})]


def test_a_short_list_is_looked_at_as_a_whole_and_a_long_one_in_part():
    features, rng = Features(listed(MIXED, 60)), np.random.default_rng(0)
    best = features.listed.rows[7]
    assert len(random_points(features, rng, best, 15)) == 60
    some = random_points(features, rng, best, 10)
    assert len(some) == 10
    assert len(np.unique(some[:7], axis=0)) == 7
    np.testing.assert_array_equal(some[7:], features.listed.around(best, 3))


def test_the_best_new_row_of_a_short_list_is_proposed_and_none_twice():
    space = listed(TREE, 30)
    features, history, rng = Features(space), History(Features(space).width), np.random.default_rng(0)
    score = score_of(features)
    order = np.argsort(-score(features.listed.rows), kind="stable")
    for index in order:
        snapshot = history.snapshot(features)
        points = random_points(features, rng, features.listed.rows[0], 500)
        row = maximise(snapshot, score, points, points[:1], rng)
        assert features.listed.index(row) == index
        history.observe(row, 0.0)
    again = maximise(history.snapshot(features), score, points, points[:1], rng)  # all were proposed
    assert features.listed.rows[features.listed.index(again)].tolist() == again.tolist()


def test_random_rows_of_a_list_are_new_at_every_level_as_long_as_there_are_some():
    features = Features(listed(MIXED, 12))
    history, rng = History(features.width, full=2), np.random.default_rng(0)
    seen = []
    for k in range(12):
        row = random_new_row(history.snapshot(features), rng)
        history.observe(row, 0.0, level=k % 3)
        seen.append(features.listed.index(row))
    assert sorted(seen) == list(range(12))
    row = random_new_row(history.snapshot(features), rng)
    assert history.snapshot(features).is_new(row)  # at the full level, where four were asked for


def test_representers_of_a_list_are_drawn_in_proportion_to_the_density():
    features = Features(listed(MIXED, 40))
    log_density = score_of(features)
    counts = np.zeros(40)
    for seed in range(60):
        rows = representers(
            features, lambda r: 20.0 * log_density(r), np.random.default_rng(seed), features.listed.rows[0]
        )
        counts[[features.listed.index(row) for row in rows]] += 1
    order = np.argsort(-log_density(features.listed.rows))
    assert counts[order[0]] == 60
    assert counts[order[-1]] == (60 if order[-1] == 0 else 0)
