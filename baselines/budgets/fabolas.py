"""Fabolas (Klein et al., 2017; thesis section 4.4, algorithm 5): small budgets stand in for the full one [fabolas].

Loss and cost are modelled as functions of the configuration and of the budget (`hpo_models.gp.fabolas`), and each
proposal maximises the information about the minimum at the full budget per second (eq. 4.6), see
`baselines.parts.budgeted`, which also says how the incumbent gets evaluated. The budget may be a share of a dataset, as
in the thesis, or any other that has loss and cost change smoothly with its logarithm, such as epochs.

    budgets          the full one and its halves, quarters..., down to 1/128 of it, as far as there are any
    initial design   10 random configurations, at 1/64, 1/32, 1/16, 1/8 of the full budget in turn (section 4.4.3)

Where this leaves the thesis: the budgets are a grid, not a continuum; hyperparameters are the most probable ones unless
samples are asked for; and see `baselines.bayesian.es` for the information gain. Losses are transformed, those of
all budgets together.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from baselines.parts.budgeted import Budgeted, Told
from baselines.parts.requirements import count
from baselines.parts.rungs import rungs
from hpo_core.space import Space
from hpo_models.gp.fabolas import NOISY, cost_points, loss_points, relative_sizes
from hpo_models.gp.product import Points, ProductGP, fit, fit_samples

SMALLEST = 1 / 128  # of the full budget
DESIGN = (1 / 64, 1 / 8)


class Fabolas(Budgeted):
    """Information per cost across budgets.

    Parameters
    ----------
    n_initial
        Random configurations at small budgets before the models are asked.
    n_samples
        Number of samples of the hyperparameters of the loss to average over; 0 takes the most probable ones.
    overhead
        Seconds that any evaluation is taken to cost besides, as a share of the cost of a full one.
    """

    name = "fabolas"

    def __init__(
        self,
        space: Space,
        *,
        budgets: Sequence[float] = (1,),
        seed: int = 0,
        n_initial: int = 10,
        n_samples: int = 0,
        overhead: float = 0.2,
    ):
        available = rungs(budgets, 2.0)
        sizes = [size for size in available if size >= SMALLEST * available[-1]]
        super().__init__(space, sizes if len(sizes) > 1 else available[-2:], seed, n_initial, overhead)
        self.n_samples = count("n_samples", n_samples, 0)
        self._relative = relative_sizes(self.sizes)
        low, high = (share * self.sizes[-1] for share in DESIGN)
        design = [place for place, size in enumerate(self.sizes) if low <= size <= high]
        self._design = design if len(design) > 1 else list(range(self._full))

    def _initial(self) -> tuple[np.ndarray, int]:
        return self._random_row(), self._design[self._n % len(self._design)]

    def _processes(self, told: Told) -> list[ProductGP]:
        points, groups = self._loss_points(told.rows, told.places), self._features.groups
        if not self.n_samples:
            return [fit(points, told.values, groups, NOISY)]
        return fit_samples(points, told.values, groups, self._rng, self.n_samples, NOISY)

    def _loss_points(self, rows: np.ndarray, places: np.ndarray) -> Points:
        return loss_points(rows, self._relative[places])

    def _cost_points(self, rows: np.ndarray, places: np.ndarray) -> Points:
        return cost_points(rows, self._relative[places])
