"""`InformationPerCost`: what says most about the minimum at the full budget, per second, for `fabolas` and `mtbo`.

Models of the losses and of the costs over configurations and budgets are fitted before each proposal. The proposal
maximises the information about where the minimum at the full budget is (`hpo_models.gp.entropy`), per second of its
predicted cost and an overhead (Klein, 2020, eqs. 4.4 and 4.6). There the overhead is the time that the optimizer itself
takes, minutes, compared with which seconds do not matter. On the clock of `hpo_core.running.loop` an optimizer takes no
time; but without an overhead the cheapest evaluations are preferred however little they say, and what they say is only
as right as the model of how losses change with the budget. So the overhead is a share of the predicted cost of a full
evaluation. The default was chosen on `svm-subsets`, from 0, 0.02, 0.06, 0.1, 0.2 and 0.5.

The incumbent. Klein (2020) reports the configuration with the lowest predicted loss at the full budget and evaluates it
there outside of the run. A run here counts what was evaluated: the lowest loss at the largest budget so far. So
proposals are not by information alone: whenever the evaluations at smaller budgets since the last one at the full
budget took as long as it would, the predicted incumbent is evaluated at the full budget, or if it was already, the
configuration of highest expected improvement per second there. This at most doubles the time, and the model learns from
it. If the information of every candidate cannot be distinguished from 0, the configuration of highest improvement is
evaluated at the budget that says most about it per second.

A configuration is not proposed twice at the same budget as long as there are others.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from baselines.parts.beliefs import Beliefs, LossModel, believe
from baselines.parts.history import Snapshot
from baselines.parts.information import Information, improvement, search_near
from baselines.parts.search.maximum import maximise, random_points
from hpo_models.gp.fabolas import CostModel, fit_costs
from hpo_models.gp.product import Points

N_SHARED = 24  # representers, and half as many random points, that are candidates at every budget
N_STARTS = 3  # local searches for expected improvement

PointsAt = Callable[[np.ndarray, np.ndarray], Points]  # of rows (n, width) at levels (n,)
Seconds = Callable[[np.ndarray, np.ndarray], np.ndarray]  # (n,) of rows (n, width) at levels (n,)


class Choice(NamedTuple):
    """Row (width,) and level to evaluate next, and the row (width,) of the lowest predicted loss."""

    row: np.ndarray
    level: int
    incumbent: np.ndarray


class InformationPerCost:
    """Choice by information per second.

    Parameters
    ----------
    loss_model
        Of losses over configurations and budgets.
    cost_points
        Inputs of the model of the costs.
    overhead
        Seconds that any evaluation is taken to cost besides, as a share of the predicted cost of a full one.
    """

    def __init__(self, loss_model: LossModel, cost_points: PointsAt, overhead: float):
        self._loss_model, self._cost_points, self._overhead = loss_model, cost_points, overhead
        self._costs: CostModel | None = None  # of the last proposal, where the next fit starts

    def propose(self, snapshot: Snapshot, spent: float, rng: np.random.Generator) -> Choice:
        """What to evaluate next; `spent` are the seconds at smaller budgets since the last proposal at the full one."""
        beliefs = believe(self._loss_model, snapshot, rng)
        best, full = beliefs.best, snapshot.full
        seconds = self._fit_costs(beliefs)
        whole = float(seconds(best[None], np.array([full]))[0])
        if spent < whole:
            return Choice(*self._by_information(beliefs, seconds, self._overhead * whole, rng), best)
        if snapshot.is_new(best):
            return Choice(best, full, best)
        return Choice(most_improving(beliefs, rng, seconds), full, best)

    def _fit_costs(self, beliefs: Beliefs) -> Seconds:
        rows, levels, _, costs = beliefs.observed
        model = fit_costs(self._cost_points(rows, levels), costs, beliefs.snapshot.features.groups, self._costs)
        self._costs = model
        return lambda rows, levels: model.predict(self._cost_points(rows, levels))

    def _by_information(
        self, beliefs: Beliefs, seconds: Seconds, overhead: float, rng: np.random.Generator
    ) -> tuple[np.ndarray, int]:
        def price(rows: np.ndarray, levels: np.ndarray) -> np.ndarray:
            return seconds(rows, levels) + overhead

        found = most_informative(beliefs, price, rng)
        if found is not None:
            return found
        row = most_improving(beliefs, rng, seconds)
        return row, most_telling(beliefs, row, price)


def most_improving(beliefs: Beliefs, rng: np.random.Generator, seconds: Seconds | None = None) -> np.ndarray:
    """New row (width,) of the highest expected improvement at the full budget, per second if these are given."""
    snapshot = beliefs.snapshot
    scores = [improvement(process, beliefs.target, beliefs.lowest) for process in beliefs.processes]

    def score(rows: np.ndarray) -> np.ndarray:
        together = np.logaddexp.reduce([score(rows) for score in scores], axis=0)
        return together if seconds is None else together - np.log(seconds(rows, np.full(len(rows), snapshot.full)))

    points = random_points(snapshot.features, rng, beliefs.best)
    return maximise(snapshot, score, points, beliefs.best[None], rng, N_STARTS)


def most_telling(beliefs: Beliefs, row: np.ndarray, seconds: Seconds) -> int:
    """Level, new for a row (width,), that says most about its loss at the full budget, per second.

    That is by how much an observation there lowers the variance at the full budget.
    """
    snapshot = beliefs.snapshot
    new = [level for level in range(snapshot.full + 1) if snapshot.is_new(row, level)]
    levels, rows = np.array(new or [snapshot.full]), np.repeat(row[None], max(1, len(new)), axis=0)
    points, full = beliefs.model.points(rows, levels), beliefs.target(row[None])
    told = [
        process.covariance(points, full)[:, 0] ** 2 / (process.predict(points)[1] ** 2 + process.hyperparameters.noise)
        for process in beliefs.processes
    ]
    return int(levels[np.argmax(np.mean(told, axis=0) / seconds(rows, levels))])


def most_informative(beliefs: Beliefs, seconds: Seconds, rng: np.random.Generator) -> tuple[np.ndarray, int] | None:
    """New row (width,) and level of the highest information gain per second, None if nothing is gained anywhere."""
    features, levels = beliefs.snapshot.features, range(beliefs.snapshot.full + 1)
    best, lowest = beliefs.best, beliefs.lowest
    sources = [Information(features, process, beliefs.target, best, lowest, rng) for process in beliefs.processes]

    def score(level: int, rows: np.ndarray) -> np.ndarray:
        at = np.full(len(rows), level)
        points = beliefs.model.points(rows, at)
        return np.mean([source.gains(points) for source in sources], axis=0) / seconds(rows, at)

    random = random_points(features, rng, best, N_SHARED // 2)
    share = max(1, N_SHARED // len(sources))
    rows = np.concatenate([*(source.rows[:share] for source in sources), random])
    scores = [score(level, rows) for level in levels]
    level = int(np.argmax([found.max() for found in scores]))
    near, near_scores = search_near(features, rows[int(np.argmax(scores[level]))], partial(score, level), rng)
    candidates = np.concatenate([near, np.tile(rows, (len(levels), 1))])
    candidate_levels = np.repeat([level, *levels], [len(near), *map(len, scores)])
    return best_new(beliefs.snapshot, candidates, candidate_levels, np.concatenate([near_scores, *scores]))


def best_new(
    snapshot: Snapshot, rows: np.ndarray, levels: np.ndarray, gains: np.ndarray
) -> tuple[np.ndarray, int] | None:
    """Row (width,) and level of the highest gain above 0 that were not asked for yet; None if there are none.

    Parameters
    ----------
    snapshot
        Knows what was asked for.
    rows, levels
        (n, width) and (n,) candidates.
    gains
        (n,) of the candidates.

    Returns
    -------
    tuple of ndarray and int, or None
        Row (width,) and its level.
    """
    for index in np.argsort(-gains, kind="stable"):
        if gains[index] <= 0.0:
            return None
        if snapshot.is_new(rows[index], int(levels[index])):
            return rows[index], int(levels[index])
    return None
