"""Quasi-random search: a scrambled Sobol sequence (Sobol', 1967; Owen, 1998) [sobol].

The first 2^k points fill the unit cube more evenly than random ones, for every k, so a run may end at any time; it is
most even at powers of two. The seed scrambles the sequence: every point is uniform by itself, as in random search.
How points become configurations: `baselines.simple.parts.point_search`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from baselines.simple.parts.point_search import PointSearch
from hpo_core.space import Space
from hpo_core.space.sobol import sobol

FIRST = 64  # points that are made at once; then as many as there were


def sobol_search(space: Space, *, budgets: Sequence[float] = (1,), seed: int = 0) -> PointSearch:
    """Quasi-random search on any space.

    Parameters
    ----------
    space, budgets, seed
        As in `baselines.optimizer`; every proposal is at the full budget.

    Returns
    -------
    PointSearch
        With `ask` and `tell`.

    Examples
    --------
    >>> from baselines import optimizer
    >>> from hpo_core import Float, Space
    >>> o = optimizer("sobol", Space([Float("x", 0.0, 1.0)]), seed=0)
    >>> sorted(int(8 * o.ask().config["x"]) for _ in range(8))
    [0, 1, 2, 3, 4, 5, 6, 7]
    """
    return PointSearch(space, _blocks(len(space), seed), "sobol")


def _blocks(d: int, seed: int) -> Iterator[np.ndarray]:
    """Points (n, d) 0, 1 ... of the sequence, in blocks."""
    start, end = 0, FIRST
    while True:
        yield sobol(d, end, seed)[start:]
        start, end = end, 2 * end
