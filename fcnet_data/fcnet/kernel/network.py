"""A network with two hidden layers: initial weights, forward pass, one training step, evaluation."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fcnet_data.fcnet.inputs import Chunks, KernelSettings
from fcnet_data.fcnet.kernel.activation import activate, differentiate, drop
from fcnet_data.fcnet.kernel.compiling import part
from fcnet_data.fcnet.kernel.dense import Layer, apply_derivatives, backward, forward
from fcnet_data.fcnet.kernel.head import cross_entropy, squared_error
from fcnet_data.fcnet.kernel.random_stream import DROPOUT, INITIAL_WEIGHTS, stream, uniform

EVALUATED = 64  # samples that pass through the network at once in an evaluation


class FcnetNetwork(NamedTuple):
    """Three dense layers, and the indices where outputs, targets of a batch and scratch space begin in memory."""

    layer_1: Layer
    layer_2: Layer
    layer_3: Layer
    outputs: int
    targets: int
    scratch: int
    size: int


@part
def _padded(width: int) -> int:
    """Smallest multiple of 8 that is not below `width`."""
    return (width + 7) // 8 * 8


@part
def _layer(start: int, n_in: int, n_out: int, n_chunks: int) -> tuple[Layer, int]:
    """Layer whose numbers begin at index `start`, and the index where they end."""
    n_weights, n_values = (n_in + 1) * n_out, n_chunks * (n_in + 1) * 8
    inputs = start + 3 * n_weights
    indices = (start, start + n_weights, start + 2 * n_weights, inputs, inputs + n_values, inputs + 2 * n_values)
    return Layer(n_in, n_out, *indices), inputs + 3 * n_values


@part
def lay_out(settings: KernelSettings) -> FcnetNetwork:
    """Network whose indices divide the memory among everything that its training needs."""
    n_chunks = _padded(max(EVALUATED, settings.batch_size)) // 8
    n_1, n_2, n_3 = _padded(settings.n_units_1), _padded(settings.n_units_2), _padded(max(1, settings.n_classes))
    layer_1, end = _layer(0, settings.n_features, n_1, n_chunks)
    layer_2, end = _layer(end, n_1, n_2, n_chunks)
    layer_3, end = _layer(end, n_2, n_3, n_chunks)
    targets = end + n_chunks * (n_3 + 1) * 8
    scratch = targets + n_chunks * 8
    size = scratch + 64 + (max(settings.n_features, n_1, n_2) + 1) * 8
    return FcnetNetwork(layer_1, layer_2, layer_3, end, targets, scratch, size)


@part
def initialise_layer(
    memory: np.ndarray, layer: Layer, fan_in: int, fan_out: int, n_chunks: int, key: np.uint64
) -> None:
    """Write Glorot-uniform weights, and 1 as the last input of each chunk; biases stay 0."""
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
    """Write the network before its first step into memory.

    Parameters
    ----------
    memory
        All numbers of a run; 0 before.
    network, settings
        Layout of the memory, and settings of the run.
    key
        Of the random numbers.
    """
    n_chunks = _padded(max(EVALUATED, settings.batch_size)) // 8
    n_0, n_1, n_2, n_3 = settings.n_features, settings.n_units_1, settings.n_units_2, max(1, settings.n_classes)
    initialise_layer(memory, network.layer_1, n_0, n_1, n_chunks, stream(key, INITIAL_WEIGHTS, 1))
    initialise_layer(memory, network.layer_2, n_1, n_2, n_chunks, stream(key, INITIAL_WEIGHTS, 2))
    initialise_layer(memory, network.layer_3, n_2, n_3, n_chunks, stream(key, INITIAL_WEIGHTS, 3))


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
    """Write the activations of `layer`, the inputs of the `following` one; if `training`, also their derivatives."""
    forward(memory, layer, source, start, following.inputs, n_chunks)
    activate(memory, following.inputs, layer.n_out, n_chunks, kind)
    if training:
        differentiate(memory, following.inputs, following.derivatives, layer.n_out, n_chunks, kind)
        if dropout > 0.0:
            drop(memory, following.inputs, following.derivatives, layer.n_out, n_chunks, dropout, bits)


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
    """Write the outputs of `n_chunks` chunks of samples, which begin at source[start]; with dropout if `training`."""
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
    """Sum of the loss and number of wrong classes of a batch, which the network's inputs hold, before an Adam step.

    Parameters
    ----------
    memory, network, settings
        All numbers of a run, their layout, and settings of the run.
    n_samples
        In the batch.
    rate
        Learning rate, with Adam's bias correction.
    key, step
        Of the random numbers of dropout: the run's key and the index of the step.

    Returns
    -------
    tuple of float and int
        The sum and the number.
    """
    layer_1, layer_2, layer_3 = network.layer_1, network.layer_2, network.layer_3
    n_chunks = (n_samples + 7) // 8
    _propagate(memory, network, settings, memory, layer_1.inputs, n_chunks, key, step, True)
    sums = _loss(memory, network, settings.n_classes, memory, network.targets, n_samples, True)
    backward(memory, layer_3, network.outputs, n_chunks, rate, True, network.scratch)
    apply_derivatives(memory, layer_3, n_chunks)
    backward(memory, layer_2, layer_3.input_deltas, n_chunks, rate, True, network.scratch)
    apply_derivatives(memory, layer_2, n_chunks)
    backward(memory, layer_1, layer_2.input_deltas, n_chunks, rate, False, network.scratch)
    return sums


@part
def evaluate(
    memory: np.ndarray, network: FcnetNetwork, settings: KernelSettings, chunks: Chunks
) -> tuple[float, float]:
    """Mean loss and share of wrong classes of a set of samples, without dropout.

    Parameters
    ----------
    memory, network, settings
        All numbers of a run, their layout, and settings of the run.
    chunks
        The samples.

    Returns
    -------
    tuple of float
        Mean and share.
    """
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
