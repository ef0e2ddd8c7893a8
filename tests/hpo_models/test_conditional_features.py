"""Features of spaces with conditions, forbidden clauses and lists."""

import math

import numpy as np
import pytest
from conditional_spaces import CLAUSES, TREE, conditional_spaces, listed
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare, kstest

from baselines.parts.sampling import unit_decoder
from hpo_core import Categorical, Float, Forbidden, Int, Ordinal, Space
from hpo_core.errors import InvalidSpace
from hpo_models.features import Features

BOX = Space([Float("f", 0.0, 1.0), Int("i", 1, 20), Ordinal("o", [1, 2, 4]), Categorical("c", ["x", "y", "z"])])
SEEDS = st.integers(0, 2**31)


def rows_of(space, configs):
    return Features(space).from_unit(space.to_unit(space.encode(configs)))


def raw_rows(space, n, seed):
    """Rows of the box, with something in every column."""
    return Features(Space(space.hyperparameters)).sample_prior(np.random.default_rng(seed), n)


def test_a_configuration_by_hand():
    rows = rows_of(TREE, [{"root": "a", "x": 0.75}, {"root": "b", "x": 0.5, "n": 3, "leaf": "r", "deep": 1.0}])
    a, middle = [0.75, 0.625, 0.5, 0.5, 1, 0, 0, 0, 1, 0], 0.5  # n has 3 as its default, twig 2, leaf q
    np.testing.assert_allclose(rows, [a, [0.5, 0.625, middle, 1.0, 0, 1, 0, 0, 0, 1]], atol=1e-12)


@pytest.mark.slow
@given(conditional_spaces(), SEEDS)
def test_equal_configurations_have_equal_rows(space, seed):
    features, decode = Features(space), unit_decoder(space)
    rows = features.settle(raw_rows(space, 6, seed))
    assert not np.isnan(rows).any()
    configs = [decode(features.to_unit(row)) for row in rows]
    np.testing.assert_allclose(rows_of(space, configs), rows, atol=1e-6)  # few digits in a narrow range
    overwritten = np.where(features.present(rows), rows, raw_rows(space, 6, seed + 1))
    np.testing.assert_array_equal(features.settle(overwritten), rows)
    np.testing.assert_array_equal(features.present(overwritten), features.present(rows))


@given(conditional_spaces(), SEEDS)
def test_settling_twice_is_settling_once(space, seed):
    features = Features(space)
    rows = features.settle(raw_rows(space, 6, seed))
    np.testing.assert_array_equal(features.settle(rows), rows)
    drawn = features.sample_prior(np.random.default_rng(seed), 6)
    np.testing.assert_array_equal(features.settle(drawn), drawn)


@given(conditional_spaces(), SEEDS)
def test_what_is_present_is_what_the_space_says(space, seed):
    features, configs = Features(space), space.sample(np.random.default_rng(seed), 6)
    present = features.present(rows_of(space, configs))
    active = space.active(space.encode(configs))
    columns = [j for j, h in enumerate(space) if h.size > 1 or h.kind in ("int", "ordinal")]
    order = sorted(columns, key=lambda j: space.hyperparameters[j].kind == "categorical")
    np.testing.assert_array_equal(present[:, features.first_columns], active[:, order])
    np.testing.assert_array_equal(features.optional[features.first_columns], [_has_parent(space, j) for j in order])


def _has_parent(space, j):
    return any(condition.child == space.names[j] for condition in space.conditions)


def test_a_space_of_all_combinations_is_left_as_it_is():
    features = Features(BOX)
    rows = features.sample_prior(np.random.default_rng(0), 5)
    assert features.settle(rows) is rows
    assert features.candidates(rows) is rows
    assert features.present(rows).all()
    assert features.allowed(rows).all()


def test_random_rows_are_those_of_random_configurations():
    features = Features(TREE)
    rows = features.sample_prior(np.random.default_rng(0), 6000)
    present = features.present(rows)
    root, n, leaf = rows[:, 4:7].sum(axis=0), rows[present[:, 1], 1], rows[present[:, 7]][:, 7:]
    assert chisquare(root).pvalue > 0.001
    assert chisquare(np.unique(n, return_counts=True)[1]).pvalue > 0.001
    assert chisquare(leaf.sum(axis=0), len(leaf) * np.array([0.5, 0.25, 0.25])).pvalue > 0.001
    assert kstest(rows[present[:, 3], 3], "uniform").pvalue > 0.001
    assert present[:, 3].mean() == pytest.approx(1 / 6, abs=0.02)  # root b, n 3 or 4; four standard deviations
    assert (rows[~present[:, 0], 0] == 0.25).all()


def test_random_rows_are_not_forbidden_and_as_many_as_asked_for():
    features, decode = Features(CLAUSES), unit_decoder(CLAUSES)
    rows = features.sample_prior(np.random.default_rng(0), 3000)
    assert len(rows) == 3000
    assert len(features.sample_prior(np.random.default_rng(0), 1)) == 1
    configs = [decode(features.to_unit(row)) for row in rows]
    assert all(CLAUSES.check(config) == config for config in configs)
    pairs = np.unique([9 * config["high"] + config["low"] for config in configs], return_counts=True)[1]
    assert len(pairs) == 45
    assert chisquare(pairs).pvalue > 0.001


def test_candidates_are_those_that_are_allowed():
    features, decode = Features(CLAUSES), unit_decoder(CLAUSES)
    rows = raw_rows(CLAUSES, 200, 0)
    kept = features.candidates(rows)
    configs = [decode(features.to_unit(row)) for row in features.settle(rows)]
    expected = [not any(clause.forbids(config) for clause in CLAUSES.forbidden) for config in configs]
    np.testing.assert_array_equal(features.allowed(rows), expected)
    np.testing.assert_array_equal(kept, features.settle(rows)[expected])


def test_clauses_that_forbid_nearly_everything_are_an_error_and_not_a_hang():
    everything = [Forbidden({"o": [1, 2]}), Forbidden({"o": [4], "c": ["x", "y", "z"]})]
    with pytest.raises(InvalidSpace, match="must leave something"):
        Features(Space(BOX.hyperparameters, forbidden=everything)).sample_prior(np.random.default_rng(0), 3)


@pytest.mark.parametrize("space", [listed(BOX, 40), listed(TREE, 40)], ids=["box", "tree"])
def test_rows_of_a_list_are_all_there_is(space):
    features, decode, rng = Features(space), unit_decoder(space), np.random.default_rng(1)
    assert [decode(features.to_unit(row)) for row in features.listed.rows] == list(space.configs())
    np.testing.assert_array_equal(features.settle(features.listed.rows), features.listed.rows)
    drawn = features.sample_prior(rng, 4000)
    indices = [features.listed.index(row) for row in drawn]
    assert chisquare(np.bincount(indices, minlength=40)).pvalue > 0.001
    raw = raw_rows(space, 50, 2)
    settled = features.settle(raw)
    np.testing.assert_array_equal(features.settle(settled), settled)
    box = Space(space.hyperparameters, space.conditions)
    points = [unit_decoder(box)(Features(box).to_unit(row)) for row in raw]
    assert [decode(features.to_unit(row)) for row in settled] == [space.nearest(config) for config in points]


def test_around_a_row_are_the_nearest_others():
    features = Features(listed(BOX, 60))
    rows, k = features.listed.rows, 9
    for index in (0, 17, 59):
        numeric = ((rows[:, :3] - rows[index, :3]) ** 2).sum(axis=1)
        distances = numeric + (rows[:, 3:] != rows[index, 3:]).any(axis=1)
        expected = [i for i in np.argsort(distances, kind="stable") if i != index]
        found = features.listed.around(rows[index], k)
        assert [features.listed.index(row) for row in found] == expected[:k]
        assert len(features.listed.around(rows[index], 1000)) == 59
    assert len(Features(listed(BOX, 1)).listed.around(rows[0], 3)) == 0


def test_an_int_on_a_log_scale_can_be_a_parent():
    space = Space([Int("n", 1, 100, log=True), Float("x", 0.0, 1.0)], [("x", "n", (7, 8))])
    features = Features(space)
    positions = [math.log(n / 0.5) / math.log(100.5 / 0.5) for n in (6, 7, 8, 9)]
    assert features.present(np.column_stack([positions, np.zeros(4)]))[:, 1].tolist() == [False, True, True, False]
