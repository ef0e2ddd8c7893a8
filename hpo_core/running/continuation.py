"""Trainings that a run may continue.

A training is one configuration with one seed. It has reached the budget of its last evaluation and has cost so many
seconds in all. An evaluation at a larger budget continues it, with the same seed, and costs the difference. An
evaluation at the same or a smaller budget is another training, with a new seed.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from typing import NamedTuple

from hpo_core.space import Config


class PaidTraining(NamedTuple):
    """A paused training: the budget it has reached, its cost in seconds so far, and its seed."""

    budget: float
    cost: float
    seed: int


class Trainings:
    """The paused trainings of a run, which can be continued.

    Those of a configuration lie in stacks by their budget, so that a configuration that is evaluated a thousand times
    at one budget is looked up as fast as any other.
    """

    def __init__(self) -> None:
        self._paused: dict[tuple, _Stacks] = {}

    def claim(self, config: Config, budget: float) -> PaidTraining | None:
        """The configuration's training that came closest to `budget` from below, or None.

        Of several it is the latest. It is no longer here, so that two workers never continue the same one.
        """
        stacks = self._paused.get(_key(config))
        if stacks is None:
            return None
        below = bisect_left(stacks.budgets, budget)
        if below == 0:
            return None
        closest = stacks.budgets[below - 1]
        training = stacks.trainings[closest].pop()
        if not stacks.trainings[closest]:
            del stacks.budgets[below - 1], stacks.trainings[closest]
        return training

    def keep(self, config: Config, training: PaidTraining) -> None:
        """Add a training that is paused now."""
        stacks = self._paused.setdefault(_key(config), _Stacks([], {}))
        if training.budget not in stacks.trainings:
            insort(stacks.budgets, training.budget)
            stacks.trainings[training.budget] = []
        stacks.trainings[training.budget].append(training)


class _Stacks(NamedTuple):
    """Budgets at which trainings are paused, ascending, and these trainings by budget, the latest last."""

    budgets: list[float]
    trainings: dict[float, list[PaidTraining]]


def _key(config: Config) -> tuple:
    return tuple(sorted(config.items(), key=_name))


def _name(item: tuple) -> str:
    return item[0]
