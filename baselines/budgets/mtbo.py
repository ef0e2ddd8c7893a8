"""Multi-task Bayesian optimization (Swersky et al., 2013; Klein, 2020, section 4.3.1) [mtbo].

One process models several tasks with a free covariance between them (`hpo_models.gp.multi_task`). The tasks are:

    full budget        the task that counts
    smaller budget     where the problem has several: the one nearest to an eighth of the full budget. Proposals are by
                       information per second (Klein, 2020, eq. 4.4), see `baselines.parts.information_per_cost`
    earlier runs       one task for each run of `warm_start`, which gets no more observations

With one budget proposals maximise expected improvement on the task that counts, as Swersky et al. do for transfer. They
come from the model from the first one on if there are earlier runs; without them this is Bayesian optimization as `gp`.

Losses are transformed: those of this run together, those of each earlier run on their own, for they need not be on the
same scale. Earlier runs share `N_EARLIER` observations, the rest is left out: every k-th in the order of the losses.

Departures from Klein (2020): hyperparameters are the most probable ones, not samples. The smaller budget is an eighth,
not a quarter of the data. A quarter, called "very conservative" there, saves much where costs grow much faster than the
data, and little where they do not: on `svm-subsets` and three `mini-*` tables an eighth mostly had lower regrets at
equal seconds and nowhere significantly higher ones (10 seeds); a sixteenth was later at the optimum of `svm-subsets`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from baselines.parts.beliefs import Observations, believe
from baselines.parts.cost_aware_optimizer import CostAwareOptimizer
from baselines.parts.history import Snapshot
from baselines.parts.information_per_cost import Choice, InformationPerCost, most_improving
from baselines.parts.loss_transforms import log_distances
from baselines.parts.requirements import number
from baselines.parts.warm_start import EarlierTask, earlier_tasks
from hpo_core.running.record import Run
from hpo_core.running.trial import Trial
from hpo_core.space import Space
from hpo_models.features import Features
from hpo_models.gp.multi_task import fit_tasks, task_points
from hpo_models.gp.product import Points, ProductGP

N_EARLIER = 200


def mtbo(
    space: Space,
    *,
    budgets: Sequence[float] = (1,),
    seed: int = 0,
    n_initial: int = 5,
    auxiliary: float = 0.125,
    overhead: float = 0.2,
    warm_start: Sequence[Run | Sequence[Trial]] | None = None,
) -> CostAwareOptimizer:
    """Optimizer with a multi-task process over budgets and earlier runs.

    Parameters
    ----------
    space, budgets, seed
        As in `baselines.optimizer`.
    n_initial
        Number of random configurations before the model is used, at the smaller budget if there is one.
    auxiliary
        The smaller budget, as a share of the full one; the nearest that is available is taken.
    overhead
        Seconds that any evaluation is taken to cost besides, as a share of the cost of a full one.
    warm_start
        Runs on related problems with the same space: `Run` objects or lists of trials.

    Returns
    -------
    CostAwareOptimizer
        With `ask`, `tell`, `sizes` and `incumbent`.
    """
    sizes = auxiliary_and_full(budgets, number("auxiliary", auxiliary, 1e-9, 1.0))
    overhead = number("overhead", overhead, 0.0, 1e9)
    earlier = thinned(earlier_tasks(warm_start, space, Features(space)))
    model = TaskModel(len(sizes), earlier)
    choice = TaskImprovement(model) if len(sizes) == 1 else InformationPerCost(model, model.cost_points, overhead)
    informed = len(sizes) == 1 and bool(earlier)
    return CostAwareOptimizer(
        space, sizes, choice.propose, design=[0], n_initial=n_initial, seed=seed, name="mtbo", informed=informed
    )


def auxiliary_and_full(budgets: Sequence[float], auxiliary: float) -> list[float]:
    """The budget nearest to a share of the full one, on a logarithmic scale, and the full one; or that alone."""
    full, smaller = budgets[-1], list(budgets[:-1])
    if not smaller:
        return [full]
    distances = np.abs(np.log(np.asarray(smaller, dtype=float) / full) - np.log(auxiliary))
    return [smaller[int(np.argmin(distances))], full]


def thinned(tasks: list[EarlierTask], n: int = N_EARLIER) -> list[EarlierTask]:
    """Rows and transformed losses of the tasks, at most n in all if there are no more than n tasks.

    Of each task the same number is kept, evenly over the order of the losses, the lowest among them.
    """
    share = max(1, n // max(1, len(tasks)))
    kept = []
    for rows, losses in tasks:
        values = log_distances(losses)
        ranks = np.unique(np.linspace(0, len(values) - 1, min(share, len(values))).round().astype(int))
        order = np.argsort(values, kind="stable")[ranks]
        kept.append((rows[order], values[order]))
    return kept


class TaskModel:
    """Process of losses over configurations and tasks: first those of the budgets, the full one being 0, then earlier.

    `n_levels` is the number of budgets; `earlier` has the rows and transformed losses of each earlier task.
    """

    def __init__(self, n_levels: int, earlier: list[EarlierTask]):
        self.earlier = earlier
        self._n_levels, self._n_tasks = n_levels, n_levels + len(earlier)

    def points(self, rows: np.ndarray, levels: np.ndarray) -> Points:
        """Inputs of the process for rows (n, width) at levels (n,)."""
        return task_points(rows, self._n_levels - 1 - levels, self._n_tasks)

    def cost_points(self, rows: np.ndarray, levels: np.ndarray) -> Points:
        """Inputs of a process of costs, which earlier tasks say nothing about."""
        return task_points(rows, self._n_levels - 1 - levels, self._n_levels)

    def fit(self, observed: Observations, groups: np.ndarray, rng: np.random.Generator) -> list[ProductGP]:
        """The most probable process."""
        rows = np.concatenate([observed.rows, *(rows for rows, _ in self.earlier)])
        values = np.concatenate([observed.values, *(values for _, values in self.earlier)])
        lengths = [len(values) for _, values in self.earlier]
        others = np.repeat(np.arange(self._n_levels, self._n_tasks), lengths)
        tasks = np.concatenate([self._n_levels - 1 - observed.levels, others]).astype(int)
        return [fit_tasks(rows, tasks, values, self._n_tasks, groups, self._n_levels)]


class TaskImprovement:
    """Choice by expected improvement at the only budget."""

    def __init__(self, model: TaskModel):
        self._model = model

    def propose(self, snapshot: Snapshot, spent: float, rng: np.random.Generator) -> Choice:
        """What to evaluate next."""
        earlier = [rows for rows, _ in self._model.earlier]
        beliefs = believe(self._model, snapshot, rng, np.concatenate(earlier) if earlier else None)
        return Choice(most_improving(beliefs, rng), 0, beliefs.best)
