"""Sobol points, for samples of configurations that cover a space evenly."""

from __future__ import annotations

import numpy as np


def sobol(n_dimensions: int, n: int, seed: int) -> np.ndarray:
    """(n, n_dimensions) first points of a scrambled Sobol sequence in the unit cube."""
    from scipy.stats import qmc

    power = max(int(n - 1).bit_length(), 0)
    return qmc.Sobol(n_dimensions, seed=np.random.default_rng(seed)).random_base2(power)[:n]
