"""What a criterion sees of a run: the usable trials as rows of features, read once and remembered.

Usable are the trials that did not fail, at the highest budget that any of them has reached, as the incumbent counts
them. The memory is for speed alone: it is compared with the trials each time, so equal trials give equal rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from baselines.parts.loss_transforms import LARGEST
from hpo_core.errors import UnsupportedSpace
from hpo_core.running.trial import Trial
from hpo_core.space import Config, Space
from hpo_models.features import Features


class UsableTrials(NamedTuple):
    """Usable trials of a run, in their order of completion.

    x       (n, width) features of the configurations
    losses  (n,)
    note    what was left out, in words, empty if nothing was
    """

    x: np.ndarray
    losses: np.ndarray
    note: str


def usable(trial: Trial) -> bool:
    """Whether a trial has a loss to learn from."""
    return trial.failure is None and math.isfinite(trial.loss)


def indices_in_use(trials: Sequence[Trial]) -> list[int]:
    """Indices of the trials that did not fail, at the highest budget among them."""
    complete = [index for index, trial in enumerate(trials) if usable(trial)]
    highest = max((trials[index].budget for index in complete), default=0)
    return [index for index in complete if trials[index].budget == highest]


def describe(trials: Sequence[Trial], indices: Sequence[int]) -> str:
    """What of the trials is used, where that is not all of them, as a clause in brackets."""
    n_failed = sum(not usable(trial) for trial in trials)
    n_lower = len(trials) - n_failed - len(indices)
    parts = []
    if n_lower:
        parts.append(f"{n_lower} at budgets below {trials[indices[0]].budget:g}")
    if n_failed:
        parts.append(f"{n_failed} that failed")
    return f" (on {len(indices)} of {len(trials)} trials, without {' and '.join(parts)})" if parts else ""


class UsableTrialsReader:
    """Usable trials of runs on a space."""

    def __init__(self, space: Space):
        self.space = space
        self.features = Features(space)
        if not self.features.width:
            raise UnsupportedSpace("a criterion with a model needs a hyperparameter that can vary; this space has none")
        self.groups = self.features.groups  # the columns of one category share a lengthscale
        self._trials: list[Trial] = []
        self._rows: list[np.ndarray] = []

    def __call__(self, trials: Sequence[Trial]) -> UsableTrials:
        """Usable ones of the completed trials."""
        for index, (ours, given) in enumerate(zip(self._trials, trials, strict=False)):
            if ours is not given:
                del self._trials[index:], self._rows[index:]
                break
        new = trials[len(self._trials) :]
        if new:
            self._rows.extend(self.encode([trial.config for trial in new]))
            self._trials.extend(new)
        indices = indices_in_use(trials)
        x = np.array([self._rows[index] for index in indices]).reshape(len(indices), self.features.width)
        losses = np.clip(np.array([trials[index].loss for index in indices], dtype=float), -LARGEST, LARGEST)
        return UsableTrials(x, losses, describe(trials, indices))

    def encode(self, configs: Sequence[Config]) -> np.ndarray:
        """(n, width) features of configurations; what a condition switches off has its default, see `Features`."""
        return self.features.from_unit(self.space.to_unit(self.space.encode(configs)))
