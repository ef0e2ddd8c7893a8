"""Dense layers trained by Adam, as vector code: forward pass, deltas of the inputs, gradient and step in one sweep.

Layouts (lane is the fastest index; 8 lanes):

    values    [chunk, unit, lane]    a batch is cut into chunks of 8 samples, one per lane; the last unit is always 1
    weights   [panel, input, lane]   8 output units make a panel, one per lane; the last input's weights are the biases
    moments   as weights

Sums run over inputs, units or samples in a fixed order; lanes are independent results, so a vector of any width adds
up the same numbers in the same order. Layer widths are multiples of 8: the units that fill up have weights 0, which
stay 0, because a unit with value 0 and delta 0 has no gradient.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from .lanes import add, constant, divide, fma, load, multiply, spread, sqrt, store, subtract

BETA_1, BETA_2, EPSILON = np.float32(0.9), np.float32(0.999), np.float32(1e-7)
REST_1, REST_2 = np.float32(0.1), np.float32(0.001)
# A dead unit's moments decay geometrically into denormal numbers, on which processors are slow. What is added here
# changes a step by less than 1e-17 of the learning rate.
_FLUSH, _FLOOR = np.float32(1e-25), np.float32(1e-30)


class Layer(NamedTuple):
    """One dense layer with everything that its training needs."""

    n_in: int
    n_out: int
    weights: np.ndarray
    moment_1: np.ndarray
    moment_2: np.ndarray
    inputs: np.ndarray
    input_deltas: np.ndarray
    slopes: np.ndarray


@njit(nogil=True)
def forward(layer, inputs, start, outputs, n_chunks):
    """None; `outputs` holds weights x inputs + biases for `n_chunks` chunks of `inputs`, the first at `start`."""
    rows = layer.n_in + 1
    weights = layer.weights
    for panel in range(layer.n_out // 8):
        for chunk in range(n_chunks):
            at, w = start + chunk * rows * 8, panel * rows * 8
            z0 = z1 = z2 = z3 = z4 = z5 = z6 = z7 = constant(np.float32(0.0))
            for _ in range(rows):
                value = load(inputs, at)
                z0 = fma(spread(weights, w), value, z0)
                z1 = fma(spread(weights, w + 1), value, z1)
                z2 = fma(spread(weights, w + 2), value, z2)
                z3 = fma(spread(weights, w + 3), value, z3)
                z4 = fma(spread(weights, w + 4), value, z4)
                z5 = fma(spread(weights, w + 5), value, z5)
                z6 = fma(spread(weights, w + 6), value, z6)
                z7 = fma(spread(weights, w + 7), value, z7)
                at += 8
                w += 8
            out = (chunk * (layer.n_out + 1) + panel * 8) * 8
            store(outputs, out, z0)
            store(outputs, out + 8, z1)
            store(outputs, out + 16, z2)
            store(outputs, out + 24, z3)
            store(outputs, out + 32, z4)
            store(outputs, out + 40, z5)
            store(outputs, out + 48, z6)
            store(outputs, out + 56, z7)


@njit(nogil=True)
def _add_input_deltas(layer, panel, deltas, d, chunk):
    """None; what one panel's 8 units contribute to the deltas of the layer's inputs is added for one chunk."""
    input_deltas, weights = layer.input_deltas, layer.weights
    w, at = panel * (layer.n_in + 1) * 8, chunk * (layer.n_in + 1) * 8
    d0, d1, d2, d3 = load(deltas, d), load(deltas, d + 8), load(deltas, d + 16), load(deltas, d + 24)
    d4, d5, d6, d7 = load(deltas, d + 32), load(deltas, d + 40), load(deltas, d + 48), load(deltas, d + 56)
    for _ in range(layer.n_in):
        low = fma(spread(weights, w), d0, load(input_deltas, at))
        high = multiply(spread(weights, w + 4), d4)
        low = fma(spread(weights, w + 1), d1, low)
        high = fma(spread(weights, w + 5), d5, high)
        low = fma(spread(weights, w + 2), d2, low)
        high = fma(spread(weights, w + 6), d6, high)
        low = fma(spread(weights, w + 3), d3, low)
        high = fma(spread(weights, w + 7), d7, high)
        store(input_deltas, at, add(low, high))
        at += 8
        w += 8


@njit(nogil=True)
def _add_gradient(layer, gradient, square, chunk):
    """None; one chunk's part of a panel's gradient is added; `square` holds its deltas as [sample, unit of the panel]."""
    inputs, at = layer.inputs, chunk * (layer.n_in + 1) * 8
    d0, d1, d2, d3 = load(square, 0), load(square, 8), load(square, 16), load(square, 24)
    d4, d5, d6, d7 = load(square, 32), load(square, 40), load(square, 48), load(square, 56)
    g = 0
    for _ in range(layer.n_in + 1):
        low = fma(spread(inputs, at), d0, load(gradient, g))
        high = multiply(spread(inputs, at + 4), d4)
        low = fma(spread(inputs, at + 1), d1, low)
        high = fma(spread(inputs, at + 5), d5, high)
        low = fma(spread(inputs, at + 2), d2, low)
        high = fma(spread(inputs, at + 6), d6, high)
        low = fma(spread(inputs, at + 3), d3, low)
        high = fma(spread(inputs, at + 7), d7, high)
        store(gradient, g, add(low, high))
        at += 8
        g += 8


@njit(nogil=True)
def _step(layer, panel, gradient, rate):
    """None; one panel's weights take an Adam step, as Keras does it: epsilon outside the bias correction in `rate`."""
    weights, moment_1, moment_2 = layer.weights, layer.moment_1, layer.moment_2
    beta_1, rest_1, beta_2, rest_2 = constant(BETA_1), constant(REST_1), constant(BETA_2), constant(REST_2)
    epsilon, flush, floor, rates = constant(EPSILON), constant(_FLUSH), constant(_FLOOR), constant(rate)
    w = panel * (layer.n_in + 1) * 8
    for row in range(layer.n_in + 1):
        g = load(gradient, row * 8)
        m = fma(beta_1, load(moment_1, w), multiply(rest_1, g))
        m = subtract(add(m, flush), flush)
        v = fma(beta_2, load(moment_2, w), multiply(rest_2, fma(g, g, floor)))
        store(moment_1, w, m)
        store(moment_2, w, v)
        store(weights, w, subtract(load(weights, w), divide(multiply(rates, m), add(sqrt(v), epsilon))))
        w += 8


@njit(nogil=True)
def backward(layer, deltas, n_chunks, rate, propagate, gradient, square):
    """None; the layer takes one Adam step for `deltas`, after the deltas of its inputs are found if `propagate`.

    `gradient` (n_in + 1, 8) and `square` (8, 8) are scratch space. Panel by panel, so that a panel's weights, moments
    and gradient stay in the innermost cache and no gradient of the whole layer is ever written.
    """
    if propagate:
        layer.input_deltas[: n_chunks * (layer.n_in + 1) * 8] = np.float32(0.0)
    for panel in range(layer.n_out // 8):
        gradient[: (layer.n_in + 1) * 8] = np.float32(0.0)
        for chunk in range(n_chunks):
            d = (chunk * (layer.n_out + 1) + panel * 8) * 8
            if propagate:
                _add_input_deltas(layer, panel, deltas, d, chunk)
            for unit in range(8):
                for sample in range(8):
                    square[sample * 8 + unit] = deltas[d + unit * 8 + sample]
            _add_gradient(layer, gradient, square, chunk)
        _step(layer, panel, gradient, rate)
