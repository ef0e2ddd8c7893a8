"""The trust region of `turbo`."""

import math

import numpy as np
import pytest

from baselines.bayesian.parts.trust_region import TrustRegion, after, candidates, patience, sides
from hpo_core import Categorical, Float, Int, Ordinal, Space
from hpo_models.features import Features

MIXED = Space(
    [Float("x", 0.0, 1.0), Float("y", 0.0, 1.0), Int("n", 1, 20), Ordinal("o", [1, 2, 3]), Categorical("c", "abcd")]
)


BEGUN = TrustRegion(best=10.0)


def told(losses, region=BEGUN, most_failures=4):
    for loss in losses:
        region = after(region, loss, most_failures)
    return region


def test_three_successes_double_the_length_up_to_its_limit():
    assert told([9.0, 8.0]) == TrustRegion(0.8, 8.0, 2, 0)
    assert told([9.0, 8.0, 7.0]) == TrustRegion(1.6, 7.0, 0, 0)
    assert told([9.0, 8.0, 7.0, 6.0, 5.0, 4.0]) == TrustRegion(1.6, 4.0, 0, 0)


def test_failures_in_a_row_halve_the_length():
    assert told([11.0, math.inf, 10.0]) == TrustRegion(0.8, 10.0, 0, 3)
    assert told([11.0, math.inf, 10.0, 9.995]) == TrustRegion(0.4, 9.995, 0, 0)  # less than a thousandth better
    assert told([11.0, 11.0, 11.0, 9.0, 11.0, 11.0]) == TrustRegion(0.8, 9.0, 0, 2)
    assert not told([11.0] * 4 * 6).over
    assert told([11.0] * 4 * 7).over  # 0.8 / 2^7 is below 1/128


def test_successes_of_negative_losses_and_after_nothing_but_failures():
    assert told([-5.0, -5.004, -5.01], TrustRegion(best=-4.0)).n_successes == 1  # -5.01 is better than -5.004 by 0.1 %
    assert told([1e300], TrustRegion()).n_successes == 1


@pytest.mark.parametrize(("d", "q", "expected"), [(2, 1, 4), (9, 1, 9), (9, 4, 3), (2, 3, 2), (20, 7, 3)])
def test_patience(d, q, expected):
    assert patience(d, q) == math.ceil(max(4 / q, d / q)) == expected


def test_sides_follow_the_lengthscales_and_keep_the_volume():
    found = sides(np.array([0.1, 0.4, 0.2]), 0.8)
    assert found / found[0] == pytest.approx([1.0, 4.0, 2.0])
    assert found.prod() == pytest.approx(0.8**3)


def test_candidates_lie_in_the_region_and_fill_it():
    space = Space([Float("x", 0.0, 1.0), Float("y", 0.0, 1.0)])
    centre, lengthscales = np.array([0.5, 0.9]), np.array([0.2, 0.8])
    rows = candidates(Features(space), centre, lengthscales, 0.4, np.random.default_rng(0))
    assert len(rows) == 200
    assert rows.min(axis=0) == pytest.approx([0.5 - 0.1, 0.9 - 0.4], abs=0.01)  # sides 0.2 and 0.8
    assert rows.max(axis=0) == pytest.approx([0.5 + 0.1, 1.0], abs=0.01)
    counts, _, _ = np.histogram2d(*rows.T, bins=4)
    assert counts.min() >= 8 and counts.max() <= 17  # even, 12.5 on average


def test_other_hyperparameters_reach_their_next_values_in_the_smallest_region():
    features, rng = Features(MIXED), np.random.default_rng(0)
    centre = features.join(features.snap(np.array([[0.5, 0.5, 0.5, 0.5]])), np.array([[2]]))[0]
    rows = candidates(features, centre, np.ones(5), 0.01, rng)
    steps = np.abs(rows - centre) / np.append(features.cells, np.ones(4))[: rows.shape[1]].clip(1e-9)
    assert set(steps[:, 2].round(6)) == set(steps[:, 3].round(6)) == {0.0, 1.0}
    changed = (features.codes(rows) != 2).mean()
    assert changed < 0.03  # a hundredth of the candidates draws a value, three quarters of these another one
    wide = candidates(features, centre, np.ones(5), 1.6, rng)
    assert (features.codes(wide) != 2).mean() == pytest.approx(0.75, abs=0.1)


def test_of_many_dimensions_twenty_differ():
    space = Space([Float(f"x{i}", 0.0, 1.0) for i in range(40)])
    centre = np.full(40, 0.5)
    rows = candidates(Features(space), centre, np.ones(40), 0.8, np.random.default_rng(0))
    differ = (rows != centre).sum(axis=1)
    assert len(rows) == 4000 and differ.mean() == pytest.approx(20, abs=0.3) and differ.min() > 0
