"""What an archive holds, by benchmark and by optimizer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from hpo_leaderboard.archive.packed.contents import Archive


class Holding(NamedTuple):
    """Runs of an optimizer on a benchmark: what they were runs of, how many there are, and of how many trials."""

    benchmark: str
    optimizer: str
    version: str
    n_trials_limit: int | None
    n_runs: int
    n_trials: int


def holdings(archive: Archive) -> list[Holding]:
    """The runs of each setting of an archive."""
    runs = np.bincount(archive.columns["setting"], minlength=len(archive.settings))
    trials = np.bincount(archive.columns["setting"], archive.columns["n_trials"], minlength=len(archive.settings))
    first = {int(setting): row for row, setting in reversed(list(enumerate(archive.columns["setting"])))}
    found = []
    for setting, row in sorted(first.items()):
        said = archive.said(row)
        names = said["benchmark"]["label"], said["optimizer"]["label"], said["optimizer"]["version"]
        found.append(Holding(*names, said["limits"]["n_trials"], int(runs[setting]), int(trials[setting])))
    return found


def overview(archive: Archive) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Facts about benchmarks and optimizers: section, name, and what is known."""
    held = holdings(archive)
    checksums = {task.benchmark: task.checksum for task in archive.tasks}
    for benchmark in sorted({each.benchmark for each in held}):
        own = [each for each in held if each.benchmark == benchmark]
        n_optimizers = len({each.optimizer for each in own})
        facts = {"optimizers": n_optimizers, "runs": sum(each.n_runs for each in own)}
        yield "benchmarks", benchmark, {**facts, "checksum": checksums.get(benchmark, "")[:16]}
    for optimizer in sorted({each.optimizer for each in held}):
        own = [each for each in held if each.optimizer == optimizer]
        versions = ", ".join(sorted({each.version for each in own}))
        facts = {"benchmarks": len({each.benchmark for each in own}), "runs": sum(each.n_runs for each in own)}
        yield "optimizers", optimizer, {**facts, "version": versions}
