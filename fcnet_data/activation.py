"""Activations, their slopes and dropout, in place on [chunk, unit, lane] values whose last unit is the constant 1."""

from __future__ import annotations

import numpy as np
from numba import njit

from .lanes import constant, divide, fma, is_positive, load, maximum, minimum, multiply, store
from .random_stream import mix32

RELU, TANH = 0, 1
# tanh(x) = x P(x^2) / Q(x^2) for |x| <= 9, a minimax fit of the relative error (2e-8 before rounding); tanh(9) = 1 in
# float32.
_LIMIT = np.float32(9.0)
_P0, _P1, _P2, _P3, _P4 = (
    np.float32(c) for c in (0.999999979829, 0.133810486029, 3.49561389772e-3, 2.06094563026e-5, 1.33550966675e-8)
)
_Q1, _Q2, _Q3, _Q4 = (np.float32(c) for c in (0.467143643272, 2.58770839435e-2, 3.28567470941e-4, 7.77675349795e-7))
_ONE, _ZERO = np.float32(1.0), np.float32(0.0)


@njit(nogil=True)
def tanh(x):
    """tanh in each lane, within 4 units in the last place; NaN stays NaN."""
    x = maximum(minimum(x, constant(_LIMIT)), constant(-_LIMIT))
    u = multiply(x, x)
    p = fma(fma(constant(_P4), u, constant(_P3)), u, constant(_P2))
    p = fma(fma(p, u, constant(_P1)), u, constant(_P0))
    q = fma(fma(constant(_Q4), u, constant(_Q3)), u, constant(_Q2))
    q = fma(fma(q, u, constant(_Q1)), u, constant(_ONE))
    return divide(multiply(x, p), q)


@njit(nogil=True)
def activate(values, n_units, n_chunks, kind):
    """None; pre-activations become activations."""
    for chunk in range(n_chunks):
        first = chunk * (n_units + 1) * 8
        for unit in range(n_units):
            at = first + unit * 8
            if kind == RELU:
                store(values, at, maximum(load(values, at), constant(_ZERO)))
            else:
                store(values, at, tanh(load(values, at)))


@njit(nogil=True)
def find_slopes(values, slopes, n_units, n_chunks, kind):
    """None; `slopes` holds the derivative of each activation, found from the activation itself."""
    for chunk in range(n_chunks):
        first = chunk * (n_units + 1) * 8
        for unit in range(n_units):
            at = first + unit * 8
            value = load(values, at)
            if kind == RELU:
                store(slopes, at, is_positive(value))
            else:
                store(slopes, at, fma(multiply(constant(-_ONE), value), value, constant(_ONE)))


@njit(nogil=True)
def drop(values, slopes, n_units, n_chunks, rate, key):
    """None; each activation and its slope become 0 with probability `rate`, else are divided by 1 - rate."""
    threshold = np.uint32(min(rate * 4294967296.0, 4294967295.0))
    scale = np.float32(1.0 / (1.0 - rate))
    low, high = np.uint32(key), np.uint32(key >> np.uint64(32))
    for chunk in range(n_chunks):
        first = chunk * (n_units + 1) * 8
        part, slope = values[first : first + n_units * 8], slopes[first : first + n_units * 8]
        for k in range(part.size):
            bits = mix32(np.uint32(mix32(np.uint32(np.uint32(first + k) + low)) ^ high))
            factor = _ZERO if bits < threshold else scale
            part[k] *= factor
            slope[k] *= factor
