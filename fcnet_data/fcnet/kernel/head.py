"""Losses on top of the output layer: squared error and softmax cross-entropy, with their deltas.

In memory, [chunk, output unit, lane] outputs begin at index `outputs`; `targets` [chunk, lane] begin at `start` and
hold the target, or the class as a number.
"""

from __future__ import annotations

import math

import numpy as np

from fcnet_data.fcnet.kernel.compiling import part


@part
def squared_error(
    memory: np.ndarray, outputs: int, targets: np.ndarray, start: int, n_samples: int, n_units: int, write_deltas: bool
) -> tuple[float, int]:
    """Sum of squared errors over the samples; if `write_deltas`, outputs become derivatives of their mean.

    Parameters
    ----------
    memory, outputs
        All numbers of a run, and the index where the outputs begin.
    targets, start
        Targets, and the index where those of the samples begin.
    n_samples, n_units
        Number of samples, and of output units including padding.
    write_deltas
        Whether to replace the outputs by derivatives.

    Returns
    -------
    tuple of float and int
        The sum, and 0 wrong classes.
    """
    total = 0.0
    scale = np.float32(2.0 / n_samples)
    for chunk in range((n_samples + 7) // 8):
        first = outputs + chunk * (n_units + 1) * 8
        present = min(8, n_samples - chunk * 8)
        for lane in range(present):
            error = memory[first + lane] - targets[start + chunk * 8 + lane]
            total += np.float64(error) * np.float64(error)
            memory[first + lane] = scale * error
        if write_deltas:
            memory[first + present : first + n_units * 8] = np.float32(0.0)
    return total, 0


@part
def cross_entropy(
    memory: np.ndarray,
    outputs: int,
    targets: np.ndarray,
    start: int,
    n_samples: int,
    n_units: int,
    n_classes: int,
    write_deltas: bool,
) -> tuple[float, int]:
    """Sum of cross-entropies and number of wrong classes; if `write_deltas`, outputs become derivatives of the mean.

    A sample counts as wrong if another class has an output at least as large, or if an output is not a number.

    Parameters
    ----------
    memory, outputs
        All numbers of a run, and the index where the outputs begin.
    targets, start
        Classes, and the index where those of the samples begin.
    n_samples, n_units, n_classes
        Number of samples, of output units including padding, and of classes.
    write_deltas
        Whether to replace the outputs by derivatives.

    Returns
    -------
    tuple of float and int
        The sum in nats, and the number of wrong classes.
    """
    total, wrong = 0.0, 0
    for sample in range(n_samples):
        first = outputs + (sample // 8) * (n_units + 1) * 8 + sample % 8
        label = np.int64(targets[start + sample])
        own = memory[first + label * 8]
        top, not_below = own, 0
        for c in range(n_classes):
            top = max(top, memory[first + c * 8])
            not_below += not memory[first + c * 8] < own
        wrong += not_below > 1
        mass = 0.0
        for c in range(n_classes):
            mass += math.exp(np.float64(memory[first + c * 8]) - np.float64(top))
        total += math.log(mass) - (np.float64(own) - np.float64(top))
        if write_deltas:
            for c in range(n_classes):
                share = math.exp(np.float64(memory[first + c * 8]) - np.float64(top)) / mass
                memory[first + c * 8] = np.float32((share - (c == label)) / n_samples)
    if write_deltas:
        _clear_absent(memory, outputs, n_samples, n_units, n_classes)
    return total, wrong


@part
def _clear_absent(memory: np.ndarray, outputs: int, n_samples: int, n_units: int, n_classes: int) -> None:
    """Set the outputs of padding classes and padding samples to 0."""
    for chunk in range((n_samples + 7) // 8):
        first = outputs + chunk * (n_units + 1) * 8
        memory[first + n_classes * 8 : first + n_units * 8] = np.float32(0.0)
        for lane in range(min(8, n_samples - chunk * 8), 8):
            for c in range(n_classes):
                memory[first + c * 8 + lane] = np.float32(0.0)
