"""How large a study is for a number of trials: which samples, how many restarts and epochs."""

from __future__ import annotations

from typing import NamedTuple

SIZES = tuple(2**k for k in range(9, 15))
SHARES = (0.1, 0.3, 0.5)  # mu / n
RESTARTS, EPOCHS = 5, 40
SECONDS_PER_TRIAL = 420.0  # of CPU time, all sizes and shares


class Scale(NamedTuple):
    """Sizes n, held-out shares, trials, restarts and epochs."""

    sizes: tuple[int, ...]
    shares: tuple[float, ...]
    trials: int
    restarts: int
    epochs: int


def scale_of(runs: int) -> Scale:
    """The paper's sizes for three trials or more; n up to 2^12 for two; for one a small study that tests the code."""
    if runs == 1:
        return Scale(SIZES[:2], SHARES[1:2], 1, 1, 4)
    return Scale(SIZES if runs > 2 else SIZES[:4], SHARES, runs, RESTARTS, EPOCHS)


def training_seconds(runs: int) -> float:
    """CPU seconds of all trainings of a study."""
    if runs == 1:
        return 2.0
    return runs * SECONDS_PER_TRIAL * sum(scale_of(runs).sizes) / sum(SIZES)


def held_out_rows(n: int, share: float) -> int:
    """mu, the number of held-out points."""
    return round(share * n)
