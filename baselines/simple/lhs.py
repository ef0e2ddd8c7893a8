"""Latin hypercube search (McKay et al., 1979) [lhs].

A Latin hypercube has as many points as slices of each hyperparameter's range, one point in each slice. It needs to know
how many points there will be, and a run may end at any time: so blocks of `block` points follow each other, each a
hypercube of its own in random order. After a whole number of blocks every hyperparameter has been covered evenly. A
part of a block has at most one point in a slice, which is still more even than random search; blocks that are longer
than the run give up most of the advantage, shorter ones are coarser.

How points become configurations: `baselines.simple.parts.point_search`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from baselines.parts.latin_hypercube import latin_hypercube
from baselines.parts.requirements import count
from baselines.simple.parts.point_search import PointSearch
from hpo_core.space import Space


def lhs(space: Space, *, budgets: Sequence[float] = (1,), seed: int = 0, block: int | None = None) -> PointSearch:
    """Latin hypercube search on any space.

    Parameters
    ----------
    space, budgets, seed
        As in `baselines.optimizer`; every proposal is at the full budget.
    block
        Number of points of a hypercube, best the length of the run; None for ten times the number of hyperparameters.

    Returns
    -------
    PointSearch
        With `ask` and `tell`.

    Examples
    --------
    >>> from baselines import optimizer
    >>> from hpo_core import Float, Space
    >>> o = optimizer("lhs", Space([Float("x", 0.0, 1.0), Float("y", 0.0, 1.0)]), seed=0, block=5)
    >>> sorted(int(5 * o.ask().config["y"]) for _ in range(5))
    [0, 1, 2, 3, 4]
    """
    n = 10 * len(space) if block is None else count("block", block)
    return PointSearch(space, _blocks(n, len(space), np.random.default_rng(seed)), "lhs")


def _blocks(n: int, d: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Hypercubes (n, d), without end."""
    while True:
        yield latin_hypercube(n, d, rng)
