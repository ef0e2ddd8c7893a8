"""Search for a Pareto front."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from baselines.bayesian.parts.pareto import crowding, pareto_front, ranks
from hpo_core import Categorical, Float, Space
from hpo_models.features import Features


@given(arrays(float, st.tuples(st.integers(1, 12), st.just(3)), elements=st.integers(0, 3).map(float)))
def test_ranks_count_those_that_dominate(scores):
    expected = [sum(bool((a >= b).all() and (a > b).any()) for a in scores) for b in scores]
    assert ranks(scores).tolist() == expected


def test_crowding_by_hand():
    scores = np.array([[0.0, 4.0], [1.0, 3.0], [3.0, 2.0], [4.0, 0.0]])
    assert crowding(scores).tolist() == [np.inf, 3 / 4 + 2 / 4, 3 / 4 + 3 / 4, np.inf]
    assert crowding(np.ones((2, 2))).tolist() == [np.inf, np.inf]


def test_the_front_of_two_distances_is_the_line_between():
    features = Features(Space([Float("x", 0.0, 1.0), Float("y", 0.0, 1.0), Categorical("c", "ab")]))
    rng, ends = np.random.default_rng(0), np.array([[0.2, 0.2], [0.8, 0.2]])

    def scores(rows):
        distances = ((rows[:, None, :2] - ends) ** 2).sum(axis=2)
        return -distances - rows[:, 3:]  # the value b is worse in both

    points = features.sample_prior(rng, 100)
    front = pareto_front(features, points, scores, rng, 25)
    assert len(front) > 20
    assert np.abs(front[:, 1] - 0.2).mean() < 0.02 < np.abs(points[:, 1] - 0.2).mean()
    assert front[:, 0].min() < 0.3 and front[:, 0].max() > 0.7
    assert (front[:, 2] == 1.0).all()
    assert len(np.unique(front, axis=0)) == len(front)
