"""Stationary kernels as functions of the squared distance, and the distance itself.

Matern-5/2 (Rasmussen and Williams, 2006, eq. 4.17) and the squared exponential (RBF), both with variance 1.

Fitting spends half its time here, and half of that on allocating memory: so all of them can write into given arrays.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from hpo_core.errors import UnknownName, nearest

ROOT_5 = 5.0**0.5


class Kernel(Protocol):
    """Covariances at squared distances, and their derivatives with respect to them, written into arrays if given."""

    def __call__(
        self, r2: np.ndarray, value: np.ndarray | None = None, derivative: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]: ...


def squared_distances(a: np.ndarray, b: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """(n, m) squared Euclidean distances of (n, d) and (m, d) rows.

    One matrix product instead of n m d differences. Cancellation leaves an error of 1e-16 of the squared norms, which
    hardly changes the kernels here, since they are smooth in the squared distance.
    """
    distances = np.matmul(-2.0 * a, b.T, out=out)
    distances += np.einsum("id,id->i", a, a)[:, None]
    distances += np.einsum("jd,jd->j", b, b)
    return np.maximum(distances, 0.0, out=distances)


def matern52(
    r2: np.ndarray, value: np.ndarray | None = None, derivative: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Matern-5/2 covariance at squared distances, and its derivative with respect to them.

    k = (1 + s + s^2 / 3) exp(-s) with s = sqrt(5 r^2);    dk / d(r^2) = -5/6 (1 + s) exp(-s)
    """
    derivative = np.sqrt(r2, out=derivative)  # s, in the memory that becomes the derivative
    derivative *= ROOT_5
    value = np.negative(derivative, out=value)
    np.exp(value, out=value)
    derivative += 1.0
    derivative *= value
    value *= r2
    value *= 5.0 / 3.0
    value += derivative
    derivative *= -5.0 / 6.0
    return value, derivative


def rbf(
    r2: np.ndarray, value: np.ndarray | None = None, derivative: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Squared exponential covariance exp(-r^2 / 2) at squared distances, and its derivative with respect to them."""
    value = np.multiply(r2, -0.5, out=value)
    np.exp(value, out=value)
    return value, np.multiply(value, -0.5, out=derivative)


KERNELS: dict[str, Kernel] = {"matern52": matern52, "rbf": rbf}


def kernel_named(name: str) -> Kernel:
    """The kernel of that name, `matern52` or `rbf`."""
    try:
        return KERNELS[name]
    except KeyError:
        raise UnknownName(f"no kernel {name!r}{nearest(name, KERNELS)}") from None
