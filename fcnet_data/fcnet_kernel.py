"""The training loop of a network with two hidden layers, compiled: one call trains one run and holds no lock of Python.

A run is a function of its data, its settings and its key; nothing is shared between runs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from .activation import activate, drop, find_slopes
from .dense import BETA_1, BETA_2, Layer, backward, forward
from .head import cross_entropy, squared_error
from .random_stream import DROPOUT, INITIAL_WEIGHTS, SHUFFLE, shuffle, stream, uniform

EVALUATED_CHUNKS = 8


class Settings(NamedTuple):
    """What a run is made of, apart from its data."""

    n_inputs: int
    n_units_1: int
    n_units_2: int
    n_outputs: int  # classes, or 0 for regression
    activation_1: int
    activation_2: int
    dropout_1: float
    dropout_2: float
    batch_size: int


class Chunks(NamedTuple):
    """A set of samples cut into chunks of 8: inputs [chunk, feature and a 1, lane] and targets [chunk, lane], flat."""

    inputs: np.ndarray
    targets: np.ndarray
    n_samples: int


class Network(NamedTuple):
    """Three dense layers, the outputs of the last, and scratch space."""

    layer_1: Layer
    layer_2: Layer
    layer_3: Layer
    outputs: np.ndarray
    targets: np.ndarray
    gradient: np.ndarray
    square: np.ndarray


@njit(nogil=True)
def _filled(width):
    return (width + 7) // 8 * 8


@njit(nogil=True)
def _layer(fan_in, fan_out, n_in, n_chunks, key):
    """Layer with Glorot-uniform weights and biases 0; `n_in` is `fan_in` filled up, or not for the first layer."""
    n_out = _filled(fan_out)
    size, values = (n_in + 1) * n_out, n_chunks * (n_in + 1) * 8
    weights = np.zeros(size, np.float32)
    limit = np.sqrt(6.0 / (fan_in + fan_out))
    for row in range(fan_in):
        for unit in range(fan_out):
            number = limit * (2.0 * uniform(key, row * fan_out + unit) - 1.0)
            weights[((unit // 8) * (n_in + 1) + row) * 8 + unit % 8] = np.float32(number)
    inputs = np.zeros(values, np.float32)
    for chunk in range(n_chunks):
        inputs[(chunk * (n_in + 1) + n_in) * 8 : (chunk + 1) * (n_in + 1) * 8] = np.float32(1.0)
    moment_1, moment_2 = np.zeros(size, np.float32), np.zeros(size, np.float32)
    return Layer(n_in, n_out, weights, moment_1, moment_2, inputs, np.zeros(values, np.float32), np.zeros(values, np.float32))


@njit(nogil=True)
def initial_network(settings, key):
    """Network before its first step."""
    n_chunks = max(EVALUATED_CHUNKS, (settings.batch_size + 7) // 8)
    n_outputs = max(1, settings.n_outputs)
    filled_1, filled_2 = _filled(settings.n_units_1), _filled(settings.n_units_2)
    keys = (stream(key, INITIAL_WEIGHTS, 1), stream(key, INITIAL_WEIGHTS, 2), stream(key, INITIAL_WEIGHTS, 3))
    layer_1 = _layer(settings.n_inputs, settings.n_units_1, settings.n_inputs, n_chunks, keys[0])
    layer_2 = _layer(settings.n_units_1, settings.n_units_2, filled_1, n_chunks, keys[1])
    layer_3 = _layer(settings.n_units_2, n_outputs, filled_2, n_chunks, keys[2])
    outputs = np.zeros(n_chunks * (layer_3.n_out + 1) * 8, np.float32)
    widest = max(settings.n_inputs, filled_1, filled_2) + 1
    scratch = np.zeros(widest * 8, np.float32), np.zeros(64, np.float32)
    return Network(layer_1, layer_2, layer_3, outputs, np.zeros(n_chunks * 8, np.float32), scratch[0], scratch[1])


@njit(nogil=True)
def _loss(network, settings, targets, start, n_samples, write_deltas):
    width = network.layer_3.n_out
    if settings.n_outputs == 0:
        return squared_error(network.outputs, targets, start, n_samples, width, write_deltas)
    return cross_entropy(network.outputs, targets, start, n_samples, width, settings.n_outputs, write_deltas)


@njit(nogil=True)
def _gather(network, x, y, order, start, n_samples):
    """None; the samples order[start : start + n_samples] become the network's inputs and targets."""
    inputs, rows = network.layer_1.inputs, x.shape[1] + 1
    for sample in range(n_samples):
        row = order[start + sample]
        first = (sample // 8) * rows * 8 + sample % 8
        for feature in range(x.shape[1]):
            inputs[first + feature * 8] = x[row, feature]
        network.targets[sample] = y[row]


@njit(nogil=True)
def _train_batch(network, settings, n_samples, rate, key, step):
    """Sums of loss and of wrong classes over the batch that lies in the network's inputs, before its step."""
    layer_1, layer_2, layer_3 = network.layer_1, network.layer_2, network.layer_3
    n_chunks = (n_samples + 7) // 8
    forward(layer_1, layer_1.inputs, 0, layer_2.inputs, n_chunks)
    activate(layer_2.inputs, layer_1.n_out, n_chunks, settings.activation_1)
    find_slopes(layer_2.inputs, layer_2.slopes, layer_1.n_out, n_chunks, settings.activation_1)
    if settings.dropout_1 > 0.0:
        bits = stream(key, DROPOUT, 2 * step)
        drop(layer_2.inputs, layer_2.slopes, layer_1.n_out, n_chunks, settings.dropout_1, bits)
    forward(layer_2, layer_2.inputs, 0, layer_3.inputs, n_chunks)
    activate(layer_3.inputs, layer_2.n_out, n_chunks, settings.activation_2)
    find_slopes(layer_3.inputs, layer_3.slopes, layer_2.n_out, n_chunks, settings.activation_2)
    if settings.dropout_2 > 0.0:
        bits = stream(key, DROPOUT, 2 * step + 1)
        drop(layer_3.inputs, layer_3.slopes, layer_2.n_out, n_chunks, settings.dropout_2, bits)
    forward(layer_3, layer_3.inputs, 0, network.outputs, n_chunks)
    sums = _loss(network, settings, network.targets, 0, n_samples, True)
    backward(layer_3, network.outputs, n_chunks, rate, True, network.gradient, network.square)
    _apply_slopes(layer_3, n_chunks)
    backward(layer_2, layer_3.input_deltas, n_chunks, rate, True, network.gradient, network.square)
    _apply_slopes(layer_2, n_chunks)
    backward(layer_1, layer_2.input_deltas, n_chunks, rate, False, network.gradient, network.square)
    return sums


@njit(nogil=True)
def _apply_slopes(layer, n_chunks):
    deltas, slopes = layer.input_deltas, layer.slopes
    for k in range(n_chunks * (layer.n_in + 1) * 8):
        deltas[k] *= slopes[k]


@njit(nogil=True)
def evaluate(network, settings, chunks):
    """Mean loss and share of wrong classes of a set of samples, without dropout."""
    layer_1, layer_2, layer_3 = network.layer_1, network.layer_2, network.layer_3
    loss, wrong = 0.0, 0
    for first in range(0, chunks.n_samples, EVALUATED_CHUNKS * 8):
        n_samples = min(EVALUATED_CHUNKS * 8, chunks.n_samples - first)
        n_chunks = (n_samples + 7) // 8
        forward(layer_1, chunks.inputs, first * (layer_1.n_in + 1), layer_2.inputs, n_chunks)
        activate(layer_2.inputs, layer_1.n_out, n_chunks, settings.activation_1)
        forward(layer_2, layer_2.inputs, 0, layer_3.inputs, n_chunks)
        activate(layer_3.inputs, layer_2.n_out, n_chunks, settings.activation_2)
        forward(layer_3, layer_3.inputs, 0, network.outputs, n_chunks)
        sums = _loss(network, settings, chunks.targets, first, n_samples, False)
        loss += sums[0]
        wrong += sums[1]
    return loss / chunks.n_samples, wrong / chunks.n_samples


@njit(nogil=True)
def train(network, settings, x, y, valid, test, rates, key, curves):
    """Number of epochs after which every recorded loss was still finite; `curves` [epoch, set, loss or error] is filled.

    The training entries are running means over the epoch's batches, with dropout, as Keras reports them. Training ends
    early when a loss is no longer a finite number, since no later one would be.
    """
    n_train = x.shape[0]
    order = np.arange(n_train)
    power_1, power_2, step = 1.0, 1.0, 0
    for epoch in range(rates.size):
        shuffle(order, stream(key, SHUFFLE, epoch))
        loss, wrong = 0.0, 0
        for start in range(0, n_train, settings.batch_size):
            n_samples = min(settings.batch_size, n_train - start)
            power_1 *= np.float64(BETA_1)
            power_2 *= np.float64(BETA_2)
            rate = np.float32(rates[epoch] * np.sqrt(1.0 - power_2) / (1.0 - power_1))
            _gather(network, x, y, order, start, n_samples)
            sums = _train_batch(network, settings, n_samples, rate, key, step)
            loss += sums[0]
            wrong += sums[1]
            step += 1
        curves[epoch, 0, 0], curves[epoch, 0, 1] = loss / n_train, wrong / n_train
        curves[epoch, 1, 0], curves[epoch, 1, 1] = evaluate(network, settings, valid)
        curves[epoch, 2, 0], curves[epoch, 2, 1] = evaluate(network, settings, test)
        if not np.all(np.isfinite(curves[epoch])):
            return epoch
    return rates.size
