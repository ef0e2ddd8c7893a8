"""What identifies the contents of benchmarks and optimizers, as the keys of runs have it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from hpo_core import Benchmark
from hpo_core.factories import module_of
from hpo_core.names import optimizer_factory, resolve_problem
from hpo_core.problems.problem import Problem
from hpo_core.running.optimizer import Optimizer
from hpo_core.space.plain_data import space_to_json
from hpo_leaderboard.experiments.code_digest import code_digest, definition_digest

N_OPEN = 64  # benchmarks that a process keeps open; opening a table takes longer than a run of random search


class OpenBenchmark(NamedTuple):
    """A benchmark with its family, and the checksum of its contents."""

    benchmark: Benchmark
    family: str
    checksum: str


def open_benchmark(name: str, options: Mapping[str, Any]) -> OpenBenchmark:
    """The benchmark that a suite names; the last ones are kept open."""
    return _open_benchmark(name, json.dumps(dict(options), sort_keys=True))


@lru_cache(maxsize=N_OPEN)
def _open_benchmark(name: str, options_json: str) -> OpenBenchmark:
    resolved = resolve_problem(name, **json.loads(options_json))
    benchmark = Benchmark(resolved.problem)
    return OpenBenchmark(benchmark, resolved.family, checksum(benchmark.problem, resolved.module))


def close_benchmarks() -> None:
    """Forget the open benchmarks, so that they are opened anew."""
    _open_benchmark.cache_clear()


def checksum(problem: Problem, module: str) -> str:
    """Hexadecimal SHA-256 of what an evaluation depends on.

    A problem may state its own as `checksum`; that of a table is taken over its columns; any other is told from another
    by its space, its budgets and the code of the module that makes it.
    """
    stated = getattr(problem, "checksum", None)
    if isinstance(stated, str):
        return stated
    budgets = [len(problem.budgets), float(problem.budgets[0]), float(problem.budgets[-1])]
    head = json.dumps([problem.name, space_to_json(problem.space), budgets], sort_keys=True)
    table = getattr(problem, "table", None)
    if table is None:
        return hashlib.sha256(f"{head} {code_digest(module)}".encode()).hexdigest()
    digest = hashlib.sha256(head.encode())
    for name in sorted(table.columns):
        array = np.ascontiguousarray(table.columns[name])
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
        digest.update(array.reshape(-1).data.cast("B"))
    return digest.hexdigest()


def optimizer_version(name: str, built: Optimizer | None) -> str:
    """Version of an optimizer: a digest of the code that makes its proposals, or what its class states as `version`.

    A `version` that the object sets for itself is added to the digest: an adapter states the version of the library
    that it wraps. `built` is None if the optimizer could not be built.
    """
    factory = optimizer_factory(name)
    for stating in (factory, type(built)):
        stated = getattr(stating, "version", None)
        if isinstance(stated, str):
            return f"version {stated}"
    digest = code_digest(module_of(factory, name)) or definition_digest(factory)
    code = "code unknown" if digest is None else f"code {digest}"
    stated = getattr(built, "version", None)
    return f"{code}, {stated}" if isinstance(stated, str) else code
