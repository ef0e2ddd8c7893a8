"""Fully connected networks with tanh units as functions of a flat parameter vector, for many vectors at once.

    sizes       (D, units, ..., 1): inputs, hidden layers, outputs
    theta       (C, P) one vector of weights per chain; each layer's weights (in, out) row by row, then its biases
    x           (C, B, D), a different batch for each chain, or (B, D), one for all

numpy with a backward pass by hand: for layers of 50 units it takes a third of the time of torch's automatic one.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from hpo_core.errors import InvalidOption

CACHED = 100_000  # outputs of a layer that fit into the cache of a core together with those of the layer before


class TanhNetwork:
    """Shape of a network. `TanhNetwork((7, 50, 50, 50, 1))` has three hidden layers."""

    def __init__(self, sizes: Sequence[int]):
        self.sizes = tuple(int(size) for size in sizes)
        if len(self.sizes) < 2 or min(self.sizes) < 1:
            raise InvalidOption(f"a network needs an input and an output layer of at least one unit, got {sizes}")
        self._layers: list[tuple[int, int, int, int, int]] = []
        start = 0
        for n_in, n_out in pairwise(self.sizes):
            middle = start + n_in * n_out
            self._layers.append((start, middle, middle + n_out, n_in, n_out))
            start = middle + n_out
        self.n_parameters = start

    def layers(self, theta: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        """Views of weights (C, in, out) and biases (C, 1, out) of each layer."""
        n = len(theta)
        return [
            (theta[:, start:middle].reshape(n, n_in, n_out), theta[:, None, middle:end])
            for start, middle, end, n_in, n_out in self._layers
        ]

    def forward(self, theta: np.ndarray, x: np.ndarray) -> list[np.ndarray]:
        """Outputs of each layer, from the inputs themselves to the network's output (C, B, outputs)."""
        outputs = [x]
        layers = self.layers(theta)
        for depth, (weights, biases) in enumerate(layers, 1):
            z = np.matmul(outputs[-1], weights)
            z += biases
            outputs.append(np.tanh(z, out=z) if depth < len(layers) else z)
        return outputs

    def output(self, theta: np.ndarray, x: np.ndarray) -> np.ndarray:
        """(C, B) first output, computed for as many chains at a time as stay in the cache."""
        size = max(1, CACHED // max(1, x.shape[-2] * max(self.sizes[1:])))
        if len(theta) <= size:
            return self.forward(theta, x)[-1][..., 0]
        batches = np.broadcast_to(x, (len(theta), *x.shape[-2:])) if x.ndim == 3 else None
        parts = [slice(k, k + size) for k in range(0, len(theta), size)]
        return np.concatenate([self.forward(theta[k], x if batches is None else batches[k])[-1][..., 0] for k in parts])

    def backward(self, theta: np.ndarray, outputs: list[np.ndarray], by_output: np.ndarray) -> np.ndarray:
        """(C, P) gradient with respect to theta, given `forward`'s outputs and the gradient (C, B, out) by the last."""
        gradient = np.empty((len(theta), self.n_parameters), dtype=theta.dtype)
        layers, parts = self.layers(theta), self.layers(gradient)
        for depth in range(len(layers) - 1, -1, -1):
            d_weights, d_biases = parts[depth]
            inputs = outputs[depth]
            np.matmul(np.swapaxes(inputs, -1, -2), by_output, out=d_weights)
            np.sum(by_output, axis=1, keepdims=True, out=d_biases)
            if depth:
                by_output = np.matmul(by_output, np.swapaxes(layers[depth][0], -1, -2))
                by_output *= 1.0 - inputs * inputs
        return gradient

    def input_gradient(self, theta: np.ndarray, x: np.ndarray) -> np.ndarray:
        """(C, B, D) gradient of the first output with respect to the inputs."""
        outputs = self.forward(theta, x)
        by_output = np.zeros_like(outputs[-1])
        by_output[..., 0] = 1.0
        layers = self.layers(theta)
        for depth in range(len(layers) - 1, -1, -1):
            by_output = np.matmul(by_output, np.swapaxes(layers[depth][0], -1, -2))
            if depth:
                by_output *= 1.0 - outputs[depth] * outputs[depth]
        return by_output

    def weight_stds(self, gain: float, bias: float) -> np.ndarray:
        """(P,) standard deviations: gain / sqrt(inputs of the layer) for weights, `bias` for biases."""
        stds = np.empty(self.n_parameters)
        for start, middle, end, n_in, _ in self._layers:
            stds[start:middle] = gain / np.sqrt(n_in)
            stds[middle:end] = bias
        return stds
