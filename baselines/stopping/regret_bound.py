"""`regret-bound`: stop when the bound on the incumbent's regret is below the user's threshold (Makarova et al., 2022).

Variants differ in how the bound is computed, see `VARIANTS`:

    paper            eq. 8 as printed: type II maximum likelihood on the better half, t in beta counts all trials, the
                     minimum over the space is searched for (`refined`). Its input warping is left out.
    reference-code   what the authors' code does, which gave their numbers: MAP on the best max(20, t / 2), t in beta
                     counts these, the minimum is over 2,000 random configurations; checks from 5 trials on (tables)
    default          ours: the reference code's bound, with checks from 20 trials on, and none where the model takes
                     the trials for unrelated to each other, see `trusted`
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from baselines.stopping.parts.joined import all_of, any_of
from baselines.stopping.parts.option_checks import positive, whole
from baselines.stopping.parts.regret import Bound, BoundSettings, bounds_of, in_a_row, trusted
from baselines.stopping.parts.run_history import places_in_use
from baselines.stopping.parts.surrogate import Candidates, Fit
from hpo_core.errors import InvalidOption, nearest
from hpo_core.running.trial import Trial
from hpo_core.space import Space

PAPER = BoundSettings(at_least=2, fit="ml", candidates="refined", counts="trials")
REFERENCE = BoundSettings()
LEAST_CORRELATION = 0.1


class Variant(NamedTuple):
    """How the bound is computed, from how many usable trials on, from which correlation on it is trusted, in how many
    checks in a row it must be below the threshold. `scale` and `frozen` are for `cv-regret-bound`.
    """

    settings: BoundSettings
    warm_up: int
    least_correlation: float = 0.0
    checks: int = 1
    scale: float = 1.0
    frozen: bool = False


VARIANTS = {
    "default": Variant(REFERENCE, 20, LEAST_CORRELATION),
    "paper": Variant(PAPER, 20),
    "reference-code": Variant(REFERENCE, 5),
}


class RegretBound:
    """Stops once the incumbent's loss is, by the bound, less than `threshold` above the optimum.

    Parameters
    ----------
    threshold
        Regret that is good enough, in units of the loss.
    variant
        "default", "paper" or "reference-code", see the module's head.
    warm_up, candidates, fit
        In place of the variant's; see `BoundSettings`.
    checks
        In how many checks in a row the bound must be below the threshold; None is the variant's.
    bounds
        What gives the bound of the trials in place of the model, such as recorded bounds.
    """

    def __init__(
        self,
        space: Space,
        threshold: float,
        *,
        variant: str = "default",
        warm_up: int | None = None,
        candidates: Candidates | None = None,
        fit: Fit | None = None,
        checks: int | None = None,
        bounds: Callable[[Sequence[Trial]], Bound] | None = None,
    ):
        chosen = variant_named(VARIANTS, variant)
        self.threshold = positive("threshold", threshold)
        self.warm_up = chosen.warm_up if warm_up is None else whole("warm_up", warm_up, 2)
        self._bounds = bounds or bounds_of(space, changed(chosen.settings, candidates, fit))
        self._least_correlation = chosen.least_correlation
        self.checks = chosen.checks if checks is None else whole("checks", checks, 1)

    def bound(self, trials: Sequence[Trial]) -> float:
        """Bound on the regret of the incumbent, in units of the loss; inf where there is none."""
        return self._bound(trials).value

    def _bound(self, trials: Sequence[Trial]) -> Bound:
        return trusted(self._bounds(trials), self._least_correlation)

    def __call__(self, trials: Sequence[Trial]) -> str | None:
        return self._words(self._bound(trials)) if in_a_row(self._below, trials, self.checks) else None

    def _below(self, trials: Sequence[Trial]) -> bool:
        return len(places_in_use(trials)) >= self.warm_up and self.bound(trials) < self.threshold

    def status(self, trials: Sequence[Trial]) -> str:
        """The bound and the threshold, or why there is no bound."""
        n_used = len(places_in_use(trials))
        if n_used < self.warm_up:
            return f"regret-bound: {n_used} usable trials, checks begin at {self.warm_up}"
        return self._words(self._bound(trials))

    def _words(self, bound: Bound) -> str:
        if math.isinf(bound.value):
            return f"regret-bound: {bound.note}"
        return f"regret-bound: the regret is at most {bound.value:.3g}, threshold {self.threshold:g}{bound.note}"

    __or__ = any_of
    __and__ = all_of


def variant_named(variants: dict[str, Variant], name: str) -> Variant:
    """The variant with a name."""
    if name not in variants:
        raise InvalidOption(f"variant must be one of {', '.join(variants)}, got {name!r}{nearest(name, variants)}")
    return variants[name]


def changed(settings: BoundSettings, candidates: Candidates | None, fit: Fit | None) -> BoundSettings:
    """Settings with those options in place that are not None."""
    if candidates is not None:
        settings = settings._replace(candidates=candidates)
    if fit is None:
        return settings
    if fit not in ("map", "ml", "slice"):
        raise InvalidOption(f"fit must be one of map, ml, slice, got {fit!r}")
    return settings._replace(fit=fit)
