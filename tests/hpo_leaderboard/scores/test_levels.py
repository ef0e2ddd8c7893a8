"""A/A comparisons: tests find differences between equal optimizers as rarely as they say.

A small form of scripts/check_scores.py, with fixed seeds. A test at the level 5 % passes unless it makes so many errors
that their probability is below 1 in 1,000.
"""

import numpy as np
import pytest

from scripts.check_scores import CHECKS, OF_PAIRS, drawn_pairs, holds, random_search_pool, simulated

pytestmark = pytest.mark.slow
N_TASKS, N_SEEDS, N_TRIALS, REPETITIONS = 20, 30, 20, 100


@pytest.mark.parametrize("name", [*OF_PAIRS, "Mann-Whitney on one benchmark, Holm", "interval of a mean rank"])
def test_equal_optimizers_are_rarely_found_to_differ(name):
    rng = np.random.default_rng(0)
    n_errors = sum(CHECKS[name](simulated(10, 3, 6, rng)) for _ in range(60))
    assert holds(n_errors, 60)


def test_random_search_does_not_differ_from_itself_unless_all_benchmarks_share_a_seed():
    """If suites gave every benchmark the same seed, the first count would be like the second."""
    errors = {}
    for own_seeds in (True, False):
        pool = random_search_pool(N_TASKS, N_SEEDS, N_TRIALS, own_seeds)
        wilcoxon = CHECKS["Wilcoxon over benchmarks, Holm"]
        errors[own_seeds] = sum(map(wilcoxon, drawn_pairs(pool, np.random.default_rng(0), REPETITIONS)))
    assert holds(errors[True], REPETITIONS)
    assert not holds(errors[False], REPETITIONS)
