"""Rows of features as inputs of a network: centred, and of unit variance where a row is uniform in the unit cube."""

from __future__ import annotations

import numpy as np


def network_inputs(rows: np.ndarray) -> np.ndarray:
    """(n, width) float32; the two values of a categorical's column come to lie at the ends, like those of a number."""
    return ((rows - 0.5) * 12.0**0.5).astype(np.float32)
