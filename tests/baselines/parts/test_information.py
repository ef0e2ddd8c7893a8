"""Representers, and how much candidates say about where the minimum is."""

import numpy as np
import pytest

from baselines.parts.information import Information
from baselines.parts.representers import representers
from hpo_core import Categorical, Float, Ordinal, Space
from hpo_models.features import Features
from hpo_models.gp.product import Points, condition
from hpo_models.gp.product_posterior import Parts


def test_representers_are_a_sample_of_the_improvement():
    space = Space([Float("x", 0, 1), Categorical("c", ["a", "b"])])
    features = Features(space)

    def log_density(rows):  # a normal around 0.3 for "a", four times as much as the one around 0.8 for "b"
        first = rows[:, 1] == 1.0
        return np.where(
            first,
            np.log(4.0) - 0.5 * ((rows[:, 0] - 0.3) / 0.05) ** 2,
            -0.5 * ((rows[:, 0] - 0.8) / 0.05) ** 2,
        )

    best = np.array([0.3, 1.0, 0.0])
    rows = np.concatenate([representers(features, log_density, np.random.default_rng(s), best)[1:] for s in range(20)])
    at_a = rows[:, 1] == 1.0
    assert 0.75 < at_a.mean() < 0.97  # between modes that are far apart the chains begin, and stay, nearer to the best
    assert rows[at_a, 0].mean() == pytest.approx(0.3, abs=0.01) and rows[at_a, 0].std() == pytest.approx(0.05, abs=0.01)
    assert rows[~at_a, 0].mean() == pytest.approx(0.8, abs=0.02)


def test_representers_of_a_small_space_are_different():
    features = Features(Space([Ordinal("o", [1, 2, 3])]))
    rows = representers(features, lambda some: np.zeros(len(some)), np.random.default_rng(0), np.array([1 / 6]))
    assert sorted(rows[:, 0]) == pytest.approx([1 / 6, 1 / 2, 5 / 6])
    impossible = representers(features, lambda some: np.full(len(some), -np.inf), np.random.default_rng(0), rows[0])
    assert len(impossible) == len(np.unique(impossible))


def test_information_is_where_the_minimum_may_be():
    x = np.array([[0.05], [0.35], [0.65], [0.95]])
    parts = Parts(np.array([0.12]), np.ones((1, 1)), 1e-6)
    process = condition(Points(x, np.ones((4, 1))), np.array([0.0, 1.0, 1.0, 0.0]), parts, np.zeros(1, dtype=int))

    def target(rows):
        return Points(rows, np.ones((len(rows), 1)))

    features = Features(Space([Float("x", 0, 1)]))
    information = Information(features, process, target, x[0], 0.0, np.random.default_rng(0))
    gains = information.gains(target(np.array([[0.05], [0.5], [0.2], [0.8]])))
    assert gains[0] < 0.05  # observed already, and nearly without noise
    assert (
        gains[0] < gains[1] < gains[2:].min() and gains[2:].min() > 0.2
    )  # the gaps, of which the middle one lies higher
