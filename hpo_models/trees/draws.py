"""Random numbers of tree growing: counter-based, so that they do not depend on the order in which nodes are split.

column's number in a node   mix(key + (column + 1) GOLDEN)         ascending, they are the order of the columns
key of a child              mix(key - (side + 1) GOLDEN)           side 0 left, 1 right
"""

from __future__ import annotations

import numpy as np

GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def random_key(rng: np.random.Generator) -> np.uint64:
    """Random key of a tree."""
    return rng.integers(2**64, dtype=np.uint64)


def mix(number: np.ndarray) -> np.ndarray:
    """Hashes of uint64 numbers (the finalizer of SplitMix64, Steele et al., 2014)."""
    number = (number ^ (number >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    number = (number ^ (number >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return number ^ (number >> np.uint64(31))
