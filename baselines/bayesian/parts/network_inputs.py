"""Rows of features as inputs of a network: centred, and of unit variance where a row is uniform in the unit cube.

A network with a weight for each of a thousand columns, most of them of one categorical, takes seconds for a proposal.
So more than 256 columns are mixed to 256 by fixed random weights, which keep the mean square of an input and, on
average, the ratios of distances between rows (Johnson and Lindenstrauss, 1984).
"""

from __future__ import annotations

from functools import cache

import numpy as np

WIDEST = 256


def network_inputs(rows: np.ndarray) -> np.ndarray:
    """(n, min(width, 256)) float32 inputs for rows (n, width).

    The two values of a categorical's column come to lie at the ends, like those of a number.
    """
    inputs = ((rows - 0.5) * 12.0**0.5).astype(np.float32)
    return inputs if inputs.shape[1] <= WIDEST else inputs @ _mixing(inputs.shape[1])


@cache
def _mixing(width: int) -> np.ndarray:
    """(width, 256) weights of the columns, a function of the width alone."""
    weights = np.random.default_rng(width).standard_normal((width, WIDEST), dtype=np.float32)
    return weights / np.float32(width**0.5)
