"""The incumbent of a run: the best configuration at each moment, as the papers count it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hpo_core.errors import InvalidOption
from hpo_core.running.trial import Trial


class Trajectory(NamedTuple):
    """Incumbent after each completed trial.

    ends      (n,) seconds at which the trials completed, ascending
    losses    (n,) observed loss of the incumbent from then on, inf while every trial has failed
    indices   (n,) index of the incumbent among the completed trials, -1 while every trial has failed
    """

    ends: np.ndarray
    losses: np.ndarray
    indices: np.ndarray

    def loss_at(self, seconds: float) -> float:
        """Observed loss of the incumbent at a time; a trial counts from its end on, inf before the first."""
        n_completed = int(np.searchsorted(self.ends, seconds, side="right"))
        return float(self.losses[n_completed - 1]) if n_completed else float("inf")


def trajectory(trials: Sequence[Trial]) -> Trajectory:
    """Incumbent after each of the trials, which are in their order of completion.

    It is the lowest observed loss at the highest budget that any trial has completed so far. The first result at
    a higher budget takes over even if its loss is larger, so in a multi-fidelity run the losses may rise there.
    """
    if not isinstance(trials, Sequence) or (len(trials) and not hasattr(trials[0], "failure")):
        raise InvalidOption(f"trials must be a list of completed trials, as `Run.trials`, got {trials!r:.60}")
    losses, indices = [], []
    best_budget, best_loss, best_index = -np.inf, np.inf, -1
    for index, trial in enumerate(trials):
        budget, loss = trial.budget, trial.loss
        if trial.failure is None and (budget > best_budget or (budget == best_budget and loss < best_loss)):
            best_budget, best_loss, best_index = budget, loss, index
        losses.append(best_loss)
        indices.append(best_index)
    ends = [trial.end for trial in trials]
    return Trajectory(np.array(ends, dtype=float), np.array(losses, dtype=float), np.array(indices, dtype=np.int64))
