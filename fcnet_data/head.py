"""Losses on top of the output layer: squared error and softmax cross-entropy, with their deltas.

`outputs` is [chunk, output unit, lane]; `targets` [chunk, lane] holds the target, or the class as a number. Both
functions return two sums over the samples: the loss, and the number of wrong classes (0 for squared error).
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

_ZERO = np.float32(0.0)


@njit(nogil=True)
def squared_error(outputs, targets, target_start, n_samples, n_units, write_deltas):
    """Sums over `n_samples` samples; if `write_deltas`, `outputs` becomes the derivative of the mean squared error."""
    total = 0.0
    scale = np.float32(2.0 / n_samples)
    for chunk in range((n_samples + 7) // 8):
        first = chunk * (n_units + 1) * 8
        for lane in range(8):
            present = chunk * 8 + lane < n_samples
            error = outputs[first + lane] - targets[target_start + chunk * 8 + lane] if present else _ZERO
            total += np.float64(error) * np.float64(error)
            if write_deltas:
                outputs[first + lane] = scale * error
        if write_deltas:
            outputs[first + 8 : first + n_units * 8] = _ZERO
    return total, 0


@njit(nogil=True)
def cross_entropy(outputs, targets, target_start, n_samples, n_units, n_classes, write_deltas):
    """Sums over `n_samples` samples; if `write_deltas`, `outputs` becomes the derivative of the mean cross-entropy.

    A sample counts as wrong if any other class has an output at least as large, or if an output is not a number.
    """
    total, wrong = 0.0, 0
    for sample in range(n_samples):
        first = (sample // 8) * (n_units + 1) * 8 + sample % 8
        label = np.int64(targets[target_start + sample])
        own = outputs[first + label * 8]
        top, ahead = own, 0
        for c in range(n_classes):
            top = max(top, outputs[first + c * 8])
            ahead += not outputs[first + c * 8] < own
        wrong += ahead > 1
        mass = 0.0
        for c in range(n_classes):
            mass += math.exp(np.float64(outputs[first + c * 8]) - top)
        total += math.log(mass) - (np.float64(own) - top)
        if write_deltas:
            for c in range(n_classes):
                share = math.exp(np.float64(outputs[first + c * 8]) - top) / mass
                outputs[first + c * 8] = np.float32((share - (c == label)) / n_samples)
    if write_deltas:
        _clear_absent(outputs, n_samples, n_units, n_classes)
    return total, wrong


@njit(nogil=True)
def _clear_absent(outputs, n_samples, n_units, n_classes):
    """None; outputs of classes and of samples that only fill up become 0."""
    for chunk in range((n_samples + 7) // 8):
        first = chunk * (n_units + 1) * 8
        outputs[first + n_classes * 8 : first + n_units * 8] = _ZERO
        for lane in range(min(8, n_samples - chunk * 8), 8):
            for c in range(n_classes):
                outputs[first + c * 8 + lane] = _ZERO
