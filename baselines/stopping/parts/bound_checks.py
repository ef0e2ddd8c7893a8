"""What `regret-bound` and `cv-regret-bound` share: variants of the bound, and when a bound is compared and trusted."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from baselines.parts.search_schedule import GROWTH
from baselines.stopping.parts.option_checks import positive, whole
from baselines.stopping.parts.regret import Bound, BoundSettings, bounds_of
from baselines.stopping.parts.surrogate import Candidates, Fit
from baselines.stopping.parts.usable_trials import indices_in_use
from hpo_core.errors import InvalidOption, nearest
from hpo_core.running.trial import Trial
from hpo_core.space import Space

PAPER = BoundSettings(at_least=2, fit="ml", candidates="refined", counts="trials")
PAPER_2021 = BoundSettings(share=1.0, fit="slice", candidates="refined", counts="trials", log=True)
REFERENCE = BoundSettings()
OURS = BoundSettings(refit=GROWTH)
LEAST_CORRELATION = 0.1
BoundsOfTrials = Callable[[Sequence[Trial]], Bound]


class Variant(NamedTuple):
    """A way to compute the bound and to stop by it.

    settings            how the bound is computed
    warm_up             usable trials before the first check
    least_correlation   of neighbouring trials, below which a bound is not trusted
    checks              in how many checks in a row the bound must be below the threshold
    scale, frozen       of the threshold of `cv-regret-bound`
    """

    settings: BoundSettings
    warm_up: int
    least_correlation: float = 0.0
    checks: int = 1
    scale: float = 1.0
    frozen: bool = False


REGRET_BOUND = {
    "default": Variant(OURS, 20, LEAST_CORRELATION),
    "paper": Variant(PAPER, 20),
    "reference-code": Variant(REFERENCE, 5),
}
CV_REGRET_BOUND = {
    "default": Variant(OURS, 28, LEAST_CORRELATION, checks=3, scale=3.5),
    "paper": Variant(PAPER, 20),
    "paper-2021": Variant(PAPER_2021, 20),
    "reference-code": Variant(REFERENCE, 20, frozen=True),
}


class BoundOptions(NamedTuple):
    """A user's options of the bound: the variant's name, and what is changed of it; None is the variant's."""

    variant: str
    warm_up: int | None = None
    candidates: Candidates | None = None
    fit: Fit | None = None
    checks: int | None = None
    share: float | None = None
    beta: float | None = None
    calibrated: bool = False


def chosen_variant(variants: Mapping[str, Variant], options: BoundOptions) -> Variant:
    """The variant that is named, with those options in place that are not None."""
    name = options.variant
    if name not in variants:
        raise InvalidOption(f"variant must be one of {', '.join(variants)}, got {name!r}{nearest(name, variants)}")
    variant = variants[name]
    settings = variant.settings
    if options.candidates is not None:
        settings = settings._replace(candidates=options.candidates)
    if options.fit is not None:
        if options.fit not in ("map", "ml", "slice"):
            raise InvalidOption(f"fit must be one of map, ml, slice, got {options.fit!r}")
        settings = settings._replace(fit=options.fit)
    if options.share is not None:
        if not 0.0 < positive("share", options.share) <= 1.0:
            raise InvalidOption(f"share must be above 0 and at most 1, got {options.share!r}")
        settings = settings._replace(share=float(options.share))
    if options.beta is not None:
        settings = settings._replace(beta=positive("beta", options.beta))
    if options.calibrated and settings.log:
        raise InvalidOption(f"calibrated goes with bounds in units of the loss; those of {name!r} are of logarithms")
    settings = settings._replace(calibrated=bool(options.calibrated))
    return variant._replace(
        settings=settings,
        warm_up=variant.warm_up if options.warm_up is None else whole("warm_up", options.warm_up, 2),
        checks=variant.checks if options.checks is None else whole("checks", options.checks, 1),
    )


class BoundChecks:
    """Bounds of runs on a space, by one of some variants.

    Parameters
    ----------
    space
        What the runs search.
    variants
        By name: `REGRET_BOUND` or `CV_REGRET_BOUND`.
    options
        Which of them, and what is changed of it.
    bounds
        What gives the bound of trials in place of the model; None is the model.
    """

    def __init__(
        self,
        space: Space,
        variants: Mapping[str, Variant],
        options: BoundOptions,
        bounds: BoundsOfTrials | None = None,
    ):
        self.variant = chosen_variant(variants, options)
        self._bounds = bounds or bounds_of(space, self.variant.settings)

    def bound(self, trials: Sequence[Trial]) -> Bound:
        """Bound on the regret of the incumbent; inf where there is none or where it is not trusted."""
        return trusted(self._bounds(trials), self.variant.least_correlation)

    def ready(self, trials: Sequence[Trial]) -> bool:
        """Whether the warm-up is over."""
        return len(indices_in_use(trials)) >= self.variant.warm_up

    def hold(self, below: Callable[[Sequence[Trial]], bool], trials: Sequence[Trial]) -> bool:
        """Whether the bound is below its threshold now, and was at the checks before, as many as the variant asks.

        The most probable hyperparameters sometimes jump to another mode for a check or two, and the bound with them.
        """
        return all(below(trials[: len(trials) - back]) for back in range(self.variant.checks))

    def waiting(self, trials: Sequence[Trial]) -> str:
        """What is missing of the warm-up, in words."""
        return f"{len(indices_in_use(trials))} usable trials, checks begin at {self.variant.warm_up}"

    def words(self, trials: Sequence[Trial], threshold: str) -> str:
        """The bound next to a threshold, or why there is no bound."""
        bound = self.bound(trials)
        if math.isinf(bound.value):
            return bound.note
        return f"the estimated bound on the regret is {bound.value:.3g}, threshold {threshold}{bound.note}"


def trusted(bound: Bound, least_correlation: float) -> Bound:
    """The bound, or none if by the model the trials tell less about each other than asked.

    With tiny lengthscales the process takes every unknown configuration for a draw from one and the same normal
    distribution, of which the incumbent may already be an extreme: the bound is then near 0 and means nothing.
    """
    if bound.correlation >= least_correlation:
        return bound
    return Bound(math.inf, f"no bound: by the model no trial tells anything about another{bound.note}")
