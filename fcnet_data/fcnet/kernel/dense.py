"""Dense layers trained by Adam, as vector code: forward pass, deltas of the inputs, gradient and step in one sweep.

Layouts (lane is the fastest index; 8 lanes):

    values    [chunk, unit, lane]    a batch is cut into chunks of 8 samples, one per lane; the last unit is always 1
    weights   [panel, input, lane]   8 output units make a panel, one per lane; the last input's weights are the biases
    moments   as weights

All of a run's numbers lie in one float32 array, `memory`; a `Layer` says where. Few large arguments instead of many
small arrays: numba compiles it several times faster.

Sums run over inputs, units or samples in a fixed order; lanes are independent results, so a vector of any width adds
up the same numbers in the same order. Layer widths are multiples of 8: the units that fill up have weights 0, which
stay 0, because a unit with value 0 and delta 0 has no gradient.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fcnet_data.fcnet.kernel.compiling import part
from fcnet_data.fcnet.kernel.lanes import (
    add,
    constant,
    divide,
    fma,
    load,
    multiply,
    spread,
    sqrt,
    store,
    subtract,
    transpose,
)

BETA_1, BETA_2, EPSILON = 0.9, 0.999, 1e-7
# A dead unit's moments decay geometrically into denormal numbers, on which processors are slow. What is added here
# changes a step by less than 1e-17 of the learning rate.
_FLUSH, _FLOOR = 1e-25, 1e-30


class Layer(NamedTuple):
    """A dense layer: its filled-up size, and where its numbers begin in memory."""

    n_in: int
    n_out: int
    weights: int
    moment_1: int
    moment_2: int
    inputs: int
    input_deltas: int
    slopes: int


@part
def forward(memory: np.ndarray, layer: Layer, source: np.ndarray, start: int, outputs: int, n_chunks: int) -> None:
    """None; weights x inputs + biases is written for `n_chunks` chunks of inputs, which begin at source[start]."""
    rows = layer.n_in + 1
    for panel in range(layer.n_out // 8):
        for chunk in range(n_chunks):
            at, w = start + chunk * rows * 8, layer.weights + panel * rows * 8
            z0 = z1 = z2 = z3 = z4 = z5 = z6 = z7 = constant(np.float32(0.0))
            for _ in range(rows):
                value = load(source, at)
                z0 = fma(spread(memory, w), value, z0)
                z1 = fma(spread(memory, w + 1), value, z1)
                z2 = fma(spread(memory, w + 2), value, z2)
                z3 = fma(spread(memory, w + 3), value, z3)
                z4 = fma(spread(memory, w + 4), value, z4)
                z5 = fma(spread(memory, w + 5), value, z5)
                z6 = fma(spread(memory, w + 6), value, z6)
                z7 = fma(spread(memory, w + 7), value, z7)
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
    """None; result[row, :] grows by the sum over k of factors[row, k] * block[k, :], for rows of 8 numbers."""
    b0, b1, b2, b3 = load(memory, block), load(memory, block + 8), load(memory, block + 16), load(memory, block + 24)
    block += 32
    b4, b5, b6, b7 = load(memory, block), load(memory, block + 8), load(memory, block + 16), load(memory, block + 24)
    for _ in range(n_rows):
        low = fma(spread(memory, factors), b0, load(memory, result))
        high = multiply(spread(memory, factors + 4), b4)
        low = fma(spread(memory, factors + 1), b1, low)
        high = fma(spread(memory, factors + 5), b5, high)
        low = fma(spread(memory, factors + 2), b2, low)
        high = fma(spread(memory, factors + 6), b6, high)
        low = fma(spread(memory, factors + 3), b3, low)
        high = fma(spread(memory, factors + 7), b7, high)
        store(memory, result, add(low, high))
        result += 8
        factors += 8


@part
def _step(memory: np.ndarray, layer: Layer, panel: int, gradient: int, rate: np.float32) -> None:
    """None; one panel's weights take an Adam step, as Keras does it: epsilon outside the bias correction in `rate`."""
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
def backward(
    memory: np.ndarray, layer: Layer, deltas: int, n_chunks: int, rate: np.float32, propagate: bool, scratch: int
) -> None:
    """None; the layer takes one Adam step for `deltas`, after the deltas of its inputs are found if `propagate`.

    At `scratch` there is room for 8 x 8 deltas and a panel's gradient (n_in + 1, 8). Panel by panel, so that a panel's
    weights, moments and gradient stay in the innermost cache and no gradient of the whole layer is ever written.
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
        _step(memory, layer, panel, gradient, rate)


@part
def apply_slopes(memory: np.ndarray, layer: Layer, n_chunks: int) -> None:
    """None; the deltas of a layer's inputs become those of the pre-activations that made the inputs."""
    for at in range(0, n_chunks * (layer.n_in + 1) * 8, 8):
        product = multiply(load(memory, layer.input_deltas + at), load(memory, layer.slopes + at))
        store(memory, layer.input_deltas + at, product)
