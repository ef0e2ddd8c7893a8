"""Names of the criteria and what to say about each; `hpo_core.running.criterion_text` has how they are written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from hpo_core.names import make_criterion
from hpo_core.plugins import imported
from hpo_core.running.joined import Criterion
from hpo_core.running.optimizer import StoppingCriterion
from hpo_core.space import Space


class CriterionEntry(NamedTuple):
    """One line about a criterion, its paper, and `module:attribute` of the function or class that makes it."""

    summary: str
    paper: str
    target: str

    def load(self) -> Callable[..., Criterion]:
        """What makes the criterion, called with a space and options."""
        return imported(f"baselines.stopping.{self.target}")


_MAKAROVA = "Makarova et al. (2022)"
_ENTRIES = {
    "limit": CriterionEntry("a number of trials, or of seconds", "", "limit:Limit"),
    "conv": CriterionEntry("no better incumbent for a number of trials", _MAKAROVA, "conv:Convergence"),
    "ei": CriterionEntry(
        "the expected improvement is below a threshold",
        "Nguyen et al. (2017)",
        "ei:expected_improvement",
    ),
    "pi": CriterionEntry(
        "an improvement is less probable than a threshold",
        "Lorenz et al. (2016)",
        "pi:probability_of_improvement",
    ),
    "regret-bound": CriterionEntry(
        "the bound on the regret is below a threshold", _MAKAROVA, "regret_bound:RegretBound"
    ),
    "cv-regret-bound": CriterionEntry(
        "the bound on the regret is below the error of cross-validation", _MAKAROVA, "cv_regret_bound:CVRegretBound"
    ),
}
ALIASES = {"budget": "limit"}  # accepted and not listed


def criteria() -> dict[str, CriterionEntry]:
    """Criteria by name, each with one line and its paper."""
    return dict(_ENTRIES)


def criterion(criterion: str | type | StoppingCriterion, space: Space, **options: Any) -> Criterion:
    """The criterion that a text describes, on a space.

    Parameters
    ----------
    criterion
        A name of `criteria()`, a line of text as in `hpo_core.running.criterion_text`, or your own class.
    space
        What the run searches, `benchmark.space`.
    options
        Keyword arguments of a single criterion: `criterion("regret-bound", space, threshold=0.001)`.

    Examples
    --------
    >>> from hpo_core import Benchmark, run
    >>> from baselines import criterion
    >>> b = Benchmark("branin")
    >>> run(b, "rs", n_trials=None, stop=criterion("conv:20 | limit:200", b.space)).reason
    'conv: no better loss in the last 20 trials, patience 20'
    """
    return make_criterion(criterion, space, **options)
