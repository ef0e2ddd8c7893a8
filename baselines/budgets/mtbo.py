"""Multi-task Bayesian optimization (Swersky et al., 2013; thesis section 4.3.1) [mtbo].

One process models several tasks with a free covariance between them (`hpo_models.gp.multi_task`). What the tasks are
follows from what there is:

    full budget        the task that counts
    smaller budget     where the problem has several: the one next to an eighth of the full budget. Proposals are by
                       information per second (eq. 4.4), see `baselines.parts.budgeted`
    earlier runs       one task for each run of `warm_start`, observed and over

With one budget proposals maximise expected improvement on the task that counts, as Swersky et al. do for transfer. They
come from the model from the first one on if there are earlier runs; without them this is Bayesian optimization as `gp`.

Losses are transformed: those of this run together, those of each earlier run on their own, for they need not be on the
same scale. Earlier runs share `N_EARLIER` observations, the rest is left out: every k-th in the order of
the losses. Hyperparameters are the most probable ones; the thesis samples them.

The thesis takes a quarter of the data, "very conservative", and where costs grow much faster than the data. Where they
do not, a quarter saves little: on `svm-subsets` and three `mini-*` tables an eighth mostly had lower regrets at equal
seconds and nowhere significantly higher ones (10 seeds); a sixteenth was later at the optimum of `svm-subsets`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from baselines.parts.budgeted import Budgeted, Told
from baselines.parts.loss_transforms import log_distances
from baselines.parts.requirements import number
from baselines.parts.warm_start import EarlierTask, earlier_tasks
from hpo_core.running.record import Run
from hpo_core.running.trial import Trial
from hpo_core.space import Space
from hpo_models.gp.multi_task import fit_tasks, task_points
from hpo_models.gp.product import Points, ProductGP

N_EARLIER = 200


class MultiTask(Budgeted):
    """Multi-task process over budgets and earlier runs.

    Parameters
    ----------
    n_initial
        Random configurations before the model is asked, at the smaller budget if there is one.
    auxiliary
        The smaller budget, as a share of the full one; the nearest that is available is taken.
    overhead
        Seconds that any evaluation is taken to cost besides, as a share of the cost of a full one.
    warm_start
        Runs on related problems with the same space: `Run` objects or lists of trials.
    """

    name = "mtbo"

    def __init__(
        self,
        space: Space,
        *,
        budgets: Sequence[float] = (1,),
        seed: int = 0,
        n_initial: int = 5,
        auxiliary: float = 0.125,
        overhead: float = 0.2,
        warm_start: Sequence[Run | Sequence[Trial]] | None = None,
    ):
        self.auxiliary = number("auxiliary", auxiliary, 1e-9, 1.0)
        super().__init__(space, _two(budgets, self.auxiliary), seed, n_initial, overhead)
        tasks = earlier_tasks(warm_start, space, self._features)
        share = max(1, N_EARLIER // max(1, len(tasks)))
        self._earlier: list[EarlierTask] = [_thinned(rows, log_distances(losses), share) for rows, losses in tasks]
        self._n_tasks = len(self.sizes) + len(tasks)

    def _ready(self) -> bool:
        return super()._ready() or (self._full == 0 and bool(self._earlier))

    def _initial(self) -> tuple[np.ndarray, int]:
        return self._random_row(), 0

    def _choose(self) -> tuple[np.ndarray, int]:
        if self._full > 0:
            return super()._choose()
        told = self._told()
        (process,) = self._believed(self._processes(told))
        rows = told.rows if len(told.rows) else np.concatenate([rows for rows, _ in self._earlier])
        means, _ = process.predict(self._target(rows))
        best = rows[int(np.argmin(means))]
        self.incumbent = self._decode(self._features.to_unit(best))
        return self._most_improving([process], best, float(means.min())), 0

    def _processes(self, told: Told) -> list[ProductGP]:
        n_own = len(self.sizes)
        rows = np.concatenate([told.rows, *(rows for rows, _ in self._earlier)])
        values = np.concatenate([told.values, *(values for _, values in self._earlier)])
        lengths = [len(values) for _, values in self._earlier]
        tasks = np.concatenate([self._full - told.places, np.repeat(np.arange(n_own, self._n_tasks), lengths)])
        return [fit_tasks(rows, tasks.astype(int), values, self._n_tasks, self._features.groups, n_own)]

    def _loss_points(self, rows: np.ndarray, places: np.ndarray) -> Points:
        return task_points(rows, self._full - places, self._n_tasks)

    def _cost_points(self, rows: np.ndarray, places: np.ndarray) -> Points:
        return task_points(rows, self._full - places, len(self.sizes))


def _two(budgets: Sequence[float], auxiliary: float) -> list[float]:
    """The budget next to a share of the full one, on a logarithmic scale, and the full one; or that alone."""
    full, smaller = budgets[-1], list(budgets[:-1])
    if not smaller:
        return [full]
    distances = np.abs(np.log(np.asarray(smaller, dtype=float) / full) - np.log(auxiliary))
    return [smaller[int(np.argmin(distances))], full]


def _thinned(rows: np.ndarray, values: np.ndarray, n: int) -> EarlierTask:
    """At most n observations, evenly over the order of their values, the lowest among them."""
    kept = np.unique(np.linspace(0, len(values) - 1, min(n, len(values))).round().astype(int))
    order = np.argsort(values, kind="stable")[kept]
    return rows[order], values[order]
