"""Which methods propose something else on another processor, or with other libraries of linear algebra.

A sum of floating-point numbers in another order is another number, and BLAS orders it by what the processor can do.
Methods that are keyed by these libraries (`experiments.code.numerics`) may differ; whether they do was measured: the
same runs on one machine with the kernels of OpenBLAS for it (SkylakeX) and with those for Haswell, numpy's AVX512 loops
switched off (`scripts/processor_bits.py`). One thread or two made no difference: a run has one thread (`single_threaded`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# to be measured
PROCESSOR_DEPENDENT: frozenset[str] = frozenset()


def bits_are_bound(said: Mapping[str, Any], here: str) -> bool:
    """Whether a run that is run again with the libraries `here` must have the same bits; `said` is its description.

    That holds for what does not depend on these libraries, for the same libraries on the same kind of processor, and
    for methods on tables that were measured to be equal on both kinds.
    """
    made_with = said.get("numerics")
    if made_with is None or made_with == here:
        return True
    return False
