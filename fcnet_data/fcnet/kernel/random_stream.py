"""Random numbers inside the training kernel: counter-based, so that each is a function of a key and a position only.

    key     = stream(seed_key, purpose, step)          64 bits, one per use (initial weights of a layer, epoch, batch)
    number  = mix64(key + position * GOLDEN)           SplitMix64, for weights and shuffles
    number  = mix32(...)                               a 32-bit hash, for dropout: its loop becomes vector code

Nothing is carried from one draw to the next, so neither threads nor other runs in the process can change a number.
"""

from __future__ import annotations

import numpy as np

from fcnet_data.fcnet.kernel.compiling import part

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
INITIAL_WEIGHTS, SHUFFLE, DROPOUT = 1, 2, 3


@part
def mix64(number: np.uint64) -> np.uint64:
    """Hash of a uint64 (the finalizer of SplitMix64, Steele et al., 2014)."""
    number = (number ^ (number >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    number = (number ^ (number >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return number ^ (number >> np.uint64(31))


@part
def mix32(number: np.uint32) -> np.uint32:
    """Hash of a uint32: two multiplications, constants from C. Wellons' search for low bias ("lowbias32")."""
    number = np.uint32(np.uint32(number ^ (number >> np.uint32(16))) * np.uint32(0x7FEB352D))
    number = np.uint32(np.uint32(number ^ (number >> np.uint32(15))) * np.uint32(0x846CA68B))
    return np.uint32(number ^ (number >> np.uint32(16)))


@part
def stream(key: np.uint64, purpose: int, step: int) -> np.uint64:
    """64-bit key of one use of random numbers."""
    return mix64(mix64(key + np.uint64(purpose) * GOLDEN) + np.uint64(step) * GOLDEN)


@part
def uniform(key: np.uint64, position: int) -> float:
    """Number in [0, 1) with 53 random bits."""
    return (mix64(key + np.uint64(position) * GOLDEN) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@part
def shuffle(order: np.ndarray, key: np.uint64) -> None:
    """Permute `order` in place (Fisher-Yates).

    The position below n comes from 32 random bits times n; its bias is below n / 2**32.
    """
    for last in range(order.size - 1, 0, -1):
        bits = mix64(key + np.uint64(last) * GOLDEN) >> np.uint64(32)
        other = np.int64((bits * np.uint64(last + 1)) >> np.uint64(32))
        order[last], order[other] = order[other], order[last]
