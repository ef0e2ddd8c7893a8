"""`sobol` and `lhs`: how evenly they cover a space."""

import math

import numpy as np
import pytest
from scipy.stats import qmc

from baselines import optimizer
from hpo_core import Categorical, Float, Forbidden, Int, Space

CUBE = Space([Float(f"x{i}", 0.0, 1.0) for i in range(3)])


def points(name, n, seed=0, space=CUBE, **options):
    o = optimizer(name, space, seed=seed, **options)
    return np.array([list(o.ask().config.values()) for _ in range(n)])


@pytest.mark.parametrize("seed", range(5))
def test_sobol_is_more_even_than_random_numbers(seed):
    for n in (64, 128, 200):  # the end of a block, of the next one, and within one
        ours, random = (qmc.discrepancy(points(name, n, seed)) for name in ("sobol", "rs"))
        assert ours < 0.3 * random


def test_sobol_has_one_point_in_every_dyadic_slice():
    found = points("sobol", 256, seed=1)
    assert len(np.unique(found, axis=0)) == 256
    for start in (0, 64, 128, 192):
        for column in found[start : start + 64].T:
            assert sorted((64 * column).astype(int)) == list(range(64))


@pytest.mark.parametrize("block", [7, 30])
def test_every_block_of_lhs_has_one_point_in_every_slice(block):
    found = points("lhs", 3 * block, block=block)
    for start in range(0, 3 * block, block):
        for column in found[start : start + block].T:
            assert sorted((block * column).astype(int)) == list(range(block))


def test_a_block_of_lhs_is_ten_times_the_number_of_hyperparameters():
    for column in points("lhs", 30).T:
        assert sorted((30 * column).astype(int)) == list(range(30))


@pytest.mark.parametrize("name", ["sobol", "lhs"])
def test_categoricals_follow_their_weights_and_nothing_forbidden_is_proposed(name):
    space = Space(
        [Categorical("c", "xyz", weights=[6, 1, 1]), Int("i", 0, 3)], forbidden=[Forbidden({"c": ["x"], "i": [0]})]
    )
    o = optimizer(name, space, seed=0)
    configs = [o.ask().config for _ in range(256)]
    shares = [sum(config["c"] == value for config in configs) / 256 for value in "xyz"]
    assert shares == pytest.approx([18 / 26, 4 / 26, 4 / 26], abs=0.02)  # a quarter of x is forbidden
    assert not any(config["c"] == "x" and config["i"] == 0 for config in configs)


def test_an_integral_is_more_accurate_than_by_random_points():
    def errors(name):
        means = [np.prod(1.5 * np.sqrt(points(name, 128, seed)), axis=1).mean() for seed in range(20)]
        return math.sqrt(np.mean((np.array(means) - 1.0) ** 2))

    assert errors("sobol") < 0.3 * errors("rs") and errors("lhs") < 0.6 * errors("rs")
