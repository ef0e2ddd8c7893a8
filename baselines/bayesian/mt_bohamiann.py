"""BOHAMIANN with earlier runs on related tasks (Springenberg et al., 2016; thesis, sections 3.1 and 3.6.2).

One network models this task and the earlier ones; each has five learned numbers as further inputs
(`hpo_models.networks.multi_task_bnn`). Losses enter task by task, by the logarithm of their distance to the lowest of
the task, standardised: the thesis met a task (Wine) that did not profit since its losses were on another scale.

The first proposal is the configuration that stood out most on an earlier task, on which the thesis is silent; all
others come from the model. Without earlier runs this is `bohamiann`. Where that one leaves the thesis, this one does.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from baselines.bayesian.bohamiann import BATCH_SIZE, PRIOR, Bohamiann
from baselines.parts.modelled import log_distances
from baselines.parts.network_inputs import network_inputs
from baselines.parts.requirements import count
from baselines.parts.warm_start import earlier_tasks
from hpo_core.running.record import Run
from hpo_core.running.trial import Trial
from hpo_core.space import Space
from hpo_models.networks.multi_task_bnn import N_EMBEDDED, TaskNetwork, TaskRegression

N_INITIAL, N_INITIAL_ALONE = 1, 5


class MultiTaskBohamiann(Bohamiann):
    """Expected improvement under a Bayesian neural network of several tasks.

    Parameters
    ----------
    warm_start
        Runs on related problems with the same space: `Run` objects or lists of trials.
    n_initial
        Configurations before the network is asked: by default 1 if there are earlier runs, else 5.
    n_embedded
        Numbers that describe a task.
    options
        As for `Bohamiann`.
    """

    name = "mt-bohamiann"

    def __init__(
        self,
        space: Space,
        *,
        budgets: Sequence[float] = (1,),
        seed: int = 0,
        warm_start: Sequence[Run | Sequence[Trial]] | None = None,
        n_initial: int | None = None,
        n_embedded: int = N_EMBEDDED,
        n_units: int = 50,
        n_chains: int = 4,
        n_adapt: int = 100,
        n_draws: int = 10,
        n_between: int = 30,
        step: float = 1e-2,
    ):
        super().__init__(
            space,
            seed=seed,
            n_initial=n_initial if n_initial is not None else N_INITIAL if warm_start else N_INITIAL_ALONE,
            n_units=n_units,
            n_chains=n_chains,
            n_adapt=n_adapt,
            n_draws=n_draws,
            n_between=n_between,
            step=step,
        )
        tasks = [(rows, log_distances(losses)) for rows, losses in earlier_tasks(warm_start, space, self._features)]
        self._earlier = [(network_inputs(rows), values.astype(np.float32)) for rows, values in tasks]
        n_inputs, *units, _ = self._network.sizes
        self._tasks = TaskNetwork(n_inputs, tuple(units), len(tasks) + 1, count("n_embedded", n_embedded))
        best = min(tasks, key=lambda task: task[1].min(), default=None)
        self._first = None if best is None else best[0][int(np.argmin(best[1]))]

    def _random_row(self) -> np.ndarray:
        """Before anything else the configuration that stood out most on an earlier task, then random ones."""
        return super()._random_row() if self._first is None or self._n > 0 else self._first

    def _draws(self, x: np.ndarray, values: np.ndarray) -> np.ndarray:
        if not self._earlier:
            return super()._draws(x, values)
        parts = [(x, values), *self._earlier]  # this task is number 0
        inputs, targets = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        tasks = np.repeat(np.arange(len(parts)), [len(values) for _, values in parts])
        model = TaskRegression(self._tasks, inputs, tasks, targets, PRIOR, BATCH_SIZE)
        return self._tasks.to_one_task(self._chains.draws(model, self._rng), 0)
