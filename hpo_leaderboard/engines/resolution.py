"""Names that workers cannot find: refused before anything is run.

A worker is a fresh process. It finds what packages offer and what can be imported; it does not find an optimizer that
was registered in this process alone (`register_optimizer`), nor what a script or notebook defines (`__main__`).
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Collection, Iterable

from hpo_core.errors import InvalidOption
from hpo_core.names import optimizers
from hpo_leaderboard.engines.worker import worker_environment
from hpo_leaderboard.experiments.job import Job

PATIENCE = 120.0  # seconds that a fresh process may take to start
WAY_OUT = (
    "put the class into a module of its own and name it as MODULE:CLASS (in Python, give the class itself), or use the "
    "engine `serial`"
)


def check_names(jobs: Iterable[Job]) -> None:
    """Raise `InvalidOption` for jobs whose benchmark or optimizer a worker process cannot find."""
    asked, known = list(jobs), optimizers()
    methods = {job.optimizer.name for job in asked}
    hidden = sorted(name for name in methods | {job.benchmark.name for job in asked} if name.startswith("__main__:"))
    if not hidden:  # the targets of our own names are texts, which any process resolves
        hidden = unknown_elsewhere([name for name in methods if callable(getattr(known.get(name), "target", None))])
    if hidden:
        raise InvalidOption(
            f"worker processes must find what they run, and only this process knows {', '.join(hidden)}; {WAY_OUT}"
        )


def unknown_elsewhere(names: Collection[str]) -> list[str]:
    """Those of some registered optimizers that a fresh process does not know, sorted."""
    if not names:
        return []
    command = (
        "import json, sys; from hpo_core.names import optimizers; known = optimizers(); "
        "print(json.dumps([name for name in json.loads(sys.argv[1]) if name not in known]))"
    )
    fresh = [sys.executable, "-P", "-c", command, json.dumps(sorted(names))]
    answer = subprocess.run(
        fresh, env=worker_environment(), capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    if answer.returncode != 0:
        return []  # the engine will say why its workers do not start
    return json.loads(answer.stdout.splitlines()[-1])
