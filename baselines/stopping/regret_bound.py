"""`regret-bound`: stop when the bound on the incumbent's regret is below the user's threshold (Makarova et al., 2022).

Variants differ in how the bound is computed, see `REGRET_BOUND`:

    paper            eq. 8 as printed: type II maximum likelihood on the better half, t in beta counts all trials, the
                     minimum over the space is searched for (`refined`). Its input warping is left out.
    reference-code   what the authors' code does, which gave their numbers: MAP on the best max(20, t / 2), t in beta
                     counts these, the minimum is over 2,000 random configurations; checks from 5 trials on (tables)
    default          ours: the reference code's bound, with hyperparameters searched for when the trials have grown by
                     a twentieth, see `baselines.stopping.parts.fits`; checks from 20 trials on, and no bound where the
                     model takes the trials for unrelated to each other, see `trusted`
"""

from __future__ import annotations

from collections.abc import Sequence

from baselines.stopping.parts.bound_checks import REGRET_BOUND, BoundChecks, BoundOptions, BoundsOfTrials
from baselines.stopping.parts.option_checks import positive
from baselines.stopping.parts.surrogate import Candidates, Fit
from hpo_core.running.joined import all_of, any_of
from hpo_core.running.trial import Trial
from hpo_core.space import Space


class RegretBound:
    """Stops once the estimated bound on how far the incumbent's loss lies above the optimum is below `threshold`.

    Parameters
    ----------
    space
        What the run searches.
    threshold
        Regret that is good enough, in units of the loss.
    variant
        "default", "paper" or "reference-code", see the module's head.
    warm_up, candidates, fit
        In place of the variant's; see `BoundSettings`.
    checks
        In how many checks in a row the bound must be below the threshold; None is the variant's.
    share
        Part of the trials, the best, that the process is fitted to; None is the variant's, a half.
    beta
        Factor of the confidence bounds in place of the formula (section A.2.3).
    calibrated
        Whether the model is one of log losses with five times the beta; losses must be above 0.
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
        share: float | None = None,
        beta: float | None = None,
        calibrated: bool = False,
        bounds: BoundsOfTrials | None = None,
    ):
        options = BoundOptions(variant, warm_up, candidates, fit, checks, share, beta, calibrated)
        self._checks = BoundChecks(space, REGRET_BOUND, options, bounds)
        chosen = self._checks.variant
        self.threshold = positive("threshold", threshold)
        self.variant = variant
        self.warm_up, self.checks = chosen.warm_up, chosen.checks

    def bound(self, trials: Sequence[Trial]) -> float:
        """Bound on the regret of the incumbent, in units of the loss; inf where there is none."""
        return self._checks.bound(trials).value

    def __call__(self, trials: Sequence[Trial]) -> str | None:
        return self._words(trials) if self._checks.hold(self._below, trials) else None

    def _below(self, trials: Sequence[Trial]) -> bool:
        return self._checks.ready(trials) and self.bound(trials) < self.threshold

    def status(self, trials: Sequence[Trial]) -> str:
        """The bound and the threshold, or why there is no bound."""
        if not self._checks.ready(trials):
            return f"regret-bound: {self._checks.waiting(trials)}"
        return self._words(trials)

    def _words(self, trials: Sequence[Trial]) -> str:
        return f"regret-bound: {self._checks.words(trials, f'{self.threshold:g}')}"

    __or__ = any_of
    __and__ = all_of
