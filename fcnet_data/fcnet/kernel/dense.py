"""Dense layers trained by Adam or by plain descent, as vector code: forward pass, deltas, step.

Layouts (lane is the fastest index; 8 lanes):

    values    [chunk, unit, lane]    a batch is in chunks of 8 samples, one per lane; the last unit is always 1
    weights   [panel, input, lane]   8 output units make a panel, one per lane; the last input's weights are the biases
    moments   as weights

All numbers of a run are in one float32 array, `memory`; a `Layer` has the indices where they begin. numba compiles few
large arguments several times faster than many small arrays.

Sums run over inputs, units or samples in a fixed order; lanes are independent results, so a vector of any width adds
the same numbers in the same order. Layer widths are multiples of 8: padding units have weights 0, which stay 0, because
a unit with value 0 and delta 0 has no gradient.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fcnet_data.fcnet.kernel.compiling import part
from fcnet_data.fcnet.kernel.lanes import (
    add,
    broadcast,
    constant,
    divide,
    fma,
    load,
    multiply,
    sqrt,
    store,
    subtract,
    transpose,
)

BETA_1, BETA_2, EPSILON = 0.9, 0.999, 1e-7
# A dead unit's moments decay geometrically into denormal numbers, on which processors are slow. Adding these constants
# changes a step by less than 1e-17 of the learning rate.
_FLUSH, _FLOOR = 1e-25, 1e-30


class Layer(NamedTuple):
    """A dense layer: its size including padding, and the indices where its numbers begin in memory."""

    n_in: int
    n_out: int
    weights: int
    moment_1: int
    moment_2: int
    inputs: int
    input_deltas: int
    derivatives: int


@part
def forward(memory: np.ndarray, layer: Layer, source: np.ndarray, start: int, outputs: int, n_chunks: int) -> None:
    """Write weights x inputs + biases for chunks of inputs.

    Parameters
    ----------
    memory, layer
        All numbers of a run, and the layer in it.
    source, start
        Array with the inputs, and the index where they begin.
    outputs
        Index in memory where the results begin.
    n_chunks
        Number of chunks of 8 samples.
    """
    rows = layer.n_in + 1
    for panel in range(layer.n_out // 8):
        for chunk in range(n_chunks):
            at, w = start + chunk * rows * 8, layer.weights + panel * rows * 8
            z0 = z1 = z2 = z3 = z4 = z5 = z6 = z7 = constant(np.float32(0.0))
            for _ in range(rows):
                value = load(source, at)
                z0 = fma(broadcast(memory, w), value, z0)
                z1 = fma(broadcast(memory, w + 1), value, z1)
                z2 = fma(broadcast(memory, w + 2), value, z2)
                z3 = fma(broadcast(memory, w + 3), value, z3)
                z4 = fma(broadcast(memory, w + 4), value, z4)
                z5 = fma(broadcast(memory, w + 5), value, z5)
                z6 = fma(broadcast(memory, w + 6), value, z6)
                z7 = fma(broadcast(memory, w + 7), value, z7)
                at += 8
                w += 8
            out = outputs + (chunk * (layer.n_out + 1) + panel * 8) * 8
            store(memory, out, z0)
            store(memory, out + 8, z1)
            store(memory, out + 16, z2)
            store(memory, out + 24, z3)
            store(memory, out + 32, z4)
            store(memory, out + 40, z5)
            store(memory, out + 48, z6)
            store(memory, out + 56, z7)


@part
def _add_product(memory: np.ndarray, result: int, factors: int, block: int, n_rows: int) -> None:
    """Add the sum over k of factors[row, k] * block[k, :] to result[row, :], for rows of 8 numbers."""
    b0, b1, b2, b3 = load(memory, block), load(memory, block + 8), load(memory, block + 16), load(memory, block + 24)
    block += 32
    b4, b5, b6, b7 = load(memory, block), load(memory, block + 8), load(memory, block + 16), load(memory, block + 24)
    for _ in range(n_rows):
        low = fma(broadcast(memory, factors), b0, load(memory, result))
        high = multiply(broadcast(memory, factors + 4), b4)
        low = fma(broadcast(memory, factors + 1), b1, low)
        high = fma(broadcast(memory, factors + 5), b5, high)
        low = fma(broadcast(memory, factors + 2), b2, low)
        high = fma(broadcast(memory, factors + 6), b6, high)
        low = fma(broadcast(memory, factors + 3), b3, low)
        high = fma(broadcast(memory, factors + 7), b7, high)
        store(memory, result, add(low, high))
        result += 8
        factors += 8


@part
def _step(memory: np.ndarray, layer: Layer, panel: int, gradient: int, rate: np.float32) -> None:
    """Change one panel's weights by an Adam step as in Keras: epsilon outside the bias correction in `rate`."""
    beta_1, rest_1 = constant(np.float32(BETA_1)), constant(np.float32(1.0 - BETA_1))
    beta_2, rest_2 = constant(np.float32(BETA_2)), constant(np.float32(1.0 - BETA_2))
    flush, floor = constant(np.float32(_FLUSH)), constant(np.float32(_FLOOR))
    epsilon, rates = constant(np.float32(EPSILON)), constant(rate)
    at = panel * (layer.n_in + 1) * 8
    for _ in range(layer.n_in + 1):
        g = load(memory, gradient)
        m = fma(beta_1, load(memory, layer.moment_1 + at), multiply(rest_1, g))
        m = subtract(add(m, flush), flush)
        v = fma(beta_2, load(memory, layer.moment_2 + at), multiply(rest_2, fma(g, g, floor)))
        store(memory, layer.moment_1 + at, m)
        store(memory, layer.moment_2 + at, v)
        change = divide(multiply(rates, m), add(sqrt(v), epsilon))
        store(memory, layer.weights + at, subtract(load(memory, layer.weights + at), change))
        at += 8
        gradient += 8


@part
def _plain_step(memory: np.ndarray, layer: Layer, panel: int, gradient: int, rate: np.float32) -> None:
    """Change one panel's weights by a step of stochastic gradient descent: rate times the gradient."""
    rates = constant(-rate)
    at = layer.weights + panel * (layer.n_in + 1) * 8
    for _ in range(layer.n_in + 1):
        store(memory, at, fma(rates, load(memory, gradient), load(memory, at)))
        at += 8
        gradient += 8


def _backward(step: Any) -> Any:
    """Compiled function that goes backwards through a layer and changes each panel by `step`."""

    @part
    def backward(
        memory: np.ndarray, layer: Layer, deltas: int, n_chunks: int, rate: np.float32, propagate: bool, scratch: int
    ) -> None:
        """Change the layer by one step; if `propagate`, write the deltas of its inputs first.

        It works panel by panel, so that a panel's weights, moments and gradient stay in the innermost cache and no
        gradient of the whole layer is ever written.

        Parameters
        ----------
        memory, layer
            All numbers of a run, and the layer in it.
        deltas
            Index in memory where the derivatives of the loss with respect to the outputs begin.
        n_chunks
            Number of chunks of 8 samples.
        rate
            Learning rate; for Adam with its bias correction.
        propagate
            Whether to write the deltas of the inputs.
        scratch
            Index in memory of free space for 8 x 8 deltas and a panel's gradient (n_in + 1, 8).
        """
        rows = layer.n_in + 1
        gradient = scratch + 64
        if propagate:
            memory[layer.input_deltas : layer.input_deltas + n_chunks * rows * 8] = np.float32(0.0)
        for panel in range(layer.n_out // 8):
            memory[gradient : gradient + rows * 8] = np.float32(0.0)
            for chunk in range(n_chunks):
                block, first = deltas + (chunk * (layer.n_out + 1) + panel * 8) * 8, chunk * rows * 8
                if propagate:
                    weights = layer.weights + panel * rows * 8
                    _add_product(memory, layer.input_deltas + first, weights, block, layer.n_in)
                transpose(memory, block, scratch)
                _add_product(memory, gradient, layer.inputs + first, scratch, rows)
            step(memory, layer, panel, gradient, rate)

    return backward


backward = _backward(_step)
backward_plain = _backward(_plain_step)


@part
def apply_derivatives(memory: np.ndarray, layer: Layer, n_chunks: int) -> None:
    """Replace the deltas of a layer's inputs by those of the pre-activations that the inputs were computed from."""
    for at in range(0, n_chunks * (layer.n_in + 1) * 8, 8):
        product = multiply(load(memory, layer.input_deltas + at), load(memory, layer.derivatives + at))
        store(memory, layer.input_deltas + at, product)
