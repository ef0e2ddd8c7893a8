"""Which methods propose something else on another processor.

A sum of floating-point numbers in another order is another number, and BLAS orders it by what the processor can do.
Runs whose optimizer has linear algebra are keyed by its libraries (`experiments.code.numerics`). Whether their bits
really differ was measured (`scripts/processor_bits.py`) on one machine with the kernels of OpenBLAS for it (SkylakeX)
and with those for Haswell, numpy's loops for AVX512 switched off. One BLAS thread or two made no difference to any
method: a run has one thread (`hpo_core.single_thread`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# differ with the kernels of another processor; or have the same model as one that does
PROCESSOR_DEPENDENT = frozenset(
    (
        *("gp", "gp-ucb", "bohamiann", "mt-bohamiann", "fabolas", "boca", "lcnet-hb", "skopt-gp"),
        *("tpe-univariate", "tpe", "bohb"),  # one of some twenty runs of the first differed
        *("es", "mtbo", "bo-bos", "lc-gp", "dngo", "optuna-gp"),
    )
)
# have linear algebra and were equal to the last bit with both kernels
EQUAL = frozenset(
    (
        *("cmaes", "smac", "bore"),
        *("optuna-tpe", "optuna-cmaes", "hyperopt-tpe", "smac3"),
    )
)


def bits_are_bound(said: Mapping[str, Any], here: str, *, on_table: bool) -> bool:
    """Whether a run that is run again with the libraries `here` must have the same bits.

    That holds for what does not depend on these libraries, for the same ones on the same kind of processor, and, with
    the same versions on another kind, for those methods on tables that were measured to be equal.

    Parameters
    ----------
    said
        Description of the run.
    here
        See `numerics`; its last word is the kind of processor.
    on_table
        Whether the run is on a table, whose losses are looked up and not computed.
    """
    made_with = said.get("numerics")
    if made_with is None or made_with == here:
        return True
    same_versions = made_with.rpartition(" ")[0] == here.rpartition(" ")[0]
    return on_table and same_versions and said["optimizer"]["name"] in EQUAL
