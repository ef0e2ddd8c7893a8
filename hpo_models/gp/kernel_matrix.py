"""`KernelMatrix`: the covariances of n inputs, again and again for other lengthscales, in the same memory.

Matrices are symmetric: the lower triangle is computed, in strips of rows. Each strip is one piece of memory, as numpy
is slow with parts of a matrix, and small enough to stay in the cache.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hpo_models.gp.factors import JITTER, cholesky, invert, invert_into
from hpo_models.gp.kernels import Kernel

STRIP = 64  # rows, at least


class KernelMatrix:
    """Memory for the matrix B = k(Z, Z) + noise I of n inputs and for what is made of it.

    Every call overwrites what earlier ones returned.

    Parameters
    ----------
    n
        Number of inputs.
    kernel
        With variance 1.
    """

    def __init__(self, n: int, kernel: Kernel):
        self._kernel = kernel
        self._strips = list(_strips(n))
        self._derivatives = [np.empty((end - start, end)) for start, end in self._strips]
        self._matrix, self._inverse = np.empty((n, n)), np.zeros((n, n))
        self._memory = np.empty((2, n * n))

    def fill(self, z: np.ndarray, noise: float) -> np.ndarray:
        """B (n, n) with the least jitter, of which the lower triangle is filled; `z` (n, d) are scaled inputs.

        Squared distances are one product of rows (-2 z, |z|^2, 1) and (z, 1, |z|^2), see `squared_distances`.
        """
        norms, ones = np.einsum("id,id->i", z, z)[:, None], np.ones((len(z), 1))
        left, right = np.concatenate([-2.0 * z, norms, ones], axis=1), np.concatenate([z, ones, norms], axis=1).T
        for (start, end), derivative in zip(self._strips, self._derivatives, strict=True):
            r2, values = (memory[: derivative.size].reshape(derivative.shape) for memory in self._memory)
            np.maximum(np.matmul(left[start:end], right[:, :end], out=r2), 0.0, out=r2)
            self._matrix[start:end, :end] = self._kernel(r2, values, derivative)[0]
        np.fill_diagonal(self._matrix, 1.0 + JITTER + noise)
        return self._matrix

    def inverse_factor(self, z: np.ndarray, noise: float) -> np.ndarray:
        """Inverse (n, n) of the Cholesky factor of B, zeros above, with as much jitter as B needs."""
        if not invert_into(self._inverse, self.fill(z, noise), self._memory[0]):
            self._inverse[...] = invert(self.jittered_factor(z, noise))
        return self._inverse

    def jittered_factor(self, z: np.ndarray, noise: float) -> np.ndarray:
        """Cholesky factor (n, n) of B, zeros above, for the rare inputs for which the least jitter is too little."""
        lower = np.tril(self.fill(z, noise), -1)
        return cholesky(lower + lower.T + (1.0 + noise) * np.eye(len(z)), 1.0)

    def times_derivative(self, matrix: np.ndarray) -> np.ndarray:
        """The lower triangle of a matrix (n, n), zeros above, times the kernel's derivative at the last inputs.

        The derivative is with respect to squared distances. The matrix is overwritten.
        """
        for (start, end), derivative in zip(self._strips, self._derivatives, strict=True):
            matrix[start:end, :end] *= derivative
        return matrix


def _strips(n: int) -> Iterator[tuple[int, int]]:
    """First row and end of strips that cover the lower triangle of an (n, n) matrix; a strip is as wide as its end."""
    count = max(1, n // STRIP)
    for k in range(count):
        yield k * n // count, (k + 1) * n // count
