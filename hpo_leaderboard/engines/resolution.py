"""Names that workers cannot find, or under which they find something else: refused before anything is run.

A worker is a fresh process, perhaps on another machine. It finds what packages offer and what can be imported there; it
does not find an optimizer that was registered in this process alone (`register_optimizer`), nor what a script or
notebook defines (`__main__`).
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Collection, Iterable
from typing import NamedTuple

from hpo_core.errors import InvalidOption
from hpo_core.names import needs_import, optimizer_factory, optimizers
from hpo_core.plugins import imported
from hpo_leaderboard.engines.worker import worker_environment
from hpo_leaderboard.experiments.code.numerics import numerics
from hpo_leaderboard.experiments.identity import may_be, optimizer_version
from hpo_leaderboard.experiments.job import Job

PATIENCE = 120.0  # seconds that a fresh process may take to start
WAY_OUT = (
    "put the class into a module of its own and name it as MODULE:CLASS (in Python, give the class itself), or use the "
    "engine `serial`"
)


class Asked(NamedTuple):
    """What workers are asked about before they get jobs.

    optimizers   versions by name, '' for any
    benchmarks   names that are imported
    numerics     the libraries of linear algebra, None if nothing depends on them
    """

    optimizers: dict[str, str]
    benchmarks: list[str]
    numerics: str | None


def asked_of(jobs: Iterable[Job]) -> Asked:
    """What the jobs need."""
    versions, names, lines = {}, set(), set()
    for job in jobs:
        versions[job.optimizer.name] = job.version
        names.add(job.benchmark.name)
        lines.add(job.numerics)
    return Asked(versions, sorted(filter(needs_import, names)), next(iter(lines - {None}), None))


def check_names(jobs: Iterable[Job]) -> None:
    """Raise `InvalidOption` for jobs whose benchmark or optimizer a worker process cannot find."""
    asked, known = list(jobs), optimizers()
    methods = {job.optimizer.name for job in asked}
    names = methods | {job.benchmark.name for job in asked}
    hidden = sorted(name for name in names if needs_import(name) and _is_hidden(name.partition(":")[0]))
    if not hidden:  # the targets of our own names are texts, which any process resolves
        hidden = unknown_elsewhere([name for name in methods if callable(getattr(known.get(name), "target", None))])
    if hidden:
        raise InvalidOption(
            f"worker processes must find what they run, and only this process knows {', '.join(hidden)}; {WAY_OUT}"
        )


def _is_hidden(module: str) -> bool:
    """Whether a module is the script itself, or was made by hand: another process finds no file of it."""
    top = module.partition(".")[0]
    return top == "__main__" or all(finder.find_spec(top, None) is None for finder in sys.meta_path)


def unknown_elsewhere(names: Collection[str]) -> list[str]:
    """Those of some registered optimizers that a fresh process does not know, sorted."""
    if not names:
        return []
    said = complaints(Asked(dict.fromkeys(names, ""), [], None))
    return sorted(name for name in names if any(line.startswith(f"{name!r}: ") for line in said))


def complaints(asked: Asked) -> list[str]:
    """What a fresh process on this machine cannot find or finds otherwise, a line each."""
    command = "import json, sys; from hpo_leaderboard.engines.resolution import answer; answer(sys.argv[1])"
    fresh = [sys.executable, "-P", "-c", command, json.dumps(asked)]
    done = subprocess.run(
        fresh, env=worker_environment(), capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    if done.returncode != 0:
        return []  # the engine will say why its workers do not start
    return json.loads(done.stdout.splitlines()[-1])


def answer(asked_json: str) -> None:
    """Print the complaints of this process as the last line. Runs in the fresh process."""
    asked = Asked(*json.loads(asked_json))
    lines = []
    for name, version in asked.optimizers.items():
        try:
            optimizer_factory(name)
            found = optimizer_version(name, None)
        except Exception as error:
            lines.append(f"{name!r}: {type(error).__name__}: {error}")
            continue
        if version and not may_be(version, found):
            lines.append(f"{name!r} has {found} there and {version} here")
    for name in asked.benchmarks:
        try:
            imported(name)
        except Exception as error:
            lines.append(f"{name!r}: {type(error).__name__}: {error}")
    if asked.numerics not in (None, numerics()):
        lines.append(f"linear algebra is done by {numerics()} there and by {asked.numerics} here")
    print(json.dumps(lines))
