"""A network with two hidden layers: initial weights, forward pass, one training step, evaluation."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fcnet_data.fcnet.inputs import Chunks, KernelSettings
from fcnet_data.fcnet.kernel.activation import activate, drop, find_slopes
from fcnet_data.fcnet.kernel.compiling import part
from fcnet_data.fcnet.kernel.dense import Layer, apply_slopes, backward, forward
from fcnet_data.fcnet.kernel.head import cross_entropy, squared_error
from fcnet_data.fcnet.kernel.random_stream import DROPOUT, INITIAL_WEIGHTS, stream, uniform

EVALUATED = 64  # samples that pass through the network at once in an evaluation


class FcnetNetwork(NamedTuple):
    """Three dense layers, and where the outputs, the targets of a batch and scratch space begin in memory."""

    layer_1: Layer
    layer_2: Layer
    layer_3: Layer
    outputs: int
    targets: int
    scratch: int
    size: int


@part
def _filled(width: int) -> int:
    """Smallest multiple of 8 that is not below `width`."""
    return (width + 7) // 8 * 8


@part
def _layer(start: int, n_in: int, n_out: int, n_chunks: int) -> tuple[Layer, int]:
    """Layer whose numbers begin at `start`, and where they end."""
    n_weights, n_values = (n_in + 1) * n_out, n_chunks * (n_in + 1) * 8
    inputs = start + 3 * n_weights
    places = (start, start + n_weights, start + 2 * n_weights, inputs, inputs + n_values, inputs + 2 * n_values)
    return Layer(n_in, n_out, *places), inputs + 3 * n_values


@part
def lay_out(settings: KernelSettings) -> FcnetNetwork:
    """Network with a place in memory for everything that its training needs."""
    n_chunks = _filled(max(EVALUATED, settings.batch_size)) // 8
    n_1, n_2, n_3 = _filled(settings.n_units_1), _filled(settings.n_units_2), _filled(max(1, settings.n_classes))
    layer_1, end = _layer(0, settings.n_features, n_1, n_chunks)
    layer_2, end = _layer(end, n_1, n_2, n_chunks)
    layer_3, end = _layer(end, n_2, n_3, n_chunks)
    targets = end + n_chunks * (n_3 + 1) * 8
    scratch = targets + n_chunks * 8
    size = scratch + 64 + (max(settings.n_features, n_1, n_2) + 1) * 8
    return FcnetNetwork(layer_1, layer_2, layer_3, end, targets, scratch, size)


@part
def _initialise_layer(
    memory: np.ndarray, layer: Layer, fan_in: int, fan_out: int, n_chunks: int, key: np.uint64
) -> None:
    """None; weights are Glorot-uniform, biases 0, and the last input of each chunk is 1."""
    limit = np.sqrt(6.0 / (fan_in + fan_out))
    for row in range(fan_in):
        for unit in range(fan_out):
            number = limit * (2.0 * uniform(key, row * fan_out + unit) - 1.0)
            memory[layer.weights + ((unit // 8) * (layer.n_in + 1) + row) * 8 + unit % 8] = np.float32(number)
    for chunk in range(n_chunks):
        end = layer.inputs + (chunk + 1) * (layer.n_in + 1) * 8
        memory[end - 8 : end] = np.float32(1.0)


@part
def initialise(memory: np.ndarray, network: FcnetNetwork, settings: KernelSettings, key: np.uint64) -> None:
    """None; memory, all 0 before, holds the network before its first step."""
    n_chunks = _filled(max(EVALUATED, settings.batch_size)) // 8
    n_0, n_1, n_2, n_3 = settings.n_features, settings.n_units_1, settings.n_units_2, max(1, settings.n_classes)
    _initialise_layer(memory, network.layer_1, n_0, n_1, n_chunks, stream(key, INITIAL_WEIGHTS, 1))
    _initialise_layer(memory, network.layer_2, n_1, n_2, n_chunks, stream(key, INITIAL_WEIGHTS, 2))
    _initialise_layer(memory, network.layer_3, n_2, n_3, n_chunks, stream(key, INITIAL_WEIGHTS, 3))


@part
def _hidden(
    memory: np.ndarray,
    layer: Layer,
    following: Layer,
    source: np.ndarray,
    start: int,
    n_chunks: int,
    kind: int,
    dropout: float,
    bits: np.uint64,
    training: bool,
) -> None:
    """None; the activations of `layer` become the inputs of the `following` one; its slopes too, if `training`."""
    forward(memory, layer, source, start, following.inputs, n_chunks)
    activate(memory, following.inputs, layer.n_out, n_chunks, kind)
    if training:
        find_slopes(memory, following.inputs, following.slopes, layer.n_out, n_chunks, kind)
        if dropout > 0.0:
            drop(memory, following.inputs, following.slopes, layer.n_out, n_chunks, dropout, bits)


@part
def _propagate(
    memory: np.ndarray,
    network: FcnetNetwork,
    settings: KernelSettings,
    source: np.ndarray,
    start: int,
    n_chunks: int,
    key: np.uint64,
    step: int,
    training: bool,
) -> None:
    """None; outputs are found for `n_chunks` chunks of samples, which begin at source[start]; dropout if `training`."""
    layer_1, layer_2, layer_3 = network.layer_1, network.layer_2, network.layer_3
    bits_1, bits_2 = stream(key, DROPOUT, 2 * step), stream(key, DROPOUT, 2 * step + 1)
    kind_1, kind_2 = settings.activation_1, settings.activation_2
    _hidden(memory, layer_1, layer_2, source, start, n_chunks, kind_1, settings.dropout_1, bits_1, training)
    _hidden(memory, layer_2, layer_3, memory, layer_2.inputs, n_chunks, kind_2, settings.dropout_2, bits_2, training)
    forward(memory, layer_3, memory, layer_3.inputs, network.outputs, n_chunks)


@part
def _loss(
    memory: np.ndarray,
    network: FcnetNetwork,
    n_classes: int,
    targets: np.ndarray,
    start: int,
    n_samples: int,
    write_deltas: bool,
) -> tuple[float, int]:
    """Sums of the loss and of the wrong classes over the samples that the network's outputs belong to."""
    outputs, width = network.outputs, network.layer_3.n_out
    if n_classes == 0:
        return squared_error(memory, outputs, targets, start, n_samples, width, write_deltas)
    return cross_entropy(memory, outputs, targets, start, n_samples, width, n_classes, write_deltas)


@part
def train_batch(
    memory: np.ndarray,
    network: FcnetNetwork,
    settings: KernelSettings,
    n_samples: int,
    rate: np.float32,
    key: np.uint64,
    step: int,
) -> tuple[float, int]:
    """Sums of the loss and of the wrong classes over the batch in the network's inputs, before its Adam step."""
    layer_1, layer_2, layer_3 = network.layer_1, network.layer_2, network.layer_3
    n_chunks = (n_samples + 7) // 8
    _propagate(memory, network, settings, memory, layer_1.inputs, n_chunks, key, step, True)
    sums = _loss(memory, network, settings.n_classes, memory, network.targets, n_samples, True)
    backward(memory, layer_3, network.outputs, n_chunks, rate, True, network.scratch)
    apply_slopes(memory, layer_3, n_chunks)
    backward(memory, layer_2, layer_3.input_deltas, n_chunks, rate, True, network.scratch)
    apply_slopes(memory, layer_2, n_chunks)
    backward(memory, layer_1, layer_2.input_deltas, n_chunks, rate, False, network.scratch)
    return sums


@part
def evaluate(
    memory: np.ndarray, network: FcnetNetwork, settings: KernelSettings, chunks: Chunks
) -> tuple[float, float]:
    """Mean loss and share of wrong classes of a set of samples, without dropout."""
    loss, wrong = 0.0, 0
    for first in range(0, chunks.n_samples, EVALUATED):
        n_samples = min(EVALUATED, chunks.n_samples - first)
        start = first * (settings.n_features + 1)
        n_chunks = (n_samples + 7) // 8
        _propagate(memory, network, settings, chunks.inputs, start, n_chunks, np.uint64(0), 0, False)
        sums = _loss(memory, network, settings.n_classes, chunks.targets, first, n_samples, False)
        loss += sums[0]
        wrong += sums[1]
    return loss / chunks.n_samples, wrong / chunks.n_samples
