"""Benchmarks and optimizers by name, as a job names them, with what identifies their contents.

A name is a registered one, or `MODULE:ATTRIBUTE`, which is imported: for a benchmark a function that returns a
`Problem`, for an optimizer a class or function that is called as `factory(space, budgets=..., seed=..., **options)`.
"""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any, NamedTuple

import numpy as np

from hpo_core import Benchmark
from hpo_core.errors import UnknownName, nearest
from hpo_core.problems.problem import Problem
from hpo_core.registry import GROUP as BENCHMARKS
from hpo_core.registry import families, make_problem
from hpo_core.running.optimizer import GROUP as OPTIMIZERS
from hpo_core.running.optimizer import Optimizer
from hpo_core.space import Space
from hpo_core.space.plain_data import space_to_json

OWN = "own"  # family of the benchmarks that are given as MODULE:ATTRIBUTE
N_OPEN = 64  # benchmarks that a process keeps open; opening a table takes longer than a run of random search


class OpenBenchmark(NamedTuple):
    """A benchmark with its family, and the checksum of its contents."""

    benchmark: Benchmark
    family: str
    checksum: str


def open_benchmark(name: str, options: Mapping[str, Any]) -> OpenBenchmark:
    """The named benchmark; the last ones are kept open."""
    return _open_benchmark(name, json.dumps(dict(options), sort_keys=True))


@lru_cache(maxsize=N_OPEN)
def _open_benchmark(name: str, options_json: str) -> OpenBenchmark:
    options = json.loads(options_json)
    if ":" in name:
        benchmark = Benchmark(_imported(name)(**options))
        return OpenBenchmark(benchmark, OWN, _checksum(benchmark.problem, _source_version(name)))
    for family, members in families().items():
        problem = members.make(name, **options)
        if problem is not None:
            benchmark = Benchmark(problem)
            return OpenBenchmark(benchmark, family, _checksum(problem, _family_version(family)))
    raise _unknown_benchmark(name)


def _unknown_benchmark(name: str) -> Exception:
    try:
        make_problem(name)
    except UnknownName as error:
        return error
    return UnknownName(f"no benchmark {name!r}")


def _checksum(problem: Problem, version: str) -> str:
    """Hexadecimal SHA-256 of what an evaluation depends on.

    A problem may state its own as `checksum`; that of a table is taken over its columns; any other is told from another
    by its space, its budgets and the version of the package that it comes from.
    """
    stated = getattr(problem, "checksum", None)
    if isinstance(stated, str):
        return stated
    budgets = [len(problem.budgets), float(problem.budgets[0]), float(problem.budgets[-1])]
    head = json.dumps([problem.name, space_to_json(problem.space), budgets], sort_keys=True)
    table = getattr(problem, "table", None)
    if table is None:
        return hashlib.sha256(f"{head} {version}".encode()).hexdigest()
    digest = hashlib.sha256(head.encode())
    for name in sorted(table.columns):
        array = np.ascontiguousarray(table.columns[name])
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
        digest.update(array.reshape(-1).data.cast("B"))
    return digest.hexdigest()


def build_optimizer(
    name: str, options: Mapping[str, Any], space: Space, budgets: Sequence[float], seed: int
) -> Optimizer:
    """The named optimizer on a space."""
    if ":" in name:
        return _imported(name)(space, budgets=budgets, seed=seed, **options)
    return _shelf(name).module.optimizer(name, space, budgets, seed, **options)


def optimizer_version(name: str, built: Optimizer | None) -> str:
    """Version of an optimizer: of the package that offers it, and the one that the object states as `version`, if any.

    An adapter states the version of the library that it wraps. The version of an optimizer given as MODULE:ATTRIBUTE is
    a digest of the module's source.
    """
    version = _source_version(name) if ":" in name else _shelf(name).version
    stated = getattr(built, "version", None)
    return f"{version}, {stated}" if isinstance(stated, str) else version


def listed_optimizers() -> list[str]:
    """Names of the optimizers of every installed package."""
    return [name for shelf in _shelves() for name in shelf.module.optimizers()]


class _Shelf(NamedTuple):
    module: Any
    version: str


@cache
def _shelves() -> list[_Shelf]:
    entries = sorted(entry_points(group=OPTIMIZERS), key=lambda entry: entry.name)
    return [_Shelf(entry.load(), _version(entry)) for entry in entries]


def _shelf(name: str) -> _Shelf:
    for shelf in _shelves():
        if name in shelf.module.optimizers():
            return shelf
    raise UnknownName(f"no optimizer {name!r}{nearest(name, listed_optimizers())}; `hpo optimizers` shows all")


@cache
def _family_version(family: str) -> str:
    return _version(next(entry for entry in entry_points(group=BENCHMARKS) if entry.name == family))


def _version(entry: EntryPoint) -> str:
    return entry.dist.version if entry.dist is not None else "unknown"


def _imported(name: str) -> Callable[..., Any]:
    module, _, attribute = name.partition(":")
    try:
        return getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise UnknownName(f"{name!r} is read as MODULE:ATTRIBUTE and cannot be imported: {error}") from None


@cache
def _source_version(name: str) -> str:
    """First digits of the SHA-256 of a module's source, so that a changed module is not taken for the one before."""
    module = inspect.getmodule(_imported(name)) or import_module(name.partition(":")[0])
    try:
        source = inspect.getsource(module)
    except (OSError, TypeError):  # no source, as in an extension module
        return str(getattr(module, "__version__", "unknown"))
    return f"source {hashlib.sha256(source.encode()).hexdigest()[:12]}"
