"""One library thread per process: two of them on one core would wait for each other, and a sum that is split between
threads comes out differently in its last bits."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
LIMITS = {variable: "1" for variable in VARIABLES}


@contextmanager
def one_thread() -> Iterator[None]:
    """This process with one thread in each numerical library, those that are loaded and those that will be."""
    from threadpoolctl import threadpool_limits

    before = {variable: os.environ.get(variable) for variable in VARIABLES}
    os.environ.update(LIMITS)
    try:
        with threadpool_limits(limits=1):
            yield
    finally:
        for variable, value in before.items():
            if value is None:
                os.environ.pop(variable, None)
            else:
                os.environ[variable] = value
