"""Trainings that a run may continue.

A training is one configuration with one seed; it stands at the budget it was last evaluated at and has cost so many
seconds in all. An evaluation at a larger budget continues it, with the same seed, and pays the difference. One
at the same or a smaller budget is a training of its own, with a new seed.
"""

from __future__ import annotations

from typing import NamedTuple

from hpo_core.space import Config


class PaidTraining(NamedTuple):
    """Where a training stands: budget, seconds in all, and its seed."""

    budget: float
    cost: float
    seed: int


class Trainings:
    """The trainings of a run that stand still and can be continued."""

    def __init__(self) -> None:
        self._standing: dict[tuple, list[PaidTraining]] = {}

    def claim(self, config: Config, budget: float) -> PaidTraining | None:
        """The configuration's training that came closest to `budget` from below, or None.

        Of several it is the latest. It is no longer here, so that two workers never continue the same one.
        """
        trainings = self._standing.get(_key(config), [])
        below = [place for place, training in enumerate(trainings) if training.budget < budget]
        if not below:
            return None
        return trainings.pop(max(below, key=lambda place: (trainings[place].budget, place)))

    def keep(self, config: Config, training: PaidTraining) -> None:
        """Note where a training stands now."""
        self._standing.setdefault(_key(config), []).append(training)


def _key(config: Config) -> tuple:
    return tuple(sorted(config.items(), key=_name))


def _name(item: tuple) -> str:
    return item[0]
