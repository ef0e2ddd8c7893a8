"""Trainings that a run may continue.

A training is one configuration with one seed. It has reached the budget of its last evaluation and has cost so many
seconds in all. An evaluation at a larger budget continues it, with the same seed, and costs the difference. An
evaluation at the same or a smaller budget is another training, with a new seed.
"""

from __future__ import annotations

from typing import NamedTuple

from hpo_core.space import Config


class PaidTraining(NamedTuple):
    """A paused training: the budget it has reached, its cost in seconds so far, and its seed."""

    budget: float
    cost: float
    seed: int


class Trainings:
    """The paused trainings of a run, which can be continued."""

    def __init__(self) -> None:
        self._paused: dict[tuple, list[PaidTraining]] = {}

    def claim(self, config: Config, budget: float) -> PaidTraining | None:
        """The configuration's training that came closest to `budget` from below, or None.

        Of several it is the latest. It is no longer here, so that two workers never continue the same one.
        """
        trainings = self._paused.get(_key(config), [])
        below = [i for i, training in enumerate(trainings) if training.budget < budget]
        if not below:
            return None
        return trainings.pop(max(below, key=lambda i: (trainings[i].budget, i)))

    def keep(self, config: Config, training: PaidTraining) -> None:
        """Add a training that is paused now."""
        self._paused.setdefault(_key(config), []).append(training)


def _key(config: Config) -> tuple:
    return tuple(sorted(config.items(), key=_name))


def _name(item: tuple) -> str:
    return item[0]
