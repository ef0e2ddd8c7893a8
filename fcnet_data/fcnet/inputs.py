"""Arguments of the training kernel: settings of a run, and data in the kernel's layout."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

LANES = 8


class KernelSettings(NamedTuple):
    """Settings of a run, apart from its data and learning rates. Activations: 0 is relu, 1 is tanh."""

    n_features: int
    n_units_1: int
    n_units_2: int
    n_classes: int  # 0 for regression
    activation_1: int
    activation_2: int
    dropout_1: float
    dropout_2: float
    batch_size: int


class Chunks(NamedTuple):
    """Samples in chunks of 8: `inputs` is [chunk, feature and a last 1, lane], `targets` [chunk, lane], flattened."""

    inputs: np.ndarray
    targets: np.ndarray
    n_samples: int


def chunks(features: np.ndarray, targets: np.ndarray) -> Chunks:
    """Samples in the kernel's layout, in float32; lanes without a sample are 0."""
    n_samples, n_features = features.shape
    n_chunks = -(-n_samples // LANES)
    rows = np.zeros((n_chunks * LANES, n_features + 1), np.float32)
    with np.errstate(over="ignore"):  # numbers that are too large become infinite, and so does the loss
        rows[:n_samples, :n_features] = features
    rows[:, n_features] = 1
    filled = np.zeros(n_chunks * LANES, np.float32)
    filled[:n_samples] = targets
    lanes_last = rows.reshape(n_chunks, LANES, n_features + 1).transpose(0, 2, 1)
    return Chunks(np.ascontiguousarray(lanes_last).ravel(), filled, n_samples)


def seed_key(seed: int) -> np.uint64:
    """64-bit key of a run, by numpy's SeedSequence: neighbouring seeds give unrelated keys."""
    return np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]
