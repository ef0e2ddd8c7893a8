"""Cholesky factors of covariance matrices, their inverses, and observations made independent by them.

    A = L L'    symmetric, L lower triangular        W = L^-1

W is what predictions and gradients need: products with it are faster than solving triangular systems with L.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import lapack

from hpo_core.errors import HpoError

BLOCK = 96  # rows of a matrix up to which LAPACK factorises and inverts it
JITTER = 1e-10  # of the scale: added to the diagonal first, and ten times more after each failure


class NotPositiveDefinite(HpoError, ArithmeticError):
    """A covariance matrix that has no Cholesky factor even with a large jitter."""


def cholesky(covariance: np.ndarray, scale: float) -> np.ndarray:
    """Lower Cholesky factor (n, n), zeros above, of a symmetric matrix, with as much jitter as it needs.

    The jitter starts at 1e-10 of `scale`; a matrix that needs more than a thousandth raises `NotPositiveDefinite`.
    """
    jitter = JITTER * scale
    while jitter <= 1e-3 * scale:
        jittered = covariance.copy()
        np.fill_diagonal(jittered, covariance.diagonal() + jitter)
        factor, failed = lapack.dpotrf(jittered.T, lower=1, clean=1, overwrite_a=1)  # .T: LAPACK's order
        if not failed:
            return factor
        jitter *= 10.0
    raise NotPositiveDefinite(
        "a covariance matrix must be positive definite; this one is not, even with a thousandth of its scale added "
        "to the diagonal: look for NaN or huge values among the inputs"
    )


def invert(factor: np.ndarray) -> np.ndarray:
    """Inverse (n, n) of a lower triangular matrix with zeros above."""
    return lapack.dtrtri(factor, lower=1)[0]


def invert_into(out: np.ndarray, covariance: np.ndarray, memory: np.ndarray) -> bool:
    """Whether a symmetric matrix has a Cholesky factor L; if so, W = L^-1 is in `out`.

    Recursive in halves, so that most of the work is products of matrices, which LAPACK's own routines do less of:

        L_21 = A_21 W_11',    L_22 L_22' = A_22 - L_21 L_21',    W_21 = -W_22 L_21 W_11

    Parameters
    ----------
    out
        (n, n) with zeros above the diagonal; what is above stays.
    covariance
        (n, n), of which the lower triangle is read and overwritten.
    memory
        (n * n,) numbers or more that are overwritten.

    Returns
    -------
    bool
        False if the matrix is not positive definite.
    """
    n = len(covariance)
    if n <= BLOCK:
        upper, failed = lapack.dpotrf(covariance.T, lower=0, clean=1)
        if not failed:
            out[...] = lapack.dtrtri(upper, lower=0, overwrite_c=1)[0].T
        return not failed
    half = n // 2
    rest = n - half
    first, second, below = out[:half, :half], out[half:, half:], out[half:, :half]
    left, corner = covariance[half:, :half], covariance[half:, half:]
    if not invert_into(first, covariance[:half, :half], memory):
        return False
    factor = np.matmul(left, first.T, out=memory[: rest * half].reshape(rest, half))
    corner -= np.matmul(factor, factor.T, out=memory[rest * half : rest * n].reshape(rest, rest))
    np.matmul(factor, first, out=left)
    if not invert_into(second, corner, memory):
        return False
    np.matmul(second, left, out=below)
    np.negative(below, out=below)
    return True


def centred(whitened: np.ndarray, precision: float) -> tuple[float, np.ndarray]:
    """Most probable constant mean m, and the whitened residuals W (y - m), (n,).

    Parameters
    ----------
    whitened
        (n, 2) columns W 1 and W y.
    precision
        One over the variance of the mean's prior, which is normal around 0, in the units in which W was made.

    Returns
    -------
    tuple of float and np.ndarray
        The mean and the residuals.
    """
    ones, values = whitened[:, 0], whitened[:, 1]
    mean = float(ones @ values / (ones @ ones + precision))
    return mean, values - mean * ones
