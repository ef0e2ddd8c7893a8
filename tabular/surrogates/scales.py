"""Scales on which the trees predict a loss, and the way back to its own unit.

    loss      the loss itself
    log       its logarithm, where all losses are positive
    scores    normal scores: the quantile of the standard normal distribution that belongs to the rank of the loss
              among all recorded ones. Losses with a long tail are modelled best on it: a few diverged trainings no
              longer decide what the trees split on.

The way back from a normal score is linear between up to 1,000 recorded losses, and goes no lower than the lowest and no
higher than the highest of them.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from hpo_core.errors import InvalidOption

KNOTS = 1000


class LossScale(Protocol):
    """A rising function of the loss, and its inverse."""

    @property
    def name(self) -> str: ...
    def forward(self, losses: np.ndarray) -> np.ndarray:
        """(n,) losses on the scale."""

    def back(self, numbers: np.ndarray) -> np.ndarray:
        """(n,) losses that belong to numbers on the scale."""

    def back_one(self, number: float) -> float:
        """Loss that belongs to a number on the scale, bit for bit as `back` gives it."""


@dataclass(frozen=True)
class PlainScale:
    """The loss itself."""

    name = "loss"

    def forward(self, losses: np.ndarray) -> np.ndarray:
        return losses

    def back(self, numbers: np.ndarray) -> np.ndarray:
        return numbers

    def back_one(self, number: float) -> float:
        return number


@dataclass(frozen=True)
class LogScale:
    """The logarithm of the loss."""

    name = "log"

    def forward(self, losses: np.ndarray) -> np.ndarray:
        return np.log(losses)

    def back(self, numbers: np.ndarray) -> np.ndarray:
        return np.exp(numbers)

    def back_one(self, number: float) -> float:
        return float(np.exp(number))  # math.exp may round otherwise


@dataclass(frozen=True)
class ScoreScale:
    """Normal scores, by ascending pairs of scores and losses."""

    scores: np.ndarray
    losses: np.ndarray
    name = "scores"
    _pairs: tuple[list[float], list[float], list[float]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        slopes = np.append(np.diff(self.losses) / np.diff(self.scores), 0.0)
        object.__setattr__(self, "_pairs", (self.scores.tolist(), self.losses.tolist(), slopes.tolist()))

    def forward(self, losses: np.ndarray) -> np.ndarray:
        return np.interp(losses, self.losses, self.scores)

    def back(self, numbers: np.ndarray) -> np.ndarray:
        slopes = np.asarray(self._pairs[2])
        inside = np.clip(numbers, self.scores[0], self.scores[-1])
        k = np.searchsorted(self.scores, inside, side="right") - 1
        return self.losses[k] + slopes[k] * (inside - self.scores[k])

    def back_one(self, number: float) -> float:
        scores, losses, slopes = self._pairs
        inside = min(max(number, scores[0]), scores[-1])
        k = bisect_right(scores, inside) - 1
        return losses[k] + slopes[k] * (inside - scores[k])


def fitted_scale(name: str, losses: np.ndarray) -> LossScale:
    """Scale of a name, made for recorded losses."""
    if name == "loss":
        return PlainScale()
    if name == "log":
        return LogScale()
    if name != "scores":
        raise InvalidOption(f"scale must be one of loss, log, scores, got {name!r}")
    from scipy.special import ndtri
    from scipy.stats import rankdata

    scores = ndtri((rankdata(losses) - 0.5) / len(losses))
    different, first = np.unique(losses, return_index=True)
    knots = scores[first]
    if len(different) > KNOTS:
        wanted = np.linspace(knots[0], knots[-1], KNOTS)
        kept = np.unique(np.append(np.searchsorted(knots, wanted).clip(0, len(knots) - 1), [0, len(knots) - 1]))
        different, knots = different[kept], knots[kept]
    return ScoreScale(knots, different)


def fitting_scales(losses: np.ndarray) -> list[str]:
    """Names of the scales that losses can be written on."""
    return ["loss", "log", "scores"] if losses.min() > 0 else ["loss", "scores"]


def scale_arrays(scale: LossScale) -> dict[str, np.ndarray]:
    """The numbers of a scale, for a file."""
    return {"scores": scale.scores, "losses": scale.losses} if isinstance(scale, ScoreScale) else {}


def read_scale(name: str, arrays: Mapping[str, Any]) -> LossScale:
    """Scale of a name with the numbers of `scale_arrays`."""
    if name == "scores":
        return ScoreScale(arrays["scores"], arrays["losses"])
    return fitted_scale(name, np.array([math.nan]))
