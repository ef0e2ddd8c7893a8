"""What identifies the contents of benchmarks and optimizers, as the keys of runs have it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from baselines.adapters.parts.peer_names import is_peer
from hpo_core import Benchmark
from hpo_core.factories import Factory, module_of
from hpo_core.names import needs_import, optimizer_factory, optimizers, resolve_problem
from hpo_core.problems.problem import Problem
from hpo_core.running.optimizer import Optimizer
from hpo_core.space import Space
from hpo_core.space.plain_data import space_to_json
from hpo_leaderboard.experiments.code.code_digest import DIGITS, code_digest, depends_on_numerics
from hpo_leaderboard.experiments.code.held_state import held_state
from hpo_leaderboard.experiments.study_priors import described_prior, study_prior

N_OPEN = 64  # benchmarks that a process keeps open; opening a table takes longer than a run of random search


class OpenBenchmark(NamedTuple):
    """A benchmark with its family, the checksum of its contents, and whether its losses depend on `numerics`.

    `space` is what optimizers get: that of the benchmark, with the prior that its option `prior` asks for; `prior` says
    how that came about.
    """

    benchmark: Benchmark
    family: str
    checksum: str
    is_numeric: bool
    space: Space
    prior: dict[str, Any] | None = None


def open_benchmark(name: str, options: Mapping[str, Any]) -> OpenBenchmark:
    """The benchmark that a suite names; the last ones are kept open.

    The option `prior` is that of the suite (`hpo_leaderboard.experiments.study_priors`), all others the benchmark's.
    """
    return _open_benchmark(name, json.dumps(dict(options), sort_keys=True))


@lru_cache(maxsize=N_OPEN)
def _open_benchmark(name: str, options_json: str) -> OpenBenchmark:
    options = json.loads(options_json)
    kind = options.pop("prior", None)
    resolved = resolve_problem(name, **options)
    benchmark = Benchmark(resolved.problem)
    modules = _modules(name, resolved.module)
    is_numeric = getattr(benchmark.problem, "table", None) is None and any(map(depends_on_numerics, modules))
    contents = checksum(benchmark.problem, *modules)
    if kind is None:
        return OpenBenchmark(benchmark, resolved.family, contents, is_numeric, benchmark.space)
    prior = study_prior(benchmark, kind)
    said = described_prior(kind, prior)
    contents = hashlib.sha256(f"{contents} {json.dumps(said, sort_keys=True)}".encode()).hexdigest()
    return OpenBenchmark(benchmark, resolved.family, contents, is_numeric, benchmark.space.with_prior(prior), said)


def close_benchmarks() -> None:
    """Forget the open benchmarks, so that they are opened anew."""
    _open_benchmark.cache_clear()


def checksum(problem: Problem, *modules: str) -> str:
    """Hexadecimal SHA-256 of what an evaluation depends on.

    A problem may state its own as `checksum`; that of a table is taken over its columns; any other is told from another
    by its space, its budgets, the code of the modules that make it, and what it states as `contents`: the digest of the
    data or the model that it was made from.
    """
    stated = getattr(problem, "checksum", None)
    if isinstance(stated, str):
        return stated
    budgets = [len(problem.budgets), float(problem.budgets[0]), float(problem.budgets[-1])]
    head = json.dumps([problem.name, space_to_json(problem.space), budgets], sort_keys=True)
    table = getattr(problem, "table", None)
    if table is None:
        contents = getattr(problem, "contents", None)
        parts = [head, *map(str, map(code_digest, modules)), *([contents] if isinstance(contents, str) else [])]
        return hashlib.sha256(" ".join(parts).encode()).hexdigest()
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
    code = f"code {_factory_digest(name, factory)}"
    stated = getattr(built, "version", None)
    return f"{code}, {stated}" if isinstance(stated, str) else code


def may_be(version: str, unbuilt: str) -> bool:
    """Whether an optimizer may have a version, as far as it is known before it is built (`unbuilt`).

    Objects add to the digest of their code, and those that a function makes may state a version instead of it.

    >>> may_be("code 12ab, library 1.5", "code 12ab"), may_be("code 34cd", "code 12ab")
    (True, False)
    """
    if version.startswith("version ") and unbuilt.startswith("code "):
        return True
    return version == unbuilt or (unbuilt.startswith("code ") and version.startswith(f"{unbuilt}, "))


def is_numeric_optimizer(name: str) -> bool:
    """Whether the proposals of an optimizer depend on `numerics`; those of a peer process may, since nobody knows."""
    return is_peer(name) or any(map(depends_on_numerics, _modules(name, module_of(optimizer_factory(name), name))))


def _factory_digest(name: str, factory: Factory) -> str:
    """Digest of the code behind a name. One that was registered may stand for any object, so what that holds counts."""
    is_registered = not needs_import(name) and not isinstance(getattr(optimizers().get(name), "target", None), str)
    digests = [code_digest(module) for module in _modules(name, module_of(factory, name))]
    if len(digests) == 1 and digests[0] is not None and not is_registered:
        return digests[0]
    held = held_state(factory) if is_registered or None in digests else ""
    return hashlib.sha256(" ".join([*map(str, digests), held]).encode()).hexdigest()[:DIGITS]


def _modules(name: str, defining: str) -> tuple[str, ...]:
    """Modules whose code counts: the one that defines what is called, and the one that `module:attribute` names."""
    named = name.partition(":")[0] if needs_import(name) else defining
    return (defining,) if named == defining else (defining, named)
