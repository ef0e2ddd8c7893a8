"""`TanhNetwork` for training: the same outputs and gradients in a third to a half of the time.

A network of a few thousand parameters on a minibatch spends its time on passes over small arrays and on calls of numpy,
not on products of matrices. So observations are columns, and the arrays are kept from call to call:

    h_l         (units + 1, C, B) outputs of layer l with ones at the end: biases are the last row of a layer's weights
                (in + 1, out), as they lie in theta, and need no sums of their own
    W^T h, W d  forward and backward products, the quick ones of BLAS with columns; the third one, h d^T, is quick after
                d has been copied to rows
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from hpo_models.networks.aligned import aligned
from hpo_models.networks.tanh_network import TanhNetwork

ONE = np.float32(1.0)


class ColumnNetwork:
    """A network with one output for C vectors of float32 parameters, each with a minibatch of B observations.

    What comes back lies in arrays that the next call overwrites.
    """

    def __init__(self, network: TanhNetwork, n_chains: int, batch_size: int):
        self._sizes, hidden = network.sizes, network.sizes[1:-1]
        with_ones = [aligned((n + 1, n_chains, batch_size)) for n in hidden]
        for h in with_ones:
            h[-1] = 1.0
        self._inputs = [h.swapaxes(0, 1) for h in with_ones]
        self._hidden = [h[:-1] for h in with_ones]
        self._slopes = [aligned(h.shape) for h in self._hidden]
        self._d = [aligned(h.shape) for h in self._hidden]
        self._rows = [aligned((n_chains, batch_size, n)) for n in hidden]
        self._output = aligned((n_chains, 1, batch_size))

    def layers(self, theta: np.ndarray) -> list[np.ndarray]:
        """Views (C, in + 1, out) of weights and, in the last row, biases of each layer; theta may have more columns."""
        found, start = [], 0
        for n_in, n_out in pairwise(self._sizes):
            end = start + (n_in + 1) * n_out
            found.append(theta[:, start:end].reshape(len(theta), n_in + 1, n_out))
            start = end
        return found

    def forward(self, layers: list[np.ndarray], x: np.ndarray) -> np.ndarray:
        """(C, B) outputs for inputs (C, D + 1, B) whose last row is 1."""
        inputs = [x, *self._inputs]
        for weights, h, z in zip(layers[:-1], inputs[:-1], self._hidden, strict=True):
            np.matmul(weights.swapaxes(1, 2), h, out=z.swapaxes(0, 1))
            np.tanh(z, out=z)
        return np.matmul(layers[-1].swapaxes(1, 2), inputs[-1], out=self._output)[:, 0]

    def backward(self, layers: list[np.ndarray], x: np.ndarray, by_output: np.ndarray, out: list[np.ndarray]) -> None:
        """Fills `out`, layers of a gradient, with that of the last `forward`, given the one by its outputs (C, B)."""
        inputs = [x, *self._inputs]
        np.matmul(inputs[-1], by_output[:, :, None], out=out[-1])
        if self._d:
            np.multiply(layers[-1][:, :-1], by_output[:, None], out=self._d[-1].swapaxes(0, 1))
        for depth in range(len(self._d) - 1, -1, -1):
            h, d, slopes, rows = self._hidden[depth], self._d[depth], self._slopes[depth], self._rows[depth]
            np.multiply(h, h, out=slopes)
            np.subtract(ONE, slopes, out=slopes)
            np.multiply(d, slopes, out=d)
            np.copyto(rows, d.transpose(1, 2, 0))
            np.matmul(inputs[depth], rows, out=out[depth])
            if depth:
                np.matmul(layers[depth][:, :-1], d.swapaxes(0, 1), out=self._d[depth - 1].swapaxes(0, 1))


def with_ones(x: np.ndarray) -> np.ndarray:
    """(D + 1, N) float32 columns, ones in the last row, of inputs (N, D)."""
    return np.concatenate([x, np.ones((len(x), 1))], axis=1, dtype=np.float32).T.copy()
