"""Which runs must have the same bits when they are run again on another processor.

A sum of floating-point numbers in another order is another number, and BLAS orders it by what the processor can do.
Runs whose optimizer or benchmark has linear algebra are keyed by its libraries (`experiments.code.numerics`). What that
does was measured (`scripts/processor_bits.py`, and samples of the shipped archive) on one machine with the kernels of
OpenBLAS for it (SkylakeX) and with those for Haswell, numpy's loops for AVX512 switched off:

    no linear algebra         equal: rs, grid, sobol, lhs, local-search, re, de, reinforce, sh, hyperband, asha,
                              asha-stop, pasha, dehb, priorband, on tables
    other bits, as a rule     gp, gp-ucb, gp-acquisition, turbo, mobster, bohamiann, mt-bohamiann, fabolas, boca,
                              lcnet-hb, skopt-gp; every method on benchmarks whose losses are computed, such as
                              lcbench and generated tasks
    other bits, rarely        tpe-univariate, optuna-cmaes
    equal in all runs tried   cmaes, tpe, bohb, smac, bore, cqr, gp-warped, dngo, es, mtbo, bo-bos, optuna-tpe,
                              optuna-gp, hyperopt-tpe, smac3

Since a rare difference is found late, only the first line is relied on. One BLAS thread or two made no difference to
any method: a run has one thread (`hpo_core.single_thread`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def bits_are_bound(said: Mapping[str, Any], here: str) -> bool:
    """Whether a run that is run again with the libraries `here` must have the same bits; `said` is its description.

    That holds for what does not depend on these libraries, and for the same ones on the same kind of processor.
    """
    return said.get("numerics") in (None, here)
