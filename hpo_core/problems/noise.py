"""Random numbers that belong to one evaluation."""

from __future__ import annotations

import hashlib

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
