"""The budgets that multi-fidelity methods evaluate at."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from hpo_core.errors import InvalidBudget, InvalidOption


def rungs(budgets: Sequence[float], eta: float, min_budget: float | None = None) -> list[float]:
    """Ascending budgets b_max * eta^-k, k = s_max .. 0, each replaced by the nearest that is available.

    s_max = floor(log_eta(b_max / b_min)), Klein (2020), algorithm 6; b_min is the smallest available budget unless
    given. Targets that fall on the same available budget make one rung, so there can be fewer than s_max + 1.
    """
    if len(budgets) < 2:
        raise InvalidBudget(
            f"a multi-fidelity method needs at least two budgets, got {list(budgets)!r}; pass benchmark.budgets of a "
            "benchmark that has several (counting-ones-8-8, a table with learning curves), or take a method that "
            "evaluates at the full budget only"
        )
    if not (eta > 1 and math.isfinite(eta)):
        raise InvalidOption(f"eta must be a number above 1, got {eta!r}")
    available = np.asarray(budgets, dtype=float)
    highest = float(available[-1])
    least = float(available[0]) if min_budget is None else float(min_budget)
    if not 0 < least < highest:
        raise InvalidBudget(f"min_budget must lie above 0 and below the full budget {highest:g}, got {least!r}")
    s_max = math.floor(math.log(highest / least) / math.log(eta) + 1e-9)  # log(243) / log(3) is 4.999...
    targets = [highest * float(eta) ** -k for k in range(s_max, -1, -1)]
    indices = [int(np.argmin(np.abs(available - target))) for target in targets]
    return [budgets[index] for index in dict.fromkeys(indices)]
