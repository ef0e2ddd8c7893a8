"""The basis functions of LC-Net's last layer (Klein, 2020, section 5.3 and table B.2; Klein et al., 2017).

    t           share of the full budget, in (0, 1]          a, b, c    parameters of a function, in (0, 1)
    phi_i(t)    psi_i(t) - psi_i(1): distance to the value at the full budget, 0 at t = 1

    vapor pressure   psi = exp(-a - b / 10t - c/10 log t)
    power            psi = a t^b
    log power        psi = -2a / (1 + exp(c (log t - b/10)))
    exponential      psi = -a exp(-10 b t)
    hill-3           psi = a / (1 + (c / t)^b)

Departures from the paper: Klein (2020) announces five functions and prints three, none of which is 0 at t = 1. The
other two are those of the authors' code. psi(1) is subtracted from each, so that the asymptote is the value at the full
budget.
"""

from __future__ import annotations

import numpy as np

FUNCTIONS = ("vapor pressure", "power", "log power", "exponential", "hill-3")
OWNER = np.array([0, 0, 0, 1, 1, 2, 2, 2, 3, 3, 4, 4, 4])  # which function a parameter belongs to
N_FUNCTIONS, N_PARAMETERS = len(FUNCTIONS), len(OWNER)
SMALLEST = 1e-6  # of a parameter whose logarithm is taken


def basis(t: np.ndarray, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Values (..., 5) of the functions at t (...), and derivatives (..., 13) with respect to their parameters theta."""
    shape = np.broadcast_shapes(np.shape(t), theta.shape[:-1])
    values = np.empty((*shape, N_FUNCTIONS), dtype=theta.dtype)
    derivatives = np.empty((*shape, N_PARAMETERS), dtype=theta.dtype)
    parameters = np.moveaxis(theta, -1, 0)
    log_t = np.log(t)
    _vapor_pressure(t, log_t, parameters[0:3], values[..., 0], derivatives[..., 0:3])
    _power(log_t, parameters[3:5], values[..., 1], derivatives[..., 3:5])
    _log_power(log_t, parameters[5:8], values[..., 2], derivatives[..., 5:8])
    _exponential(t, parameters[8:10], values[..., 3], derivatives[..., 8:10])
    _hill(log_t, parameters[10:13], values[..., 4], derivatives[..., 10:13])
    return values, derivatives


def _vapor_pressure(
    t: np.ndarray, log_t: np.ndarray, abc: np.ndarray, value: np.ndarray, derivative: np.ndarray
) -> None:
    a, b, c = abc
    now, end = np.exp(-a - 0.1 * (b / t + c * log_t)), np.exp(-a - 0.1 * b)
    value[...] = now - end
    derivative[..., 0] = -value
    derivative[..., 1] = 0.1 * (end - now / t)
    derivative[..., 2] = -0.1 * now * log_t


def _power(log_t: np.ndarray, ab: np.ndarray, value: np.ndarray, derivative: np.ndarray) -> None:
    a, b = ab
    now = np.exp(b * log_t)
    derivative[..., 0] = now - 1.0
    derivative[..., 1] = a * now * log_t
    value[...] = a * derivative[..., 0]


def _log_power(log_t: np.ndarray, abc: np.ndarray, value: np.ndarray, derivative: np.ndarray) -> None:
    a, b, c = abc
    now = 1.0 / (1.0 + np.exp(c * (log_t - 0.1 * b)))
    end = 1.0 / (1.0 + np.exp(-0.1 * c * b))
    d_now, d_end = now * (1.0 - now), end * (1.0 - end)
    derivative[..., 0] = 2.0 * (end - now)
    derivative[..., 1] = 0.2 * a * c * (d_end - d_now)
    derivative[..., 2] = 2.0 * a * (0.1 * b * d_end + (log_t - 0.1 * b) * d_now)
    value[...] = a * derivative[..., 0]


def _exponential(t: np.ndarray, ab: np.ndarray, value: np.ndarray, derivative: np.ndarray) -> None:
    a, b = ab
    now, end = np.exp(-10.0 * b * t), np.exp(-10.0 * b)
    derivative[..., 0] = end - now
    derivative[..., 1] = 10.0 * a * (t * now - end)
    value[...] = a * derivative[..., 0]


def _hill(log_t: np.ndarray, abc: np.ndarray, value: np.ndarray, derivative: np.ndarray) -> None:
    a, b, c = abc
    c = np.maximum(c, SMALLEST)
    log_c = np.log(c)
    now, end = 1.0 / (1.0 + np.exp(b * (log_c - log_t))), 1.0 / (1.0 + np.exp(b * log_c))
    d_now, d_end = now * (1.0 - now), end * (1.0 - end)
    derivative[..., 0] = now - end
    derivative[..., 1] = a * (log_c * d_end - (log_c - log_t) * d_now)
    derivative[..., 2] = a * b / c * (d_end - d_now)
    value[...] = a * derivative[..., 0]
