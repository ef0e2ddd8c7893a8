"""Losses as a model sees them: the order stays, but one loss of 1e7 among losses of 1e-5 no longer hides the rest."""

from __future__ import annotations

import numpy as np

LARGEST = 1e100  # losses beyond it count as it: differences of larger numbers overflow


def log_distances(losses: np.ndarray) -> np.ndarray:
    """(n,) values log(loss - lowest + margin), standardised; zeros if all losses are equal.

    The margin is a tenth of the distance from the lowest to the median loss.
    """
    losses = np.clip(losses, -LARGEST, LARGEST)
    lowest = losses.min()
    margin = 0.1 * (np.median(losses) - lowest) or 0.1 * (losses.max() - lowest)
    if margin == 0:
        return np.zeros_like(losses)
    return _standardised(np.log(losses - lowest + margin))


def tempered(losses: np.ndarray) -> np.ndarray:
    """(n,) values log(1 + distance to the lowest loss), standardised; zeros if all losses are equal.

    The unit of the distance is that of the median loss: linear up to there, logarithmic beyond.
    """
    losses = np.clip(losses, -LARGEST, LARGEST)
    lowest = losses.min()
    scale = (np.median(losses) - lowest) or (losses.max() - lowest)
    if scale == 0:
        return np.zeros_like(losses)
    return _standardised(np.log1p((losses - lowest) / scale))


def _standardised(values: np.ndarray) -> np.ndarray:
    return (values - values.mean()) / values.std()
