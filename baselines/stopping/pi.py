"""`pi`: stop when an improvement is less probable than a threshold everywhere (Lorenz et al., 2016)."""

from __future__ import annotations

from baselines.stopping.parts.improvement import ImprovementCriterion
from hpo_core.space import Space
from hpo_models.acquisition import log_probability_of_improvement


def probability_of_improvement(space: Space, threshold: float = 1e-5, *, warm_up: int = 20) -> ImprovementCriterion:
    """Criterion that stops once the highest probability of an improvement is below `threshold`.

    `warm_up` is the number of usable trials before the first check, 20 in Makarova et al. (2022).
    """
    return ImprovementCriterion(
        space, "pi", "the probability of an improvement", log_probability_of_improvement, threshold, warm_up
    )
