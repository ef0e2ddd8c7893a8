"""Libraries of linear algebra, on which the last digits of a result depend: a sum in another order is another number.

Two machines with another numpy, or another processor, for which OpenBLAS takes another kernel, disagree in the last
digits of a matrix product. A Gaussian process then proposes something else after some trials. So runs whose optimizer
or benchmark has linear algebra are keyed by these libraries too; lookups in tables and random numbers are not.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, version

PRODUCTS = frozenset(("linalg", "dot", "vdot", "inner", "matmul", "tensordot", "einsum", "lstsq"))
LIBRARIES = frozenset(
    (
        "scipy",
        "sklearn",
        "torch",
        "xgboost",
        "lightgbm",
        "cma",
        "optuna",
        "hyperopt",
        "smac",
        "skopt",
        "nevergrad",
        "GPy",
        "jax",
    )
)


def has_linear_algebra(nodes: Iterable[ast.AST], modules: Collection[str]) -> bool:
    """Whether code multiplies matrices, or imports a library that does; `modules` are all that it imports.

    >>> [has_linear_algebra(ast.walk(ast.parse(code)), []) for code in ("a @ b", "a * b")]
    [True, False]
    """
    if any(module.partition(".")[0] in LIBRARIES for module in modules):
        return True
    return any(
        isinstance(node, ast.MatMult) or (isinstance(node, ast.Attribute) and node.attr in PRODUCTS) for node in nodes
    )


@cache
def numerics() -> str:
    """The libraries in one line, with the kernel for this processor: `numpy 2.3.1, openblas 0.3.29 Haswell`.

    `OPENBLAS_CORETYPE` in the environment chooses another kernel.
    """
    import numpy as np
    from threadpoolctl import ThreadpoolController

    pools = [pool for pool in ThreadpoolController().info() if pool["user_api"] == "blas"]
    own = [pool for pool in pools if "numpy" in pool["filepath"]] or pools[:1]
    kernels = sorted(
        {f"{pool['internal_api']} {pool['version']} {pool.get('architecture', '')}".strip() for pool in own}
    )
    return ", ".join([f"numpy {np.__version__}", *_installed("scipy", "scikit-learn"), *(kernels or ["another BLAS"])])


def _installed(*names: str) -> list[str]:
    found = []
    for name in names:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    return found
