"""Activations, their derivatives and dropout, in place on [chunk, unit, lane] values whose last unit is constant 1.

In all functions `memory` holds all numbers of a run, `values` and `derivatives` are the indices where activations and
their derivatives begin, `n_units` is the number of units including padding, and `kind` is `RELU` or `TANH`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fcnet_data.fcnet.kernel.compiling import part
from fcnet_data.fcnet.kernel.lanes import constant, divide, fma, is_positive, load, maximum, minimum, multiply, store
from fcnet_data.fcnet.kernel.random_stream import mix32

RELU, TANH = 0, 1
# tanh(x) = x P(x^2) / Q(x^2) for |x| <= 9, a minimax fit of the relative error (2e-8 before rounding); tanh(9) = 1 in
# float32.
_LIMIT = np.float32(9.0)
_P0, _P1, _P2, _P3, _P4 = (
    np.float32(c) for c in (0.999999979829, 0.133810486029, 3.49561389772e-3, 2.06094563026e-5, 1.33550966675e-8)
)
_Q1, _Q2, _Q3, _Q4 = (np.float32(c) for c in (0.467143643272, 2.58770839435e-2, 3.28567470941e-4, 7.77675349795e-7))


@part
def tanh(x: Any) -> Any:
    """tanh in each lane, with a relative error below 3e-7; NaN stays NaN."""
    x = maximum(minimum(x, constant(_LIMIT)), constant(-_LIMIT))
    u = multiply(x, x)
    p = fma(fma(constant(_P4), u, constant(_P3)), u, constant(_P2))
    p = fma(fma(p, u, constant(_P1)), u, constant(_P0))
    q = fma(fma(constant(_Q4), u, constant(_Q3)), u, constant(_Q2))
    q = fma(fma(q, u, constant(_Q1)), u, constant(np.float32(1.0)))
    return divide(multiply(x, p), q)


@part
def activate(memory: np.ndarray, values: int, n_units: int, n_chunks: int, kind: int) -> None:
    """Replace pre-activations by activations.

    Parameters
    ----------
    memory, values
        All numbers of a run, and the index where the pre-activations begin.
    n_units, n_chunks
        Number of units including padding, and of chunks of 8 samples.
    kind
        `RELU` or `TANH`.
    """
    for chunk in range(n_chunks):
        at = values + chunk * (n_units + 1) * 8
        for _ in range(n_units):
            if kind == RELU:
                store(memory, at, maximum(load(memory, at), constant(np.float32(0.0))))
            else:
                store(memory, at, tanh(load(memory, at)))
            at += 8


@part
def differentiate(memory: np.ndarray, values: int, derivatives: int, n_units: int, n_chunks: int, kind: int) -> None:
    """Write the derivative of each activation, computed from the activation itself.

    Parameters
    ----------
    memory, values, derivatives
        All numbers of a run, and the indices where activations and derivatives begin.
    n_units, n_chunks
        Number of units including padding, and of chunks of 8 samples.
    kind
        `RELU` or `TANH`.
    """
    for at in range(0, n_chunks * (n_units + 1) * 8, 8):
        value = load(memory, values + at)
        if kind == RELU:
            store(memory, derivatives + at, is_positive(value))
        else:
            minus = multiply(constant(np.float32(-1.0)), value)
            store(memory, derivatives + at, fma(minus, value, constant(np.float32(1.0))))


@part
def drop(
    memory: np.ndarray, values: int, derivatives: int, n_units: int, n_chunks: int, rate: float, key: np.uint64
) -> None:
    """Set each activation and its derivative to 0 with probability `rate`, else divide them by 1 - rate.

    Parameters
    ----------
    memory, values, derivatives
        All numbers of a run, and the indices where activations and derivatives begin.
    n_units, n_chunks
        Number of units including padding, and of chunks of 8 samples.
    rate
        Of dropout.
    key
        Of the random numbers.
    """
    threshold = np.uint32(min(rate * 4294967296.0, 4294967295.0))
    scale = np.float32(1.0 / (1.0 - rate))
    low, high = np.uint32(key), np.uint32(key >> np.uint64(32))
    n = n_units * 8
    for chunk in range(n_chunks):
        first = chunk * (n_units + 1) * 8
        a, s = memory[values + first : values + first + n], memory[derivatives + first : derivatives + first + n]
        for k in range(n):  # from 0, or LLVM would have to check for negative indices and give up vector code
            bits = mix32(np.uint32(mix32(np.uint32(np.uint32(first + k) + low)) ^ high))
            factor = np.float32(0.0) if bits < threshold else scale
            a[k] *= factor
            s[k] *= factor
