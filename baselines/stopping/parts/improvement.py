"""What `ei` and `pi` share: the highest improvement that a run still promises, against a threshold.

The Gaussian process is that of the regret bound, on the better half of the observations. An improvement is one over the
lowest mean that the process predicts for an evaluated configuration: with noise the lowest observed loss is too good
(Makarova et al., 2021, section 4.1). The highest value is over 2,000 random configurations, refined around the best;
Makarova et al. (2022) took that of the configuration their own optimizer proposed, which a criterion does not see.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from baselines.stopping.parts.fits import Fits
from baselines.stopping.parts.option_checks import positive, whole
from baselines.stopping.parts.regret import Bound
from baselines.stopping.parts.surrogate import CandidateSet, better_part
from baselines.stopping.parts.usable_trials import UsableTrialsReader, indices_in_use
from hpo_core.running.joined import all_of, any_of
from hpo_core.running.trial import Trial
from hpo_core.space import Space

SHARE, AT_LEAST = 0.5, 20
LogScore = Callable[[np.ndarray, np.ndarray, float], np.ndarray]


class ImprovementCriterion:
    """Stops once the highest score over the space is below a threshold.

    Parameters
    ----------
    space
        What the run searches.
    name
        How the criterion calls itself in its reasons.
    meaning
        What the score is, in words.
    log_score
        Logarithm of the score of means, standard deviations and the loss to improve on.
    threshold
        In the units of the score.
    warm_up
        Number of usable trials before the first check.
    """

    def __init__(self, space: Space, name: str, meaning: str, log_score: LogScore, threshold: float, warm_up: int):
        self.threshold = positive("threshold", threshold)
        self.warm_up = whole("warm_up", warm_up, 2)
        self._name, self._meaning, self._log_score = name, meaning, log_score
        self._reader = UsableTrialsReader(space)
        self._candidates = CandidateSet(self._reader, "refined", seed=0)
        self._fits = Fits(self._reader, "map", seed=0)

    def __call__(self, trials: Sequence[Trial]) -> str | None:
        if len(indices_in_use(trials)) < self.warm_up:
            return None
        highest = self.highest(trials)
        return self._words(highest) if highest.value < math.log(self.threshold) else None

    def status(self, trials: Sequence[Trial]) -> str:
        """The highest score and the threshold, or why there is none."""
        n_used = len(indices_in_use(trials))
        if n_used < self.warm_up:
            return f"{self._name}: {n_used} usable trials, checks begin at {self.warm_up}"
        return self._words(self.highest(trials))

    def highest(self, trials: Sequence[Trial]) -> Bound:
        """Logarithm of the highest score over the space, inf where there is none, and what there is to say about it."""
        usable = self._reader(trials)
        if len(usable.losses) < 2:
            return Bound(math.inf, f"no model of {len(usable.losses)} usable trials, 2 are needed{usable.note}")
        indices = better_part(usable.losses, SHARE, AT_LEAST)
        surrogate = self._fits(usable, indices, indices)
        if surrogate is None:
            return Bound(math.inf, f"no model: the {len(indices)} lowest losses are all equal{usable.note}")
        best = float(surrogate.predict(surrogate.part.x)[0].min())
        lowest = self._candidates.lowest(
            lambda rows: -self._log_score(*surrogate.predict(rows), best), surrogate.part.x
        )
        return Bound(-lowest, usable.note)

    def _words(self, highest: Bound) -> str:
        if highest.value == math.inf:
            return f"{self._name}: {highest.note}"
        power = highest.value / math.log(10.0)
        return (
            f"{self._name}: the highest estimate of {self._meaning} is 1e{power:.1f}, threshold {self.threshold:g}"
            f"{highest.note}"
        )

    __or__ = any_of
    __and__ = all_of
