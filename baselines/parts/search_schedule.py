"""When the hyperparameters of a Gaussian process are searched for again: when its observations have grown by a share.

A search takes dozens of factorisations of an (n, n) matrix, and one observation among many hardly changes its result.
"""

from __future__ import annotations

import math

GROWTH = 0.05  # at every number of observations up to 21, at every second one up to 41, ...


def next_search(n: int, growth: float = GROWTH) -> int:
    """Number of observations from which on hyperparameters found for n are searched for again."""
    return max(n + 1, math.ceil((1.0 + growth) * n))


def last_search(n: int, growth: float = GROWTH) -> int:
    """Highest number up to n at which hyperparameters are searched for, by one who counts from the first observation.

    n itself if `growth` is 0.
    """
    last = n if growth == 0.0 else 1
    while (after := next_search(last, growth)) <= n:
        last = after
    return last
