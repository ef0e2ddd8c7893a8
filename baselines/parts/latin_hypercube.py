"""Latin hypercubes (McKay et al., 1979): n points, one in each of n slices of the unit interval, in every dimension."""

from __future__ import annotations

import numpy as np


def latin_hypercube(n: int, n_dimensions: int, rng: np.random.Generator) -> np.ndarray:
    """(n, n_dimensions) points of the unit cube in random order, each uniform in its cell."""
    slices = rng.permuted(np.tile(np.arange(n)[:, None], n_dimensions), axis=0)
    return (slices + rng.random(slices.shape)) / n
