"""The Kumaraswamy distribution's function on the unit interval, as a monotone warping of inputs.

Cowen-Rivers et al. (2022) use it in HEBO; Snoek et al. (2014) warp by the beta distribution's, which is very similar.

    w(x) = 1 - (1 - x^a)^b        a, b > 0;  a = b = 1 is the identity
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

EDGE = 1e-6  # inputs closer to 0 or 1 count as there: the derivatives have logarithms of both distances


class Warped(NamedTuple):
    """Warped inputs (n, k), and their derivatives with respect to log a and log b, (n, k) each."""

    inputs: np.ndarray
    along_log_a: np.ndarray
    along_log_b: np.ndarray


def warp(x: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(n, k) warped inputs; `a` and `b` (k,) are those of the columns."""
    return warp_with_slopes(x, a, b).inputs


def warp_with_slopes(x: np.ndarray, a: np.ndarray, b: np.ndarray) -> Warped:
    """Warped inputs with derivatives.

    With u = x^a:  dw / d log a = a b u (1 - u)^(b - 1) log x,   dw / d log b = -b (1 - u)^b log(1 - u)

    Parameters
    ----------
    x
        (n, k) inputs in the unit cube.
    a, b
        (k,) of the columns.

    Returns
    -------
    Warped
        Inputs and derivatives.
    """
    log_x = np.log(np.clip(x, EDGE, 1.0 - EDGE))
    log_rest = np.log(-np.expm1(a * log_x))  # log(1 - u), without the cancellation of 1 - u
    rest = np.exp(b * log_rest)
    along_log_a = a * b * np.exp(a * log_x + (b - 1.0) * log_rest) * log_x
    return Warped(-np.expm1(b * log_rest), along_log_a, -b * rest * log_rest)
