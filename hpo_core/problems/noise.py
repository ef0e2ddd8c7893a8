"""Random numbers that belong to one evaluation."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from hpo_core.space import Config, Space


def generator(space: Space, config: Config, budget: float, seed: int) -> np.random.Generator:
    """Generator fixed by configuration, budget and seed, so that noise is a pure function of an evaluation.

    Parameters
    ----------
    space
        Of the configuration; equal configurations have equal codes, in whatever order and number types.
    config
        A configuration of the space.
    budget
        At which it is evaluated.
    seed
        Of the evaluation, an int >= 0.
    """
    text = space.encode(config).tobytes() + np.float64(budget).tobytes()
    digest = np.frombuffer(hashlib.blake2b(text, digest_size=16).digest(), dtype="<u4")
    return np.random.default_rng([seed, *digest.tolist()])


def standard_normal(codes: Sequence[float], budget: float, seed: int) -> float:
    """A standard normal number fixed by codes, budget and seed: one draw, without the cost of making a generator.

    Parameters
    ----------
    codes
        Of the configuration, as `Space.codes_of` gives them; NaN where a hyperparameter is inactive.
    budget
        At which it is evaluated.
    seed
        Of the evaluation, an int >= 0.
    """
    numbers = [code + 0.0 for code in codes]  # -0.0 and 0.0 are one value
    text = struct.pack(f"<{len(numbers) + 1}d", *numbers, budget) + seed.to_bytes(
        (seed.bit_length() + 7) // 8, "little"
    )
    (number,) = struct.unpack("<Q", hashlib.blake2b(text, digest_size=8).digest())
    return _normal_quantile()((number >> 11) * 2.0**-53 + 2.0**-54)  # in the middle of one of 2^53 cells of (0, 1)


@cache
def _normal_quantile() -> Callable[[float], float]:
    from statistics import NormalDist  # takes 10 ms to import, and most evaluations have no use for it

    return NormalDist().inv_cdf
