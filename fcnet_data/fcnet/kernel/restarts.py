"""Several restarts of a network of any depth, trained side by side by plain gradient descent until one is perfect.

A network is an array `layout` [layer, field of Layer]; all of its numbers are in one row of `memories` [restart, ...].
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fcnet_data.fcnet.inputs import Chunks
from fcnet_data.fcnet.kernel.activation import RELU, activate, differentiate
from fcnet_data.fcnet.kernel.compiling import SOURCES, compiled, part
from fcnet_data.fcnet.kernel.dense import Layer, apply_derivatives, backward_plain, forward
from fcnet_data.fcnet.kernel.head import cross_entropy
from fcnet_data.fcnet.kernel.network import EVALUATED, initialise_layer
from fcnet_data.fcnet.kernel.random_stream import INITIAL_WEIGHTS, SHUFFLE, shuffle, stream

N_CLASSES = 2


@part
def _layer(layout: np.ndarray, k: int) -> Layer:
    row = layout[k]
    return Layer(row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[7])


@part
def _propagate(
    memory: np.ndarray, layout: np.ndarray, outputs: int, source: np.ndarray, start: int, n_chunks: int, training: bool
) -> None:
    """Write the outputs of chunks of samples, which begin at source[start]; if `training`, derivatives too."""
    last = layout.shape[0] - 1
    forward(memory, _layer(layout, 0), source, start, _layer(layout, 1).inputs, n_chunks)
    for k in range(1, last + 1):
        layer, before = _layer(layout, k), _layer(layout, k - 1)
        activate(memory, layer.inputs, before.n_out, n_chunks, RELU)
        if training:
            differentiate(memory, layer.inputs, layer.derivatives, before.n_out, n_chunks, RELU)
        following = outputs if k == last else _layer(layout, k + 1).inputs
        forward(memory, layer, memory, layer.inputs, following, n_chunks)


@part
def _evaluate(memory: np.ndarray, layout: np.ndarray, outputs: int, samples: Chunks) -> tuple[float, float]:
    """Mean cross-entropy and share of wrong classes of a set of samples; NaN if it is empty."""
    if samples.n_samples == 0:
        return np.nan, np.nan
    loss, wrong = 0.0, 0
    rows, width = layout[0, 0] + 1, layout[-1, 1]
    for first in range(0, samples.n_samples, EVALUATED):
        n_samples = min(EVALUATED, samples.n_samples - first)
        _propagate(memory, layout, outputs, samples.inputs, first * rows, (n_samples + 7) // 8, False)
        sums = cross_entropy(memory, outputs, samples.targets, first, n_samples, width, N_CLASSES, False)
        loss += sums[0]
        wrong += sums[1]
    return loss / samples.n_samples, wrong / samples.n_samples


@part
def _train_epoch(
    memory: np.ndarray,
    layout: np.ndarray,
    places: np.ndarray,
    x: np.ndarray,
    y: np.ndarray,
    order: np.ndarray,
    batch_size: int,
    rate: np.float32,
) -> None:
    """One pass through the rows in the given order; `places` are the indices of outputs, targets and scratch space."""
    outputs, targets, scratch = places[0], places[1], places[2]
    inputs, width, last = layout[0, 5], layout[-1, 1], layout.shape[0] - 1
    for start in range(0, order.size, batch_size):
        n_samples = min(batch_size, order.size - start)
        for sample in range(n_samples):
            row = order[start + sample]
            first = inputs + (sample // 8) * (x.shape[1] + 1) * 8 + sample % 8
            for feature in range(x.shape[1]):
                memory[first + feature * 8] = x[row, feature]
            memory[targets + sample] = y[row]
        n_chunks = (n_samples + 7) // 8
        _propagate(memory, layout, outputs, memory, inputs, n_chunks, True)
        cross_entropy(memory, outputs, memory, targets, n_samples, width, N_CLASSES, True)
        deltas = outputs
        for k in range(last, 0, -1):
            layer = _layer(layout, k)
            backward_plain(memory, layer, deltas, n_chunks, rate, True, scratch)
            apply_derivatives(memory, layer, n_chunks)
            deltas = layer.input_deltas
        backward_plain(memory, _layer(layout, 0), deltas, n_chunks, rate, False, scratch)


def _entry(sources: str, keep: bool) -> Any:
    @compiled(nogil=True, cache=keep)
    def run(
        layout: np.ndarray,
        places: np.ndarray,
        fans: np.ndarray,
        x: np.ndarray,
        y: np.ndarray,
        train: Chunks,
        held_out: Chunks,
        fresh: Chunks,
        batch_size: int,
        rates: np.ndarray,
        keys: np.ndarray,
        curves: np.ndarray,
        until_perfect: bool,
    ) -> int:
        sources  # noqa: B018  the variables of a closure are part of the key under which numba keeps it
        n_chunks = (max(EVALUATED, batch_size) + 7) // 8
        memories = np.zeros((keys.size, places[3]), np.float32)
        for r in range(keys.size):
            for k in range(layout.shape[0]):
                key = stream(keys[r], INITIAL_WEIGHTS, k)
                initialise_layer(memories[r], _layer(layout, k), fans[k], fans[k + 1], n_chunks, key)
        order = np.arange(x.shape[0])
        for epoch in range(rates.size):
            best = np.full((2, 2), np.inf)  # [by error or by loss, loss and error] of the best restart
            chosen = np.zeros(2, np.int64)
            for r in range(keys.size):
                order[:] = np.arange(x.shape[0])
                shuffle(order, stream(keys[r], SHUFFLE, epoch))
                _train_epoch(memories[r], layout, places, x, y, order, batch_size, np.float32(rates[epoch]))
                loss, error = _evaluate(memories[r], layout, places[0], train)
                if error < best[0, 1] or (error == best[0, 1] and loss < best[0, 0]):
                    best[0, 0], best[0, 1], chosen[0] = loss, error, r
                if loss < best[1, 0]:
                    best[1, 0], best[1, 1], chosen[1] = loss, error, r
            for c in range(2):
                memory = memories[chosen[c]]
                curves[epoch, c, 0], curves[epoch, c, 1] = best[c, 0], best[c, 1]
                if c == 1 and chosen[1] == chosen[0]:
                    curves[epoch, 1, 2], curves[epoch, 1, 3] = curves[epoch, 0, 2], curves[epoch, 0, 3]
                else:
                    curves[epoch, c, 2] = _evaluate(memory, layout, places[0], held_out)[1]
                    curves[epoch, c, 3] = _evaluate(memory, layout, places[0], fresh)[1]
            if until_perfect and best[0, 1] == 0.0:
                return epoch + 1
        return rates.size

    return run


def entry() -> Any:
    """Compiled function that trains all restarts and fills `curves` [epoch, rule, value]; returns the epochs trained.

    The rule is how the best restart of an epoch is found: by its share of wrong training rows (0, ties by the loss) or
    by its training loss (1). Values: training loss, training error, error on held-out rows, error on fresh rows.
    """
    try:
        return _entry(SOURCES, keep=True)
    except RuntimeError:  # numba found no directory that it can write
        return _entry(SOURCES, keep=False)


run = entry()
