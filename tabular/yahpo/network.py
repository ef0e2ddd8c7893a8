"""`Network`: a folded network, at one input or at many.

    u_0       = x E                                             (width,)    E: the entry, other for each instance
    u_k+1     = u_k + (u_k V_k * relu(u_k G_k)) S_k             block k: [V G] first layer, values and gates; S second
    logits    = relu(u_K) O                                     (n_targets,)

All layers are products alone: x ends in a 1, the entry hands it on in a column of u, and biases are the row of V, G and
O that it meets. The entry also holds what block 0 makes of x, x E V_0 and x E G_0, since there is nothing but linear
layers before: so D x 2 units numbers are read where there would be width x 2 units.

Numbers are float32, as in the source. One input is matrix-vector products and many are matrix products, which add up
in another order: the results differ by some 1e-7 of a target's range. Neither writes to anything that outlives
the call.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from hpo_core.cores import usable_cores
from hpo_core.single_thread import single_threaded

ROWS = 256  # inputs at a time: what they need fits in a core's cache
MANY = 4 * ROWS  # inputs from which on the cores share the work


@dataclass(frozen=True, eq=False)
class ResidualBlock:
    """A residual block: first (width, 2 units), values and then gates; second (units, width)."""

    first: np.ndarray
    second: np.ndarray


class Network:
    """What all instances share. The first layer of block 0 is folded into the entries.

    Parameters
    ----------
    blocks
        In their order.
    head
        (width, n_targets) the last layer.
    """

    def __init__(self, blocks: Sequence[ResidualBlock], head: np.ndarray):
        self.head = head
        self.width, self.units = len(head), len(blocks[0].second)
        following = [*(block.first for block in blocks[1:]), None]
        self._steps = [(block.second, first) for block, first in zip(blocks, following, strict=True)]
        self._zeros = np.zeros(self.units, dtype=np.float32)
        self._narrow_zeros = np.zeros(self.width, dtype=np.float32)

    @single_threaded
    def one(self, entry: np.ndarray, x: Sequence[float]) -> list[float]:
        """(n_targets,) logits at one input (D,); the entry is (D, width + 2 units)."""
        width, units, zeros, maximum = self.width, self.units, self._zeros, np.maximum
        start = np.array(x, dtype=np.float32).dot(entry)
        u, both = start[:width], start[width:]
        for second, following in self._steps:
            gates = both[units:]
            maximum(gates, zeros, out=gates)
            gates *= both[:units]
            u += gates.dot(second)
            if following is not None:
                both = u.dot(following)
        maximum(u, self._narrow_zeros, out=u)
        return u.dot(self.head).tolist()

    @single_threaded
    def many(self, entry: np.ndarray, x: np.ndarray) -> np.ndarray:
        """(n, n_targets) logits at many inputs (n, D) of float32."""
        logits = np.empty((len(x), self.head.shape[1]), dtype=np.float32)
        if len(x) < MANY or usable_cores() == 1:
            self._fill(entry, x, logits)
            return logits
        with ThreadPoolExecutor(usable_cores()) as pool:
            shares = _shares(len(x), usable_cores())
            for done in [pool.submit(self._fill, entry, x[share], logits[share]) for share in shares]:
                done.result()
        return logits

    def _fill(self, entry: np.ndarray, x: np.ndarray, logits: np.ndarray) -> None:
        """Write the logits of a share of the inputs; its arrays are reused for all of its parts."""
        width, units = self.width, self.units
        n = min(len(x), ROWS)
        streams, steps = np.empty((2, n, width), dtype=np.float32)
        all_values, all_gates = np.empty((2, n, units), dtype=np.float32)
        for start in range(0, len(x), ROWS):
            part = x[start : start + ROWS]
            u, step, values, gates = (array[: len(part)] for array in (streams, steps, all_values, all_gates))
            np.dot(part, entry[:, :width], out=u)
            np.dot(part, entry[:, width : width + units], out=values)
            np.dot(part, entry[:, width + units :], out=gates)
            for second, following in self._steps:
                np.maximum(gates, 0.0, out=gates)
                gates *= values
                u += np.dot(gates, second, out=step)
                if following is not None:
                    np.dot(u, following[:, :units], out=values)
                    np.dot(u, following[:, units:], out=gates)
            np.maximum(u, 0.0, out=u)
            np.dot(u, self.head, out=logits[start : start + ROWS])


def _shares(n: int, n_shares: int) -> Iterator[slice]:
    """Slices of 0..n-1 of whole parts of `ROWS`: a result does not depend on the number of cores."""
    parts = -(-n // ROWS)
    ends = [ROWS * (parts * i // n_shares) for i in range(n_shares + 1)]
    return (slice(start, end) for start, end in pairwise(ends) if end > start)
