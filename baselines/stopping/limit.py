"""`limit`: stop at a number of trials, or of seconds on the run's clock."""

from __future__ import annotations

from collections.abc import Sequence

from baselines.stopping.parts.option_checks import positive, whole
from hpo_core.errors import InvalidOption
from hpo_core.running.joined import all_of, any_of
from hpo_core.running.trial import Trial
from hpo_core.space import Space


class Limit:
    """Stops once enough trials are completed, or enough seconds have passed; useful with & and |.

    Parameters
    ----------
    n_trials
        Number of completed trials; None for no such limit.
    max_cost
        Seconds on the run's clock; None for no such limit.
    """

    def __init__(self, space: Space, n_trials: int | None = None, *, max_cost: float | None = None):
        if n_trials is None and max_cost is None:
            raise InvalidOption("limit needs n_trials or max_cost (seconds), got neither; write limit:100")
        self.n_trials = None if n_trials is None else whole("n_trials", n_trials, 1)
        self.max_cost = None if max_cost is None else positive("max_cost", max_cost)

    def __call__(self, trials: Sequence[Trial]) -> str | None:
        if self.n_trials is not None and len(trials) >= self.n_trials:
            return self.status(trials)
        if self.max_cost is not None and _clock(trials) >= self.max_cost:
            return self.status(trials)
        return None

    def status(self, trials: Sequence[Trial]) -> str:
        """How much of the limit is used."""
        parts = [] if self.n_trials is None else [f"{len(trials)} of {self.n_trials} trials"]
        parts += [] if self.max_cost is None else [f"{_clock(trials):g} of {self.max_cost:g} s"]
        return f"limit: {', '.join(parts)}"

    __or__ = any_of
    __and__ = all_of


def _clock(trials: Sequence[Trial]) -> float:
    return max((trial.end for trial in trials), default=0.0)
