"""Seeds of the trials of a run."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

TRIALS = 2**32 - 1  # a key that SeedSequence.spawn, which counts from 0, does not reach
BLOCK = 256  # drawing them one by one would cost more than the loop's other work


def trial_seeds(seed: int) -> Iterator[int]:
    """Seeds in 0 .. 2^31 - 1, without end: the k-th belongs to the trial of step k.

    They are the stream of `SeedSequence(seed, spawn_key=(TRIALS,))`, so step k of a run has the same seed whichever
    optimizer runs, and an optimizer that was built with the run's own seed shares no random numbers with its trials.
    """
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(TRIALS,)))
    while True:
        yield from rng.integers(2**31, size=BLOCK).tolist()
