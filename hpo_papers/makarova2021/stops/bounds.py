"""The bound of the 2021 model along a run: logarithms of all losses, ten samples of the hyperparameters."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from baselines.stopping.parts.bound_checks import PAPER_2021
from baselines.stopping.parts.regret import RegretBounds
from fcnet_data.on_demand import TRAINERS
from fcnet_data.trainers import trainer
from hpo_core import Int, Proposal, Result, Space, Trial
from hpo_papers.makarova2022.bounds.spaces import reader_of
from hpo_papers.makarova2022.record import rules
from hpo_papers.makarova2022.record.contents import WARM_UP, record


@cache
def _bounds(space: Space) -> RegretBounds:
    return RegretBounds(space, PAPER_2021)


def recorded_bounds(name: str, dataset: int, run: int, checks: list[int]) -> list[float]:
    """Bounds after some numbers of evaluations of a recorded run, inf where there is none.

    Parameters
    ----------
    name, dataset, run
        RF or XGB, and indices in the record.
    checks
        Numbers of completed evaluations.
    """
    space, runs = reader_of("cv", name).space, record().runs["cv", name]
    columns = [[int(v) if isinstance(h, Int) else float(v) for v in runs[f"hp.{h.name}"][dataset, run]] for h in space]
    names = [h.name for h in space]
    configs = [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
    return bounds_along(space, configs, runs["loss"][dataset, run].tolist(), checks)


def live_bounds(algorithm: str, configs: list[dict[str, Any]], losses: list[float], checks: list[int]) -> list[float]:
    """The same of a run that was made here, of lm, rf, xgb or xgb3."""
    return bounds_along(trainer(TRAINERS[algorithm]).space, configs, losses, checks)


def bounds_along(
    space: Space, configs: Sequence[dict[str, Any]], losses: Sequence[float], checks: Sequence[int]
) -> list[float]:
    """Bounds on the logarithm of the regret after some numbers of evaluations, inf where there is none."""
    pairs = zip(configs, losses, strict=True)
    trials = [Trial(Proposal(config, 1), Result(loss, 1.0, 1, {}), i) for i, (config, loss) in enumerate(pairs)]
    return [_bounds(space)(trials[:n]).value for n in checks]


def log_thresholds(losses: np.ndarray, folds: np.ndarray) -> np.ndarray:
    """Standard deviation of the logarithm of the incumbent's cross-validation loss at each check, eq. 6 and section 5.

    As `baselines.stopping.cv_regret_bound.log_error`, for arrays (..., evaluation) and (..., evaluation, fold).
    """
    errors = rules.fold_thresholds(losses, folds, WARM_UP["cv"], frozen=False)
    best = np.roll(np.minimum.accumulate(losses, axis=-1), 1, axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.sqrt(np.log1p((errors / best) ** 2))
