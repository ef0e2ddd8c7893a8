"""Earlier runs on related tasks, as observations for a model (Swersky et al., 2013; Perrone et al., 2018).

A run becomes a task: rows of features and the losses observed there. What counts are the trials at the largest budget
that the run has seen, since a loss after one epoch says something else than a loss after a hundred; trials that failed
are left out, and so is a run that has nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from hpo_core.errors import InvalidConfig, InvalidOption
from hpo_core.running.record import Run
from hpo_core.running.trial import Trial
from hpo_core.space import Space
from hpo_models.features import Features

EarlierTask = tuple[np.ndarray, np.ndarray]  # rows (n, width), losses (n,)


def earlier_tasks(runs: Iterable[Run | Sequence[Trial]] | None, space: Space, features: Features) -> list[EarlierTask]:
    """Rows of features (n, width) and finite losses (n,) of each run that has any, in the order of the runs.

    Parameters
    ----------
    runs
        `Run` objects or sequences of trials, one per task; None is the same as no run.
    space
        Where every configuration must lie; `InvalidOption` names the first that does not.
    features
        Of that space.
    """
    if runs is None:
        return []
    if not isinstance(runs, Iterable):
        raise _no_runs(f"got {type(runs).__name__}")
    found = [_task(_trials(run, index), index, space, features) for index, run in enumerate(runs)]
    return [(rows, losses) for rows, losses in found if len(losses)]


def _trials(run: Run | Sequence[Trial], index: int) -> list[Trial]:
    trials = run.trials if isinstance(run, Run) else run
    if not isinstance(trials, Iterable):
        raise _no_runs(f"number {index} is a {type(run).__name__}")
    trials = list(trials)
    for trial in trials:
        if not isinstance(trial, Trial):
            raise _no_runs(f"number {index} holds a {type(trial).__name__}")
    return trials


def _no_runs(got: str) -> InvalidOption:
    return InvalidOption(f"warm_start must be a list of runs, each a Run or a list of its trials; {got}")


def _task(trials: list[Trial], index: int, space: Space, features: Features) -> EarlierTask:
    full = max((trial.budget for trial in trials if trial.budget is not None), default=None)
    used = [
        trial
        for trial in trials
        if trial.failure is None and math.isfinite(trial.loss) and (trial.budget is None or trial.budget == full)
    ]
    try:
        codes = space.encode([trial.config for trial in used])
    except InvalidConfig as error:
        raise InvalidOption(
            f"runs of warm_start must lie in the space that is searched; run {index} does not: {error}; "
            "leave that run out, or record it again on this space"
        ) from error
    losses = np.array([trial.loss for trial in used], dtype=float)
    if not used:
        return np.empty((0, features.width)), losses
    return features.from_unit(space.to_unit(codes)), losses
