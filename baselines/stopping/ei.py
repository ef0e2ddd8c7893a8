"""`ei`: stop when the expected improvement is below a threshold everywhere (Nguyen et al., 2017)."""

from __future__ import annotations

from baselines.stopping.parts.improvement import ImprovementCriterion
from hpo_core.space import Space
from hpo_models.acquisition import log_expected_improvement


def expected_improvement(space: Space, threshold: float = 1e-9, *, warm_up: int = 20) -> ImprovementCriterion:
    """Criterion that stops once the highest expected improvement, in units of the loss, is below `threshold`.

    `warm_up` is the number of usable trials before the first check, 20 in Makarova et al. (2022).
    """
    return ImprovementCriterion(space, "ei", "the expected improvement", log_expected_improvement, threshold, warm_up)
