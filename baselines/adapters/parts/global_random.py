"""`OwnRandomState`: global random states for a library that draws from them, and from nowhere else."""

from __future__ import annotations

import random
from types import TracebackType

import numpy as np


class OwnRandomState:
    """A block in which numpy's and Python's global generators are those of a seed; outside they are as they were.

    Each block goes on where the last one ended, so that what a library draws is a function of the seed. Two threads of
    Python must not be inside of blocks at the same time.

    >>> own, again = OwnRandomState(1), OwnRandomState(1)
    >>> with own:
    ...     first = random.random()
    >>> with again:
    ...     first == random.random()
    True
    """

    def __init__(self, seed: int):
        self._numpy = np.random.RandomState(seed % 2**32).get_state()
        self._python = random.Random(seed).getstate()  # noqa: S311 - nothing secret

    def __enter__(self) -> None:
        self._exchange()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._exchange()

    def _exchange(self) -> None:
        """The global states, and those that are kept here, in each other's place."""
        numpy, python = np.random.get_state(), random.getstate()  # noqa: NPY002
        np.random.set_state(self._numpy)  # noqa: NPY002
        random.setstate(self._python)
        self._numpy, self._python = numpy, python
