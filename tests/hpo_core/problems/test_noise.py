"""Normal numbers that belong to one evaluation."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kstest

from hpo_core.problems.noise import standard_normal


def test_they_are_normal_and_independent_over_seeds_configurations_and_budgets():
    by_seed = np.array([standard_normal([0.5, 1], 9, seed) for seed in range(4000)])
    by_config = np.array([standard_normal([i / 4000, 1], 9, 0) for i in range(4000)])
    by_budget = np.array([standard_normal([0.5, 1], budget, 0) for budget in range(1, 4001)])
    for numbers in (by_seed, by_config, by_budget):
        assert kstest(numbers, "norm").pvalue > 0.001
    assert np.abs(np.corrcoef([by_seed, by_config, by_budget]) - np.eye(3)).max() < 0.06


def test_one_is_pinned():
    assert standard_normal([0.5, 2.0], 9, 7) == standard_normal([0.5, 2], 9.0, 7)
    assert standard_normal([-0.0, math.nan], 1, 2**80) == standard_normal([0.0, math.nan], 1, 2**80)
    assert round(standard_normal([0.5, 2.0], 9, 7), 12) == 0.587954879584  # by hashlib.blake2b and scipy.special.ndtri


@given(st.lists(st.floats(), max_size=5), st.floats(0, 100), st.integers(0, 2**70))
def test_they_are_finite_functions_of_their_arguments(codes, budget, seed):
    number = standard_normal(codes, budget, seed)
    assert math.isfinite(number) and number == standard_normal(list(codes), budget, seed)
