"""`Run`: the record of one run."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hpo_core.errors import NoSuccess
from hpo_core.running.incumbent import Trajectory, trajectory
from hpo_core.running.run_file import comparable, read_run, write_run
from hpo_core.running.trial import Trial
from hpo_core.space.hyperparameters import Value

if TYPE_CHECKING:
    import pandas

COLUMNS = ("step", "budget", "loss", "cost", "start", "end", "worker", "seed", "failure")


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """Record of an optimizer on a benchmark.

    benchmark   name
    optimizer   name
    seed        of the run
    workers     how many there were
    reason      why it ended
    trials      the completed trials, in their order of completion

    Two runs are equal if all of this is equal, down to the last bit of a number.
    """

    benchmark: str
    optimizer: str
    seed: int
    workers: int
    reason: str
    trials: tuple[Trial, ...]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Run):
            return NotImplemented
        return self._head == other._head and comparable(self.trials) == comparable(other.trials)

    def __hash__(self) -> int:
        return hash((self._head, len(self.trials)))

    def __repr__(self) -> str:
        head = f"{self.benchmark!r}, {self.optimizer!r}, seed={self.seed}"
        return f"Run({head}: {len(self.trials)} trials, ended by {self.reason!r})"

    @property
    def _head(self) -> tuple[Any, ...]:
        return self.benchmark, self.optimizer, self.seed, self.workers, self.reason

    @property
    def best(self) -> Trial:
        """The incumbent's trial, with `config`, `loss` and `budget`; raises `NoSuccess` if no trial succeeded.

        It is the lowest observed loss at the highest budget that any trial completed.
        """
        index = int(self.incumbent().indices[-1]) if self.trials else -1
        if index < 0:
            first = f"; the first of {len(self.trials)} failed with {self.trials[0].failure}" if self.trials else ""
            raise NoSuccess(f"the best trial is one that succeeded, and {self!r} has none{first}")
        return self.trials[index]

    @property
    def best_config(self) -> dict[str, Value]:
        """Configuration of the best trial; raises `NoSuccess` if no trial succeeded."""
        return dict(self.best.config)

    def incumbent(self) -> Trajectory:
        """Incumbent after each completed trial, over steps and over seconds."""
        return trajectory(self.trials)

    def frame(self) -> pandas.DataFrame:
        """Table with a row per trial, in order of completion.

        Its columns are step, budget, loss, cost, start, end, worker, seed, failure and one per hyperparameter, which
        is called `config.NAME` where NAME is already one of these. Times and costs are in seconds.
        """
        import pandas

        data: dict[str, list[Any]] = {column: [getattr(t, column) for t in self.trials] for column in COLUMNS}
        for name in _names(self.trials):
            column = f"config.{name}" if name in COLUMNS else name
            data[column] = [trial.config.get(name) for trial in self.trials]
        return pandas.DataFrame(data)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the run to a file of JSON lines, whole or not at all."""
        head = dict(zip(("benchmark", "optimizer", "seed", "workers", "reason"), self._head, strict=True))
        write_run(head, self.trials, path)

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Run:
        """The run that `save` wrote, equal to the one that was saved."""
        head, trials = read_run(path)
        return Run(**head, trials=trials)


def _names(trials: Iterable[Trial]) -> list[str]:
    """Names of the hyperparameters of any trial, in the order of their first appearance."""
    return list(dict.fromkeys(name for trial in trials for name in trial.config))
