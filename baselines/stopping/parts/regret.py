"""Upper bound on the regret of a run's incumbent, Makarova et al. (2022), eq. 8.

    bound = min over the evaluated configurations of ucb - min over the whole space of lcb        in units of the loss
    lcb, ucb = mean -+ sqrt(beta) std of the Gaussian process, without its noise
    beta = 0.2 * 2 log(d t^2 pi^2 / (6 delta)),  delta = 0.1                                       section A.2.3

d is the number of hyperparameters, where the theory asks for the number of configurations; and a fifth of beta is
taken: both are the paper's choices, so "with high probability" is no more than their experience (80 to 90 %).

A calibrated bound is of a process that models log losses, with the undivided beta:

    bound = exp(min over the evaluated of ucb) - exp(min over the space of lcb)

A loss cannot fall below 0, which the process of the losses does not know: its bound on a regret can exceed the loss
itself many times. Needs losses above 0.

The minimum over the space runs over candidates. The evaluated configurations are those that the process is fitted to:
its data does not contain the others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Literal, NamedTuple

import numpy as np

from baselines.stopping.parts.fits import Fits, scheduled_parts
from baselines.stopping.parts.surrogate import Candidates, CandidateSet, Fit, Surrogate
from baselines.stopping.parts.usable_trials import UsableTrials, UsableTrialsReader
from hpo_core.running.trial import Trial
from hpo_core.space import Space
from hpo_models.acquisition import confidence_bounds, confidence_factor
from hpo_models.gp.kernels import kernel_named, squared_distances
from hpo_models.gp.regression import GP

REMEMBERED = 100_000  # bounds, some 20 MB: a replay asks for those of all runs of a group, criterion by criterion
UNDIVIDED = 5.0  # what `confidence_factor` divides by
SMALL, NOISELESS = 0.1, 1e-6  # bound in standard deviations of the losses, variance of the noise in theirs


class BoundSettings(NamedTuple):
    """How the bound is computed; the default is what the authors' code does.

    share        part of the observations, the best, that the process is fitted to
    at_least     smallest number of observations that it is fitted to, if there are as many
    fit          "map", "ml" (type II maximum likelihood) or "slice" (ten samples), see `hpo_models.gp.fit`
    candidates   "random", "all" or "refined", see `CandidateSet`
    counts       what t is in beta: the "subset" that is fitted, or all "trials"
    beta         in place of the formula, None for the formula
    calibrated   whether the process models log losses, with the undivided beta
    seed         of the random candidates and of the slice sampling
    log          whether the process is one of the losses' logarithms; so is the bound then, a difference of logarithms
    refit        share by which the usable trials grow between searches for hyperparameters; 0 searches at every check
    """

    share: float = 0.5
    at_least: int = 20
    fit: Fit = "map"
    candidates: Candidates = "random"
    counts: Literal["subset", "trials"] = "subset"
    beta: float | None = None
    calibrated: bool = False
    seed: int = 0
    log: bool = False
    refit: float = 0.0


class Bound(NamedTuple):
    """A bound in units of the loss or of its logarithm, inf where there is none, and what there is to say about it.

    `correlation` is how much an evaluated configuration tells about its nearest neighbour, by the model: the median
    over the configurations of the highest correlation with another one.
    """

    value: float
    note: str
    correlation: float = 1.0


class Ends(NamedTuple):
    """Lowest upper confidence bound of an evaluated configuration, and lowest lower one of the space."""

    upper: float
    lower: float


def bound_ends(surrogate: Surrogate, candidates: CandidateSet, beta: float) -> Ends:
    """The two ends between which the regret lies, in units of what the surrogate models, eq. 8."""
    mean, std = surrogate.predict(surrogate.part.x)
    upper = confidence_bounds(mean, std, beta)[1].min()
    lower = candidates.lowest(lambda rows: confidence_bounds(*surrogate.predict(rows), beta)[0], surrogate.part.x)
    return Ends(float(upper), lower)


class RegretBounds:
    """Bounds of runs on a space: a function of the trials, which remembers the last results."""

    def __init__(self, space: Space, settings: BoundSettings):
        self._reader = UsableTrialsReader(space)
        self._settings = settings
        self._d = sum(h.size > 1 for h in space)
        self._candidates = CandidateSet(self._reader, settings.candidates, settings.seed)
        self._fits = Fits(self._reader, settings.fit, settings.seed)
        self._known: dict[bytes, Bound] = {}

    def __call__(self, trials: Sequence[Trial]) -> Bound:
        """Bound on the regret of the incumbent of the completed trials."""
        usable = self._reader(trials)
        if len(usable.losses) < 2:
            return Bound(math.inf, f"no bound: {len(usable.losses)} usable trials, 2 are needed{usable.note}")
        if self._settings.log:
            if usable.losses.min() <= 0.0:
                return Bound(math.inf, f"no bound: a loss of {usable.losses.min():g} has no logarithm{usable.note}")
            usable = usable._replace(losses=np.log(usable.losses))
        settings = self._settings
        parts = scheduled_parts(usable.losses, settings.share, max(2, settings.at_least), settings.refit)
        t = len(parts[0]) if settings.counts == "subset" else len(usable.losses)
        contents = b"".join(usable.x[part].tobytes() + usable.losses[part].tobytes() for part in parts)
        key = blake2b(contents + t.to_bytes(8, "big") + usable.note.encode(), digest_size=16).digest()
        if key not in self._known:
            if len(self._known) >= REMEMBERED:
                self._known.clear()
            self._known[key] = self._compute(usable, *parts, t)
        return self._known[key]

    def _compute(self, usable: UsableTrials, indices: np.ndarray, searched: np.ndarray, t: int) -> Bound:
        settings = self._settings
        if settings.calibrated:
            if usable.losses[indices].min() <= 0.0:
                return Bound(math.inf, f"no bound: a calibrated one needs losses above 0{usable.note}")
            usable = usable._replace(losses=np.log(usable.losses))
        surrogate = self._fits(usable, indices, searched)
        if surrogate is None:
            return Bound(math.inf, f"no bound: the {len(indices)} lowest losses are all equal{usable.note}")
        beta = settings.beta or confidence_factor(self._d, t) * (UNDIVIDED if settings.calibrated else 1.0)
        ends, surrogate = settled_bound(self._fits, surrogate, self._candidates, beta)
        return Bound(ends_apart(ends, settings.calibrated), usable.note, neighbour_correlation(surrogate.processes[0]))


def ends_apart(ends: Ends, of_logarithms: bool) -> float:
    """The bound in units of the loss."""
    return math.exp(ends.upper) - math.exp(ends.lower) if of_logarithms else ends.upper - ends.lower


def settled_bound(fits: Fits, surrogate: Surrogate, candidates: CandidateSet, beta: float) -> tuple[Ends, Surrogate]:
    """Ends of the bound, and the surrogate that they are of: the given one, or one at another mode if `collapsed`.

    Parameters
    ----------
    fits
        What made the surrogate, and finds other modes.
    surrogate
        Of the better part of the trials.
    candidates
        Over which the lowest point of the space is looked for.
    beta
        Factor of the confidence bounds.
    """
    ends = bound_ends(surrogate, candidates, beta)
    if fits.how != "map" or not collapsed(surrogate, ends.upper - ends.lower):
        return ends, surrogate
    found = [(bound_ends(other, candidates, beta), other) for other in fits.other_modes(surrogate)]
    return max(found, key=lambda pair: pair[0].upper - pair[0].lower)


def collapsed(surrogate: Surrogate, value: float) -> bool:
    """Whether a bound is so small, of a process without noise, that another mode may tell otherwise.

    The density of the hyperparameters has many modes at a noise of 0 that differ by less than a nat, and by orders of
    magnitude in the bound. The authors take the best of five searches; here one search must do, but if its bound is
    nearly 0, the largest bound of the modes that are nearly as probable counts.
    """
    return value < SMALL * surrogate.part.std and surrogate.processes[0].hyperparameters.noise < NOISELESS


def neighbour_correlation(process: GP) -> float:
    """Median over the observed inputs of the highest correlation with a different one; 1 if all are the same."""
    scaled = process.x / process.hyperparameters.lengthscales[process.groups]
    correlations = kernel_named(process.kernel)(squared_distances(scaled, scaled))[0]
    first: dict[bytes, int] = {}
    rows = np.array([first.setdefault(row.tobytes(), len(first)) for row in process.x + 0.0])  # -0. becomes 0.
    highest = np.where(rows[:, None] != rows, correlations, -np.inf).max(axis=1)
    return float(np.median(highest)) if np.isfinite(highest).all() else 1.0


@lru_cache(maxsize=16)
def bounds_of(space: Space, settings: BoundSettings) -> RegretBounds:
    """The one `RegretBounds` of a space and settings, so that criteria that differ in a threshold share the work."""
    return RegretBounds(space, settings)
